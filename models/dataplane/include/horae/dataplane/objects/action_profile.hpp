// Action data that several entries share, and groups of which a hash chooses a member.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/dataplane/pipeline.hpp"

namespace horae::dataplane {

/// Up to `entries` members, which the entries of `table` name by number. Read once per pass, in one
/// in which its table was looked up.
template <class V>
class ActionProfile final : public Object {
 public:
  ActionProfile(Pipeline& pipeline, Gress gress, const std::string& name, ProfileSpec spec,
                const Object& table, const Needs& needs = {})
      : Object(pipeline, gress, name, of(spec, table), needs),
        tables_{&table},
        members_(spec.entries) {}

  /// Another table whose entries name the members; a pass looks up one of them.
  void share_with(const Object& table) { tables_.push_back(&table); }

  /// Control plane.
  void put(std::size_t member, V datum) { members_.at(member) = std::move(datum); }
  void erase(std::size_t member) { members_.at(member).reset(); }

  /// The datum of a member, or null: there is none.
  const V* member(const Pass& pass, std::size_t number) {
    check_single_access(pass);
    if (std::ranges::none_of(tables_, [&](const Object* t) { return t->used_in(pass.serial()); }))
      broken_rule(pass, "read before its table was looked up");
    if (number >= members_.size())
      broken_rule(pass, fmt::format("member {} of {}", number, members_.size()));
    return members_[number] ? &*members_[number] : nullptr;
  }

 private:
  static ProfileSpec of(ProfileSpec spec, const Object& table) {
    spec.table = table.short_name();
    return spec;
  }

  std::vector<const Object*> tables_;
  std::vector<std::optional<V>> members_;
};

/// Groups of members that are alive or not; a hash chooses one that is. `resilient`: a packet's
/// member changes only when it dies. Else the hash is divided by the number of members alive, and
/// most change with every death (the chip's two modes: TNA, action selectors). Used once per pass.
class ActionSelector final : public Object {
 public:
  ActionSelector(Pipeline& pipeline, Gress gress, const std::string& name, SelectorSpec spec,
                 const Object& table, const Needs& needs = {})
      : Object(pipeline, gress, name, of(spec, table), needs),
        tables_{&table},
        resilient_(spec.resilient),
        most_(spec.group_size),
        groups_(spec.groups) {}

  /// Another table whose entries name the groups; a pass looks up one of them.
  void share_with(const Object& table) { tables_.push_back(&table); }

  /// Control plane: the members of a group, all alive.
  void put(std::size_t group, std::vector<std::uint32_t> members) {
    if (members.size() > most_)
      throw ModelError(
          fmt::format("{}: {} members in groups of {}", name(), members.size(), most_));
    groups_.at(group) = {std::move(members), {}};
    groups_[group].alive.assign(groups_[group].members.size(), true);
  }
  /// Control plane: a place of a group is alive or not (port up, port down).
  void set_alive(std::size_t group, std::size_t place, bool alive) {
    groups_.at(group).alive.at(place) = alive;
  }

  /// The member of a group that a hash chooses; none: nobody in it is alive.
  std::optional<std::uint32_t> choose(const Pass& pass, std::size_t group, std::uint32_t hash) {
    check_single_access(pass);
    if (std::ranges::none_of(tables_, [&](const Object* t) { return t->used_in(pass.serial()); }))
      broken_rule(pass, "used before its table was looked up");
    if (group >= groups_.size())
      broken_rule(pass, fmt::format("group {} of {}", group, groups_.size()));
    const Group& g = groups_[group];
    const auto alive = static_cast<std::uint32_t>(std::ranges::count(g.alive, true));
    if (alive == 0) return std::nullopt;
    const auto places = static_cast<std::uint32_t>(g.members.size());
    if (resilient_ && g.alive[hash % places]) return g.members[hash % places];
    // Who has lost its place takes another part of the hash, so that they spread over the others.
    std::uint32_t rest = resilient_ ? hash / places % alive : hash % alive;
    std::size_t place = 0;
    for (;; ++place) {
      if (g.alive[place] && rest-- == 0) break;
    }
    return g.members[place];
  }

 private:
  struct Group {
    std::vector<std::uint32_t> members;
    std::vector<bool> alive;
  };
  static SelectorSpec of(SelectorSpec spec, const Object& table) {
    spec.table = table.short_name();
    return spec;
  }

  std::vector<const Object*> tables_;
  bool resilient_;
  std::size_t most_;
  std::vector<Group> groups_;
};

}  // namespace horae::dataplane
