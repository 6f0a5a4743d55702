#include "copies.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::dataplane {
namespace {

std::string copy_name(const std::string& name, std::uint32_t i) {
  return fmt::format("{}[{}]", name, i);
}

/// Each name that one stands for.
template <class Take>
void for_names(const std::string& name, const Copies& copies, const Take& take) {
  const auto found = copies.find(name);
  if (found == copies.end()) return take(name);
  for (std::uint32_t i = 0; i < found->second; ++i) take(copy_name(name, i));
}

/// The table of copy `i` of an object.
void set_table(DesignObject& object, std::uint32_t i, std::uint32_t of, const Copies& copies) {
  std::visit(
      [&](auto& spec) {
        if constexpr (requires { spec.table; }) {
          const auto found = copies.find(spec.table);
          if (found == copies.end()) return;
          if (found->second != of) {
            throw input_error(object.where,
                              fmt::format("'{}': {} copies belong to '{}', which has {}",
                                          object.name, of, spec.table, found->second));
          }
          spec.table = copy_name(spec.table, i);
        }
      },
      object.spec);
}

}  // namespace

void make_copies(Design& design, const Copies& copies) {
  if (copies.empty()) return;
  std::vector<DesignObject> objects;
  for (auto& object : design.objects) {
    std::vector<Dependency> after;
    for (const auto& d : object.after) {
      for_names(d.on, copies, [&](std::string name) {
        after.push_back({std::move(name), d.kind});
      });
    }
    object.after = std::move(after);
    if (auto* condition = std::get_if<ConditionSpec>(&object.spec)) {
      for (auto* const list : {&condition->guards, &condition->guards_not}) {
        std::vector<std::string> guards;
        for (const auto& g : *list) {
          for_names(g, copies, [&](std::string name) { guards.push_back(std::move(name)); });
        }
        *list = std::move(guards);
      }
    }
    const auto found = copies.find(object.name);
    if (found == copies.end()) {
      set_table(object, 0, 1, copies);
      objects.push_back(std::move(object));
      continue;
    }
    const std::uint32_t n = found->second;
    for (std::uint32_t i = 0; i < n; ++i) {
      DesignObject copy = object;
      set_table(copy, i, n, copies);
      copy.name = copy_name(object.name, i);
      objects.push_back(std::move(copy));
    }
  }
  design.objects = std::move(objects);
  design.check();
}

}  // namespace horae::dataplane
