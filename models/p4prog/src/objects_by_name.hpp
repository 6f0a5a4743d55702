// How the control plane finds objects of all machines: by the names of the program.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/p4prog/machine.hpp"

namespace horae::p4prog {

/// Whether `own` ends with the name, behind a dot.
bool name_ends_with(const std::string& own, const std::string& name);
/// The one of `names` that `wanted` means, in full. InputError: there is none.
std::string whole_name(std::string_view what, std::string_view wanted,
                       const std::vector<std::string>& names);
/// InputError: the object of that name has no such index.
void need_index(std::string_view what, std::uint64_t index, const std::string& name,
                std::uint64_t entries);

/// Calls `f`; what an object refuses is a fault of the one who asks.
template <class F>
void asked_by_user(F&& f) {
  try {
    f();
  } catch (const ModelError& e) {
    throw InputError(e.what());
  }
}

// The names of objects; of a table that the gress never applies there is none.
inline const std::string* name_of(const TableObject& t) {
  return t.code == nullptr ? nullptr : &t.code->source->name;
}
inline const std::string* name_of(const ValueSetObject& s) { return &s.code->source->name; }
inline const std::string* name_of(const ProfileObject& p) { return &p.name; }
inline const std::string* name_of(const SelectorObject& s) { return &s.name; }
template <class Key, class T>
const std::string* name_of(const std::pair<const Key, T>& numbered) {
  return name_of(numbered.second);
}
template <class T>
T& object_of(T& object) {
  return object;
}
template <class Key, class T>
T& object_of(std::pair<const Key, T>& numbered) {
  return numbered.second;
}

/// Names of the objects of a kind, each once.
template <class List>
std::vector<std::string> names_of(const std::vector<Machine*>& machines, List& (Objects::*all)()) {
  std::vector<std::string> out;
  for (Machine* m : machines) {
    for (const auto& o : (m->objects().*all)()) {
      const std::string* name = name_of(o);
      if (name != nullptr && std::ranges::find(out, *name) == out.end()) out.push_back(*name);
    }
  }
  return out;
}

/// The objects of a kind that `wanted` means: one of each machine that has it. InputError: none.
template <class List>
auto named(const std::vector<Machine*>& machines, List& (Objects::*all)(), std::string_view what,
           std::string_view wanted) {
  const std::string full = whole_name(what, wanted, names_of(machines, all));
  std::vector<decltype(&object_of(*std::declval<List&>().begin()))> out;
  for (Machine* m : machines) {
    for (auto& o : (m->objects().*all)()) {
      const std::string* name = name_of(o);
      if (name != nullptr && *name == full) out.push_back(&object_of(o));
    }
  }
  return out;
}

/// Likewise, of an extern object by its number.
template <class T>
std::vector<T*> numbered(const std::vector<Machine*>& machines,
                         std::map<std::uint32_t, T>& (Objects::*all)(), std::uint32_t object) {
  std::vector<T*> out;
  for (Machine* m : machines) {
    auto& list = (m->objects().*all)();
    if (const auto found = list.find(object); found != list.end()) out.push_back(&found->second);
  }
  return out;
}

}  // namespace horae::p4prog
