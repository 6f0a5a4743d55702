// Metadata of ports: the phase-0 table of an ingress parser.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/script_view.hpp"
#include "objects_by_name.hpp"

namespace horae::p4prog {

namespace {

using p4lang::Expr;
using p4lang::Stmt;

const p4lang::Type* unpacked(const Expr& e) {
  if (e.callee == p4lang::Callee::extern_function && e.name == "port_metadata_unpack")
    return e.type;
  for (const Expr& operand : e.operands) {
    if (const auto* type = unpacked(operand)) return type;
  }
  return nullptr;
}

const p4lang::Type* unpacked(const std::vector<Stmt>& statements) {
  for (const Stmt& s : statements) {
    if (const auto* type = unpacked(s.value)) return type;
    if (const auto* type = unpacked(s.body)) return type;
    if (const auto* type = unpacked(s.otherwise)) return type;
  }
  return nullptr;
}

}  // namespace

std::vector<PortMetadata> port_metadata_of(const p4lang::Program& program) {
  std::vector<PortMetadata> out;
  for (const p4lang::Block& block : program.blocks) {
    for (const p4lang::State& state : block.states) {
      const auto* type = unpacked(state.statements);
      if (type == nullptr || p4lang::width_of(*type) == 0) continue;
      out.push_back({block.name + ".$PORT_METADATA", type});
      break;
    }
  }
  return out;
}

std::vector<std::uint8_t> ControlPlane::port_metadata(std::string_view parser,
                                                      const std::vector<NamedValue>& given) const {
  const auto all = port_metadata_of(program_);
  if (all.empty()) throw InputError("no parser takes metadata of ports (port_metadata_unpack)");
  std::vector<std::string> names, fields;
  for (const PortMetadata& m : all) names.push_back(m.name.substr(0, m.name.rfind('.')));
  if (parser.ends_with(".$PORT_METADATA")) parser.remove_suffix(15);
  if (parser.empty() && all.size() > 1)
    throw InputError(fmt::format("parser of port metadata may be {} or {}", names[0], names[1]));
  const PortMetadata& metadata = all[parser.empty() ? 0 : find_name("parser", parser, names)];
  const auto& of = metadata.type->fields;
  std::vector<std::vector<std::uint64_t>> values;
  for (const p4lang::Field& field : of) {
    fields.push_back(field.name);
    values.push_back(number_of("0", p4lang::width_of(*field.type), field.type));
  }
  for (const NamedValue& value : given) {
    const std::size_t i = find_name("field of " + metadata.name, value.name, fields);
    try {
      values[i] = number_of(value.value, p4lang::width_of(*of[i].type), of[i].type);
    } catch (const InputError& e) {
      throw InputError(fmt::format("{} of {}: {}", fields[i], metadata.name, e.what()));
    }
  }
  // One behind the other, the first field highest.
  dataplane::BitString bits;
  for (std::size_t i = 0; i < of.size(); ++i) bits.append(values[i], p4lang::width_of(*of[i].type));
  if (bits.bits() % 8 != 0) bits.append(0, 8 - bits.bits() % 8);
  std::vector<std::uint8_t> out;
  for (std::uint32_t at = 0; at < bits.bits(); at += 8)
    out.push_back(static_cast<std::uint8_t>(bits.at(at, 8)));
  return out;
}

}  // namespace horae::p4prog
