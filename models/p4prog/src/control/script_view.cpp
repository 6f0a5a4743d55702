#include "horae/p4prog/script_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace horae::p4prog {

namespace {

using nlohmann::ordered_json;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::ExternObject;
using p4lang::Program;
using p4lang::Table;
using p4lang::Type;

/// Without the pipe: names of actions and fields in bf-rt.json.
std::string behind_pipe(const std::string& name) {
  const std::size_t dot = name.find('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::string hex_text(const p4lang::Integer& value, std::uint32_t bits) {
  const p4lang::Integer positive =
      value < 0 ? p4lang::Integer(value + (p4lang::Integer(1) << bits)) : value;
  return "0x" + positive.str(0, std::ios_base::hex);
}

ordered_json field_of(const std::string& name, const Type& type) {
  ordered_json out = {{"name", name}, {"bits", p4lang::width_of(type)}};
  for (const p4lang::Member& m : type.members)
    out["members"][m.name] = hex_text(m.value, type.width);
  return out;
}

/// Fields of a struct but for @padding; for any other type one field, called `single`.
ordered_json fields_of(const Type& type, const std::string& before, const std::string& single) {
  auto out = ordered_json::array();
  for (const p4lang::Field& f : type.fields) {
    if (std::ranges::find(f.annotations, "padding", &p4lang::Annotation::name) ==
        f.annotations.end())
      out.push_back(field_of(before + f.name, *f.type));
  }
  if (type.fields.empty()) out.push_back(field_of(before + single, type));
  return out;
}

const Expr* number_argument(const ExternObject& object, std::string_view name) {
  const Expr* e = object.argument(name);
  return e == nullptr || e->kind != ExprKind::constant ? nullptr : e;
}

std::uint64_t number(const ExternObject& object, std::string_view name, std::uint64_t otherwise) {
  const Expr* e = number_argument(object, name);
  return e == nullptr ? otherwise : static_cast<std::uint64_t>(e->value);
}

/// "packets", "bytes", "packets_and_bytes".
std::string counted(const ExternObject& object) {
  std::string out = "packets_and_bytes";
  if (const Expr* e = number_argument(object, "type")) {
    for (const p4lang::Member& m : e->type->members) {
      if (m.value == e->value) out = m.name;
    }
  }
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

void put_initial(ordered_json& out, const Expr& e) {
  if (e.kind == ExprKind::list) {
    for (const Expr& part : e.operands) put_initial(out, part);
  } else if (e.kind == ExprKind::cast) {
    put_initial(out, e.operands[0]);
  } else if (e.kind == ExprKind::constant) {
    out.push_back(hex_text(e.value, p4lang::width_of(*e.type)));
  }
}

/// A register, counter, meter or filter; nothing for other objects. Direct ones have no size.
ordered_json object_of(const ExternObject& object) {
  static constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {"Register", "register"}, {"Counter", "counter"}, {"Meter", "meter"},
      {"Lpf", "lpf"},           {"Wred", "wred"},
  };
  const std::string& type = object.type->name;
  const bool direct = type.starts_with("Direct");
  const auto* kind = std::ranges::find(kinds, std::string_view(type).substr(direct ? 6 : 0),
                                       &std::pair<std::string_view, std::string_view>::first);
  if (kind == std::end(kinds)) return {};
  ordered_json out = {{"name", object.name}, {"kind", kind->second}};
  if (!direct) out["size"] = number(object, "size", 1);
  if (kind->second == "register") {
    out["fields"] =
        fields_of(*object.type->type_arguments.at(0), behind_pipe(object.name) + ".", "f1");
    out["initial"] = ordered_json::array();
    if (const Expr* e = object.argument("initial_value")) put_initial(out["initial"], *e);
  } else if (kind->second == "counter" || kind->second == "meter") {
    out["counts"] = counted(object);
  }
  return out;
}

ordered_json table_of(const Program& program, const p4lang::Block& block, const Table& table) {
  ordered_json out = {{"name", table.name},
                      {"size", table.size.value_or(table_entries)},
                      {"keys", ordered_json::array()},
                      {"actions", ordered_json::array()},
                      {"const_default", table.const_default},
                      {"const_entries", table.const_entries},
                      {"entries", table.entries.size()},
                      {"direct", ordered_json::array()},
                      {"idle", table.find("idle_timeout") != nullptr}};
  for (const p4lang::Key& key : table.keys) {
    if (key.match_kind == "selector") continue;
    ordered_json field = field_of(key.name, *key.value.type);
    const bool known = key.match_kind == "ternary" || key.match_kind == "lpm" ||
                       key.match_kind == "range" || key.match_kind == "optional";
    field["match"] = known ? key.match_kind : "exact";
    out["keys"].push_back(std::move(field));
  }
  for (const p4lang::TableAction& action : table.actions) {
    const p4lang::Function& function = block.functions.at(action.function);
    ordered_json data = ordered_json::array();
    for (std::size_t i = action.bound.size(); i < function.parameters.size(); ++i) {
      const p4lang::Variable& v = block.variables.at(function.parameters[i]);
      const std::size_t dot = v.name.rfind('.');
      data.push_back(field_of(dot == std::string::npos ? v.name : v.name.substr(dot + 1), *v.type));
    }
    out["actions"].push_back({{"name", behind_pipe(action.name)},
                              {"data", std::move(data)},
                              {"default_only", action.default_only},
                              {"table_only", action.table_only}});
  }
  if (!table.actions.empty()) {
    ordered_json data = ordered_json::array();
    for (const Expr& e : table.default_action.arguments) put_initial(data, e);
    out["default"] = {{"action", behind_pipe(table.actions[table.default_action.action].name)},
                      {"data", std::move(data)}};
  }
  for (const p4lang::Property& p : table.properties) {
    const auto take = [&](const Expr& e) {
      if (e.kind != ExprKind::instance) return;
      const ExternObject& object = program.externs[e.index];
      if (p.name != "implementation") {
        if (!object_of(object).empty()) out["direct"].push_back(object.name);
        return;
      }
      out["profile"] = object.name;
      if (object.type->name != "ActionSelector") return;
      out["selector"] = object.name;
      for (const Expr& argument : object.arguments) {
        if (argument.kind == ExprKind::instance &&
            program.externs[argument.index].type->name == "ActionProfile")
          out["profile"] = program.externs[argument.index].name;
      }
    };
    take(p.value);
    for (const Expr& e : p.value.operands) take(e);
  }
  return out;
}

/// Profiles and selectors that tables have, each with one of them.
void put_implementations(ordered_json& out, const Program& program) {
  std::set<std::string> known;
  for (const ordered_json& table : out["tables"]) {
    for (const char* part : {"profile", "selector"}) {
      if (!table.contains(part)) continue;
      const std::string name = table[part];
      if (!known.insert(std::string(part) + name).second) continue;
      const auto object = std::ranges::find(program.externs, name, &ExternObject::name);
      const bool members = *part == 'p';
      const std::uint64_t size =
          number(*object, "size", number(*object, "num_groups", table_entries));
      out[members ? "profiles" : "selectors"].push_back(
          {{"name", name}, {"size", size}, {"table", table["name"]}});
    }
  }
}

}  // namespace

ordered_json script_view(const Program& program, const ControlPlane& control,
                         const std::string& name, bool tofino2, unsigned pipes) {
  ordered_json out = {{"program", name}, {"tofino2", tofino2}, {"pipes", pipes}};
  out["pipe_names"] = ordered_json::array();
  for (const p4lang::Pipe& pipe : program.pipes) out["pipe_names"].push_back(pipe.name);
  for (const char* kind : {"tables", "profiles", "selectors", "objects", "value_sets",
                           "port_metadata", "parameters", "digests"})
    out[kind] = ordered_json::array();
  const auto names = control.table_names();
  const std::set<std::string> applied(names.begin(), names.end());
  for (const p4lang::Block& block : program.blocks) {
    for (const Table& table : block.tables) {
      if (applied.contains(table.name)) out["tables"].push_back(table_of(program, block, table));
    }
    for (const p4lang::ValueSet& set : block.value_sets)
      out["value_sets"].push_back(
          {{"name", set.name}, {"size", set.size}, {"fields", fields_of(*set.type, "", "f1")}});
  }
  put_implementations(out, program);
  for (const ExternObject& object : program.externs) {
    if (ordered_json o = object_of(object); !o.empty()) out["objects"].push_back(std::move(o));
    if (object.type->name == "RegisterParam")
      out["parameters"].push_back(
          {{"name", object.name}, {"bits", p4lang::width_of(*object.type->type_arguments.at(0))}});
    if (object.type->name == "Digest") out["digests"].push_back(object.name);
  }
  for (const PortMetadata& metadata : port_metadata_of(program))
    out["port_metadata"].push_back(
        {{"name", metadata.name}, {"fields", fields_of(*metadata.type, "", "f1")}});
  return out;
}

}  // namespace horae::p4prog
