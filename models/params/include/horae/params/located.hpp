// For headers of configuration structs: values with their place, and the names of what
// reads them. The source that writes a schema down includes schema.hpp.
#pragma once

#include "horae/params/location.hpp"

namespace horae {

/// A field's value together with where it was given, for checks across fields. Equality is that of
/// the values.
template <class T>
struct Located {
  T value{};
  Location where{};

  operator const T&() const { return value; }
  friend bool operator==(const Located& a, const Located& b) { return a.value == b.value; }
};

template <class T>
class Schema;
class Section;
class Document;
struct ParamInfo;

}  // namespace horae
