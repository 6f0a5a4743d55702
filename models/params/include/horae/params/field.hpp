// One field of a schema, without the type of the struct it belongs to: what is common to all is
// compiled once, not once per struct and type.
#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "horae/params/field_info.hpp"
#include "horae/params/param_info.hpp"
#include "horae/params/value.hpp"

namespace horae {

class Section;

namespace detail {

/// Which member or part of a struct; found in an object whose type only the creator of this knew.
class MemberOf {
 public:
  template <class T, class M>
  explicit MemberOf(M T::*member)
      : raw_(std::bit_cast<std::ptrdiff_t>(member)), find_(&find<T, M>), look_(&look<T, M>) {}
  /// Result of a Part{} on a T: a reference, to const of a const T. It captures nothing.
  template <class T, class Part>
  static MemberOf through() {
    return MemberOf(
        [](void* object, std::ptrdiff_t) -> void* { return &Part{}(*static_cast<T*>(object)); },
        [](const void* object, std::ptrdiff_t) -> const void* {
          return &Part{}(*static_cast<const T*>(object));
        });
  }

  void* in(void* object) const { return find_(object, raw_); }
  const void* in(const void* object) const { return look_(object, raw_); }

 private:
  template <class T, class M>
  static void* find(void* object, std::ptrdiff_t raw) {
    return &(static_cast<T*>(object)->*std::bit_cast<M T::*>(raw));
  }

  template <class T, class M>
  static const void* look(const void* object, std::ptrdiff_t raw) {
    return &(static_cast<const T*>(object)->*std::bit_cast<M T::*>(raw));
  }

  using Find = void* (*)(void*, std::ptrdiff_t);
  using Look = const void* (*)(const void*, std::ptrdiff_t);
  MemberOf(Find to_write, Look to_read) : raw_(0), find_(to_write), look_(to_read) {}

  std::ptrdiff_t raw_;
  Find find_;
  Look look_;
};

/// Operations of a field on its member, whose type the implementation knows.
class FieldKind {
 public:
  virtual ~FieldKind() = default;
  /// Fills the member from what the document gives.
  virtual void read(void* member, const Entry& entry, const Section& section) const = 0;
  /// The same when the document does not give `key` and need not.
  virtual void absent(void* member, const std::string& key, const Section& section) const;
  /// Writes the member; false when it is left out.
  virtual bool dump(const void* member, nlohmann::ordered_json& out) const = 0;
  /// Appends `own`, completed, and what is below it. `defaults` is a member with its default.
  virtual void describe(const void* defaults, ParamInfo own, std::vector<ParamInfo>& out) const = 0;
  /// Why a default could not be read back, or empty.
  virtual std::string violation(const void* defaults) const;
};

void append(ParamInfo info, std::vector<ParamInfo>& out);

struct Field {
  std::string name;
  FieldInfo info;
  MemberOf member;
  std::shared_ptr<const FieldKind> kind;
};

}  // namespace detail

}  // namespace horae
