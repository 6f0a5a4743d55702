#include "copies.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::dataplane {
namespace {

constexpr std::string_view pair_mark = "[i]";

std::string copy_name(const std::string& name, std::uint32_t i) {
  return fmt::format("{}[{}]", name, i);
}

/// One object with its copies, while they are made.
class CopyMaker {
 public:
  CopyMaker(const DesignObject& object, const Copies& copies, const Pairs& pairs)
      : object_(object), copies_(copies) {
    if (const auto own = pairs.find(object.name); own != pairs.end()) paired_ = own->second;
    const auto found = copies.find(object.name);
    number_ = found == copies.end() ? 1 : found->second;
    copied_ = found != copies.end();
    for (const auto& name : paired_) require_as_many(name, "goes with");
  }

  std::vector<DesignObject> make() const {
    std::vector<DesignObject> out;
    for (std::uint32_t i = 0; i < number_; ++i) out.push_back(copy(i));
    return out;
  }

 private:
  void require_as_many(const std::string& name, const char* relation) const {
    const auto found = copies_.find(name);
    const std::uint32_t there = found == copies_.end() ? 1 : found->second;
    if (there == number_ && found != copies_.end() && copied_) return;
    throw input_error(
        object_.where,
        fmt::format("'{}', {} {}, {} '{}[i]', which has {}; expected as many", object_.name,
                    number_, number_ == 1 ? "object" : "copies", relation, name, there));
  }

  /// Each name that one stands for, in copy `i`.
  template <class Take>
  void for_names(const std::string& name, std::uint32_t i, const Take& take) const {
    const auto found = copies_.find(name);
    if (found == copies_.end()) return take(name);
    if (paired_.contains(name)) return take(copy_name(name, i));
    for (std::uint32_t k = 0; k < found->second; ++k) take(copy_name(name, k));
  }

  DesignObject copy(std::uint32_t i) const {
    DesignObject out = object_;
    if (copied_) out.name = copy_name(object_.name, i);
    out.after.clear();
    for (const auto& d : object_.after) {
      for_names(d.on, i, [&](std::string name) { out.after.push_back({std::move(name), d.kind}); });
    }
    out.apart.clear();
    for (const auto& other : object_.apart)
      for_names(other, i, [&](std::string name) { out.apart.push_back(std::move(name)); });
    if (auto* condition = std::get_if<ConditionSpec>(&out.spec)) {
      for (auto* const list : {&condition->guards, &condition->guards_not}) {
        std::vector<std::string> guards;
        for (const auto& g : *list)
          for_names(g, i, [&](std::string name) { guards.push_back(std::move(name)); });
        *list = std::move(guards);
      }
    }
    set_table(out, i);
    if (copied_) number_fields(out, i);
    return out;
  }

  /// The table of copy `i`.
  void set_table(DesignObject& object, std::uint32_t i) const {
    std::visit(
        [&](auto& spec) {
          if constexpr (requires { spec.table; }) {
            const auto found = copies_.find(spec.table);
            if (found == copies_.end()) return;
            if (found->second != number_) {
              throw input_error(object_.where,
                                fmt::format("'{}': {} copies belong to '{}', which has {}",
                                            object_.name, number_, spec.table, found->second));
            }
            spec.table = copy_name(spec.table, i);
          }
        },
        object.spec);
  }

  /// "x[i]" is "x[3]" in copy 3; of a table's action several, between blanks.
  static void number_fields(DesignObject& object, std::uint32_t i) {
    const auto number = [&](std::vector<std::string>& names) {
      for (auto& name : names) {
        for (auto at = name.find(pair_mark); at != std::string::npos; at = name.find(pair_mark, at))
          name.replace(at, pair_mark.size(), fmt::format("[{}]", i));
      }
    };
    number(object.sets);
    number(object.uses);
    std::visit(
        [&](auto& spec) {
          if constexpr (requires { spec.reads; }) number(spec.reads);
          if constexpr (requires { spec.writes; }) number(spec.writes);
        },
        object.spec);
  }

  const DesignObject& object_;
  const Copies& copies_;
  std::set<std::string> paired_;
  std::uint32_t number_ = 1;
  bool copied_ = false;
};

}  // namespace

bool take_pair(std::string& name) {
  if (!name.ends_with(pair_mark)) return false;
  name.resize(name.size() - pair_mark.size());
  return true;
}

void make_copies(Design& design, const Copies& copies, const Pairs& pairs) {
  if (copies.empty() && pairs.empty()) return;
  std::vector<DesignObject> objects;
  for (const auto& object : design.objects) {
    for (auto& copy : CopyMaker(object, copies, pairs).make()) objects.push_back(std::move(copy));
  }
  design.objects = std::move(objects);
  design.check();
}

}  // namespace horae::dataplane
