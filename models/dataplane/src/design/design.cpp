#include "horae/dataplane/design/design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>

#include "horae/core/error.hpp"

namespace horae::dataplane {
namespace {

/// Names an object says, with what it says of them.
std::vector<std::pair<std::string, const char*>> mentions(const DesignObject& object) {
  std::vector<std::pair<std::string, const char*>> out;
  for (const auto& d : object.after) out.emplace_back(d.on, "comes after");
  if (const auto* c = std::get_if<ConditionSpec>(&object.spec)) {
    for (const auto& g : c->guards) out.emplace_back(g, "guards");
  }
  if (const auto table = host_table(object.spec); !table.empty())
    out.emplace_back(table, "belongs to");
  for (const auto& other : object.apart) out.emplace_back(other, "is apart from");
  return out;
}

/// Where each object is.
using Places = std::unordered_map<std::string_view, std::size_t>;

Places places_of(const std::vector<DesignObject>& objects) {
  Places out(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) out.emplace(objects[i].name, i);
  return out;
}

/// Whether nothing comes after itself: takes away what nothing is before, again and again, until
/// nothing stays.
bool without_circle(const std::vector<DesignObject>& objects) {
  const Places places = places_of(objects);
  std::vector<std::vector<std::size_t>> next(objects.size());
  std::vector<std::size_t> before(objects.size());
  const auto edge = [&](std::size_t from, std::size_t to) {
    next[from].push_back(to);
    ++before[to];
  };
  for (std::size_t i = 0; i < objects.size(); ++i) {
    for (const auto& d : objects[i].after) edge(places.at(d.on), i);
    if (const auto* c = std::get_if<ConditionSpec>(&objects[i].spec)) {
      for (const auto& g : c->guards) edge(i, places.at(g));
    }
  }
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (before[i] == 0) free.push_back(i);
  }
  std::size_t taken = 0;
  for (; !free.empty(); ++taken) {
    const std::size_t at = free.back();
    free.pop_back();
    for (const std::size_t n : next[at]) {
      if (--before[n] == 0) free.push_back(n);
    }
  }
  return taken == objects.size();
}

const char* article(std::string_view noun) {
  return std::string_view("aeiou").find(noun.front()) == std::string_view::npos ? "a" : "an";
}

/// Whether only the entries of a match table can lead to it.
bool needs_entries(const ObjectSpec& spec) {
  const auto* r = std::get_if<RegisterSpec>(&spec);
  return is_direct(spec) || (r != nullptr && r->index == IndexSource::data) ||
         std::holds_alternative<ProfileSpec>(spec) || std::holds_alternative<SelectorSpec>(spec);
}

}  // namespace

std::string_view dependency_name(DependencyKind kind) {
  static constexpr std::array<std::string_view, 5> names = {"match", "action", "read_after_write",
                                                            "control", "anti"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view condition_name(ConditionKind kind) {
  static constexpr std::array<std::string_view, 8> names = {
      "eq", "ne", "lt", "bit", "valid", "field_eq", "field_lt", "subtract_sign"};
  return names[static_cast<std::size_t>(kind)];
}

std::string_view kind_name(const ObjectSpec& spec) {
  struct Name {
    std::string_view operator()(const RegisterSpec&) const { return "register"; }
    std::string_view operator()(const MatchSpec& m) const {
      static constexpr std::array<std::string_view, 6> names = {"exact", "ternary", "lpm",
                                                                "range", "atcam",   "alpm"};
      return names[static_cast<std::size_t>(match_kind(m))];
    }
    std::string_view operator()(const CounterSpec&) const { return "counter"; }
    std::string_view operator()(const MeterSpec&) const { return "meter"; }
    std::string_view operator()(const ConditionSpec&) const { return "condition"; }
    std::string_view operator()(const ActionSpec&) const { return "action"; }
    std::string_view operator()(const HashSpec&) const { return "hash"; }
    std::string_view operator()(const RandomSpec&) const { return "random"; }
    std::string_view operator()(const MirrorSpec&) const { return "mirror"; }
    std::string_view operator()(const RecirculateSpec&) const { return "recirculate"; }
    std::string_view operator()(const ProfileSpec&) const { return "profile"; }
    std::string_view operator()(const SelectorSpec&) const { return "selector"; }
  };
  return std::visit(Name{}, spec);
}

std::vector<std::uint32_t> ranges_of(const MatchSpec& spec) {
  if (match_kind(spec) != MatchKind::range) return {};
  return spec.ranges.empty() ? std::vector{spec.range_bits} : spec.ranges;
}

bool reads_crossbar(const ObjectSpec& spec) {
  return !std::holds_alternative<ActionSpec>(spec) && !std::holds_alternative<MirrorSpec>(spec) &&
         !std::holds_alternative<RecirculateSpec>(spec) &&
         !std::holds_alternative<RandomSpec>(spec) && !std::holds_alternative<ProfileSpec>(spec);
}

std::string host_table(const ObjectSpec& spec) {
  return std::visit(
      [](const auto& s) -> std::string {
        if constexpr (requires { s.table; }) return s.table;
        return {};
      },
      spec);
}

bool is_direct(const ObjectSpec& spec) {
  return std::visit(
      [](const auto& s) {
        if constexpr (requires { s.direct; }) return s.direct;
        return false;
      },
      spec);
}

const DesignObject* Design::find(std::string_view object) const {
  for (const auto& o : objects) {
    if (o.name == object) return &o;
  }
  return nullptr;
}

bool Design::declares(std::string_view wanted) const {
  const auto named = [&](const auto& part) { return part.name == wanted; };
  return std::ranges::any_of(objects, named) || std::ranges::any_of(value_sets, named) ||
         std::ranges::any_of(checksums, named);
}

void Design::check() const {
  const Places places = places_of(objects);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (places.at(objects[i].name) != i)
      throw input_error(objects[i].where, fmt::format("'{}' is declared twice", objects[i].name));
  }
  for (const auto& o : objects) {
    for (const auto& [mentioned, relation] : mentions(o)) {
      const auto place = places.find(mentioned);
      if (place == places.end()) {
        std::vector<std::string> names;
        for (const auto& known : objects) names.push_back(known.name);
        throw input_error(o.where, fmt::format("'{}' {} '{}', which is no object{}", o.name,
                                               relation, mentioned, suggestion(mentioned, names)));
      }
      const DesignObject* other = &objects[place->second];
      if (other == &o) throw input_error(o.where, fmt::format("'{}' {} itself", o.name, relation));
      // Values that ingress wrote reach egress as bridged metadata: before it, whatever the stages.
      const bool bridged = other->gress == Gress::ingress && o.gress == Gress::egress &&
                           std::string_view(relation) == "comes after";
      if (other->gress != o.gress && !bridged) {
        throw input_error(
            o.where,
            fmt::format("'{}' ({}) {} '{}' ({}): a packet's gresses share no fields", o.name,
                        gress_name(o.gress), relation, mentioned, gress_name(other->gress)));
      }
    }
  }
  for (const auto& o : objects) {
    const std::string table = host_table(o.spec);
    if (table.empty() && needs_entries(o.spec)) {
      throw input_error(o.where,
                        fmt::format("'{}' has no table = \"...\": it is reached by the entries of "
                                    "a match table",
                                    o.name));
    }
    if (table.empty()) continue;
    const auto& host = objects[places.at(table)].spec;
    if (!o.after.empty()) {
      throw input_error(o.where, fmt::format("'{}' belongs to '{}' and is in its stage: what it "
                                             "comes after is said there",
                                             o.name, table));
    }
    for (const auto& other : objects) {
      for (const auto& [mentioned, relation] : mentions(other)) {
        if (mentioned != o.name) continue;
        throw input_error(other.where,
                          fmt::format("'{}' {} '{}', which belongs to '{}': say '{}' instead",
                                      other.name, relation, mentioned, table, table));
      }
    }
    const bool in_entries = needs_entries(o.spec);
    if (!std::holds_alternative<MatchSpec>(host) &&
        (in_entries || !std::holds_alternative<ActionSpec>(host))) {
      throw input_error(o.where, fmt::format("'{}' belongs to '{}', {} {}; expected a {}", o.name,
                                             table, article(kind_name(host)), kind_name(host),
                                             in_entries ? "match table" : "table or an action"));
    }
  }
  check_fields();
  check_parser_parts();
  check_circles();
}

void Design::check_circles() const {
  if (without_circle(objects)) return;
  std::map<std::string, std::vector<std::string>> next;
  for (const auto& o : objects) {
    for (const auto& d : o.after) next[d.on].push_back(o.name);
    if (const auto* c = std::get_if<ConditionSpec>(&o.spec)) {
      for (const auto& g : c->guards) next[o.name].push_back(g);
    }
  }
  // An object in a circle comes after itself, by way of others.
  const auto behind = [&](const std::string& from) {
    std::set<std::string> seen;
    std::vector<std::string> open = {from};
    while (!open.empty()) {
      const std::string at = open.back();
      open.pop_back();
      for (const auto& n : next[at]) {
        if (seen.insert(n).second) open.push_back(n);
      }
    }
    return seen;
  };
  for (const auto& o : objects) {
    const auto after = behind(o.name);
    if (!after.contains(o.name)) continue;
    std::vector<std::string> circle;
    for (const auto& other : objects) {
      if (after.contains(other.name) && behind(other.name).contains(o.name))
        circle.push_back(other.name);
    }
    throw input_error(
        o.where, fmt::format("'{}' comes after itself: {} depend on each other in a circle", o.name,
                             fmt::join(circle, ", ")));
  }
}

}  // namespace horae::dataplane
