#include "p4_listing.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace horae::cli {
namespace {

using nlohmann::ordered_json;
using p4lang::Block;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::ExternObject;
using p4lang::Program;
using p4lang::Table;

bool is_register(const ExternObject& object) {
  return object.type->name == "Register" || object.type->name == "DirectRegister";
}

/// A constant as P4 would have it: a number, a member's name, another object's name.
std::string value_text(const Expr& e, const Program& program) {
  if (e.kind == ExprKind::text) return e.name;
  if (e.kind == ExprKind::instance) return program.externs[e.index].name;
  if (e.kind == ExprKind::list) {
    std::string out;
    for (const Expr& part : e.operands)
      out += (out.empty() ? "" : ", ") + value_text(part, program);
    return "{" + out + "}";
  }
  if (e.kind != ExprKind::constant) return "";
  if (e.type->kind == p4lang::TypeKind::boolean) return e.value != 0 ? "true" : "false";
  for (const auto& member : e.type->members) {
    if (member.value == e.value) return member.name;
  }
  return e.value.str();
}

ordered_json keys_of(const Table& table) {
  auto out = ordered_json::array();
  for (const auto& key : table.keys)
    out.push_back({{"name", key.name},
                   {"match_kind", key.match_kind},
                   {"bits", p4lang::width_of(*key.value.type)}});
  return out;
}

ordered_json table_of(const Table& table, const Program& program) {
  ordered_json out = {{"name", table.name}, {"place", program.place_text(table.place)}};
  out["keys"] = keys_of(table);
  out["actions"] = ordered_json::array();
  for (const auto& action : table.actions) out["actions"].push_back(action.name);
  out["default_action"] =
      table.actions.empty() ? "" : table.actions[table.default_action.action].name;
  out["size"] = table.size ? ordered_json(*table.size) : ordered_json();
  out["entries"] = table.entries.size();
  out["properties"] = ordered_json::object();
  for (const auto& p : table.properties) out["properties"][p.name] = value_text(p.value, program);
  return out;
}

ordered_json block_of(const Block& block, const Program& program) {
  ordered_json out = {{"role", block.role},
                      {"name", block.name},
                      {"kind", block.kind == p4lang::BlockKind::parser ? "parser" : "control"},
                      {"place", program.place_text(block.place)}};
  if (block.kind == p4lang::BlockKind::parser) out["states"] = block.states.size();
  if (!block.value_sets.empty()) out["value_sets"] = ordered_json::array();
  for (const auto& set : block.value_sets)
    out["value_sets"].push_back({{"name", set.name}, {"size", set.size}});
  out["tables"] = ordered_json::array();
  for (const auto& table : block.tables) out["tables"].push_back(table_of(table, program));
  return out;
}

ordered_json object_of(const ExternObject& object, const Program& program) {
  ordered_json out = {{"name", object.name},
                      {"type", p4lang::type_text(*object.type)},
                      {"place", program.place_text(object.place)}};
  if (is_register(object)) {
    const Expr* size = object.argument("size");
    out["cell_bits"] = p4lang::width_of(*object.type->type_arguments.at(0));
    out["cells"] = size == nullptr ? ordered_json() : ordered_json::parse(size->value.str());
    return out;
  }
  out["arguments"] = ordered_json::object();
  for (const auto& parameter : object.parameters) {
    if (const Expr* e = object.argument(parameter))
      out["arguments"][parameter] = value_text(*e, program);
  }
  return out;
}

/// "1 table", "2 tables".
std::string counted(std::size_t n, const std::string& what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// Rows with columns of one width each.
std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format(" {:<{}}", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string keys_text(const ordered_json& keys) {
  std::string out;
  for (const auto& key : keys) {
    out += fmt::format("{}{}/{}b", out.empty() ? "" : " ", key["match_kind"].get<std::string>(),
                       key["bits"].get<unsigned>());
  }
  return out.empty() ? "no key" : out;
}

std::string tables_text(const ordered_json& listing) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& block : listing["blocks"]) {
    for (const auto& table : block["tables"]) {
      rows.push_back(
          {table["name"], keys_text(table["keys"]), counted(table["actions"].size(), "action"),
           table["size"].is_null() ? "size not given"
                                   : fmt::format("size {}", table["size"].dump()),
           table["entries"] == 0 ? "" : fmt::format("entries {}", table["entries"].dump()),
           "default " + table["default_action"].get<std::string>()});
    }
  }
  return rows.empty() ? "" : "tables\n" + columns(rows);
}

std::string blocks_text(const ordered_json& listing) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& pipe : listing["pipes"]) {
    for (const auto& index : pipe["blocks"]) {
      const auto& block = listing["blocks"][index.get<std::size_t>()];
      rows.push_back({pipe["name"], block["role"], block["kind"], block["name"],
                      block.contains("states") ? counted(block["states"], "state")
                                               : counted(block["tables"].size(), "table")});
    }
  }
  return "parsers and controls\n" + columns(rows);
}

std::string objects_text(const ordered_json& listing) {
  std::vector<std::vector<std::string>> registers;
  for (const auto& r : listing["registers"])
    registers.push_back({r["name"], r["type"], fmt::format("{} bits a cell", r["cell_bits"].dump()),
                         r["cells"].is_null() ? "a cell for each entry"
                                              : fmt::format("{} cells", r["cells"].dump())});
  std::vector<std::vector<std::string>> externs;
  for (const auto& e : listing["externs"]) {
    std::string arguments;
    for (const auto& [name, value] : e["arguments"].items())
      arguments +=
          fmt::format("{}{} {}", arguments.empty() ? "" : ", ", name, value.get<std::string>());
    externs.push_back({e["name"], e["type"], arguments});
  }
  std::string out;
  if (!registers.empty()) out += "registers\n" + columns(registers);
  if (!externs.empty()) out += "other extern objects\n" + columns(externs);
  return out;
}

}  // namespace

nlohmann::ordered_json p4_faults(const std::vector<p4lang::Fault>& faults) {
  auto out = ordered_json::array();
  for (const auto& f : faults)
    out.push_back(
        {{"file", f.file}, {"line", f.line}, {"column", f.column}, {"message", f.message}});
  return out;
}

nlohmann::ordered_json p4_listing(const Program& program) {
  ordered_json out = {{"architecture", program.architecture}, {"package", program.package}};
  for (const char* list : {"pipes", "blocks", "registers", "externs"})
    out[list] = ordered_json::array();
  for (const auto& pipe : program.pipes)
    out["pipes"].push_back({{"name", pipe.name}, {"blocks", pipe.blocks}});
  for (const auto& block : program.blocks) out["blocks"].push_back(block_of(block, program));
  for (const auto& object : program.externs)
    out[is_register(object) ? "registers" : "externs"].push_back(object_of(object, program));
  out["warnings"] = p4_faults(program.warnings);
  return out;
}

std::string p4_listing_text(const ordered_json& listing, const std::string& file,
                            const std::string& target) {
  std::size_t tables = 0;
  for (const auto& block : listing["blocks"]) tables += block["tables"].size();
  std::string out =
      fmt::format("{}: {} for {}: {} parsers and controls, {}, {}, {}\n", file,
                  listing["architecture"].get<std::string>(), target, listing["blocks"].size(),
                  counted(tables, "table"), counted(listing["registers"].size(), "register"),
                  counted(listing["externs"].size(), "other extern object"));
  return out + blocks_text(listing) + tables_text(listing) + objects_text(listing);
}

}  // namespace horae::cli
