// Values as a document gives them, and reading one as the type a field has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "horae/params/location.hpp"

namespace horae::detail {

/// A node of a document: a flag, a number, a text, a list or a table, with its place.
struct Value;
using ValuePtr = std::shared_ptr<Value>;

/// A key of a table with the place of the key itself.
struct Entry {
  std::string key;
  Location where;
  ValuePtr value;
};

const Location& place_of(const Value& value);

// Each reads `value` as one type. InputError that names `label`, what was expected and what was
// found when it is of another type.

bool read_flag(const Value& value, std::string_view label);
std::int64_t read_integer(const Value& value, std::string_view label, std::string_view expected);
/// A finite number, or the text of a fraction such as "1/256".
double read_number(const Value& value, std::string_view label);
std::string read_text(const Value& value, std::string_view label, std::string_view expected);
const std::vector<ValuePtr>& read_array(const Value& value, std::string_view label,
                                        std::string_view expected);
/// The index in `names` of the text that `value` is.
std::size_t read_choice(const Value& value, std::string_view label,
                        const std::vector<std::string>& names);

/// How a number is shown: the shortest text that reads back the same.
std::string number_text(double number);

}  // namespace horae::detail
