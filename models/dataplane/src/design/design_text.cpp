// A design as the text of an objects file.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "design_schemas.hpp"
#include "horae/dataplane/design/design_file.hpp"

namespace horae::dataplane {
namespace {

using nlohmann::ordered_json;

/// A TOML value; JSON's texts, numbers and lists are TOML's.
std::string toml(const ordered_json& value) { return value.dump(); }

template <class Shape>
const Schema<Shape>& schema_of(const Shape& shape) {
  if constexpr (std::is_same_v<Shape, RegisterSpec>) return register_schema(shape.direct);
  if constexpr (std::is_same_v<Shape, MatchSpec>) return match_schema(match_kind(shape));
  if constexpr (std::is_same_v<Shape, CounterSpec>) return counter_schema(shape.direct);
  if constexpr (std::is_same_v<Shape, MeterSpec>) return meter_schema(shape.direct);
  if constexpr (std::is_same_v<Shape, ProfileSpec>) return profile_schema();
  if constexpr (std::is_same_v<Shape, SelectorSpec>) return selector_schema();
  if constexpr (std::is_same_v<Shape, ConditionSpec>) return condition_schema();
  if constexpr (std::is_same_v<Shape, ActionSpec>) return action_schema();
  if constexpr (std::is_same_v<Shape, HashSpec>) return hash_schema();
  if constexpr (std::is_same_v<Shape, RandomSpec>) return random_schema();
  if constexpr (std::is_same_v<Shape, MirrorSpec>) return mirror_schema();
  if constexpr (std::is_same_v<Shape, RecirculateSpec>) return recirculate_schema();
}

/// Keys that an objects file refuses beside another that says the same.
template <class Shape>
bool said_otherwise(const Shape& shape, const std::string& key) {
  if constexpr (std::is_same_v<Shape, MatchSpec>) {
    if (key == "actions" || key == "data_bits") return !shape.action_bits.empty();
    if (key == "no_ops") return !shape.writes.empty();
  }
  return false;
}

/// Keys that differ from the defaults, and those that have none.
template <class Shape>
std::string shape_text(Shape shape, const Schema<Shape>& schema) {
  if constexpr (std::is_same_v<Shape, ConditionSpec>) {
    // In a file `guards` has those alone that run when it holds.
    for (const auto& name : shape.guards_not) {
      const auto at = std::ranges::find(shape.guards, name);
      if (at != shape.guards.end()) shape.guards.erase(at);
    }
  }
  const ordered_json own = schema.dump(shape), defaults = schema.dump(Shape{});
  std::string out;
  for (const auto& field : schema.describe()) {
    if (!own.contains(field.path)) continue;
    if (said_otherwise(shape, field.path)) continue;
    const auto& value = own[field.path];
    if (field.required || !defaults.contains(field.path) || value != defaults[field.path])
      out += fmt::format("{} = {}\n", field.path, toml(value));
  }
  return out;
}

std::string order_text(const DesignObject& object) {
  const bool keyless = !reads_crossbar(object.spec);
  ordered_json after = ordered_json::object();
  for (const auto& d : object.after) {
    switch (d.kind) {
      case DependencyKind::match:
        after["after"].push_back(d.on);
        break;
      case DependencyKind::action:
        after[keyless ? "after" : "after_action"].push_back(d.on);
        break;
      case DependencyKind::read_after_write:
        after["after_read"].push_back(d.on);
        break;
      case DependencyKind::control:
        after["after_control"].push_back(d.on);
        break;
      case DependencyKind::anti:
        after["after_anti"].push_back(d.on);
        break;
    }
  }
  std::string out;
  for (const auto& [key, names] : after.items()) out += fmt::format("{} = {}\n", key, toml(names));
  return out;
}

}  // namespace

std::string design_text(const DesignCase& design_case) {
  std::string out = fmt::format("chip = {}\nname = {}\norder = \"complete\"\n",
                                toml(design_case.chip.value), toml(design_case.design.name));
  if (!design_case.source.empty()) out += fmt::format("source = {}\n", toml(design_case.source));
  for (const auto& object : design_case.design.objects) {
    out += fmt::format("\n[[{}]]\nname = {}\n", kind_name(object.spec), toml(object.name));
    if (object.gress == Gress::egress) out += "gress = \"egress\"\n";
    out += std::visit([](const auto& shape) { return shape_text(shape, schema_of(shape)); },
                      object.spec);
    out += order_text(object);
    if (!object.sets.empty()) out += fmt::format("sets = {}\n", toml(object.sets));
    if (!object.uses.empty()) out += fmt::format("uses = {}\n", toml(object.uses));
    if (!object.apart.empty()) out += fmt::format("apart = {}\n", toml(object.apart));
  }
  for (const auto& field : design_case.design.fields)
    out += "\n[[field]]\n" + shape_text(field, field_schema());
  for (const auto& state : design_case.design.parser)
    out += "\n[[state]]\n" + shape_text(state, state_schema());
  for (const auto& set : design_case.design.value_sets)
    out += "\n[[value_set]]\n" + shape_text(set, value_set_schema());
  for (const auto& checksum : design_case.design.checksums)
    out += "\n[[checksum]]\n" + shape_text(checksum, checksum_schema());
  return out;
}

}  // namespace horae::dataplane
