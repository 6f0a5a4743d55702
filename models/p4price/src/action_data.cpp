#include "action_data.hpp"

#include <algorithm>

#include "steps/values.hpp"

namespace horae::p4price {
namespace {

using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Stmt;
using p4lang::StmtKind;

/// p4c mau/action_analysis.h: CONST_SRC_MAX, JBAY_CONST_SRC_MIN (where some containers are set as a
/// whole), LOADCONST_MAX, in bits.
constexpr std::uint32_t source_bits = 3, least_source_bits = 2, load_bits = 21;

bool uses_variable(const Expr& e, std::uint32_t variable) {
  if (e.kind == ExprKind::variable) return e.index == variable;
  return std::ranges::any_of(e.operands,
                             [&](const Expr& part) { return uses_variable(part, variable); });
}

/// Bits of the widest container that a value of so many bits takes in action data.
std::uint32_t slot_of(std::uint32_t bits) {
  if (bits <= 8) return 8;
  if (bits <= 16) return 16;
  const std::uint32_t words = bits / 32 * 32, rest = bits % 32;
  return words + (rest == 0 ? 0 : rest <= 8 ? 8 : rest <= 16 ? 16 : 32);
}

}  // namespace

ActionDataRules::ActionDataRules(const p4lang::Program& program, const p4lang::Block& block,
                                 const std::vector<Piece>& pieces, const dataplane::ChipSpec& chip)
    : program_(program), block_(block), validity_(block, pieces, chip) {
  set_whole_ =
      std::ranges::any_of(chip.phv.mocha, [](std::uint32_t containers) { return containers > 0; });
  for (const Piece& piece : pieces) {
    if (piece.dead) continue;
    for (const auto& action : piece.actions) {
      find_bytes(action);
      for (const Stmt& s : action.statements) {
        if (s.kind != StmtKind::assign ||
            (s.target.kind != ExprKind::slice && is_plain(s.value, block)))
          continue;
        for (const Bits& b : bits_of_lvalue(s.target, block)) computed_.insert(b.field);
      }
    }
  }
}

void ActionDataRules::find_bytes(const PieceAction& action) {
  constexpr std::uint32_t byte = 8, word = 32;
  for (const Use& u : action.reads) {
    if (u.bits.low % byte == 0 && u.bits.high - u.bits.low + 1 == byte)
      bytes_[u.bits.field].insert(u.bits.low);
  }
  for (const Stmt& s : action.statements) {
    if (s.kind != StmtKind::assign || s.target.kind != ExprKind::field) continue;
    const p4lang::Type& header = *s.target.operands[0].type;
    if (header.kind != p4lang::TypeKind::header) continue;
    std::uint32_t at = 0;
    for (std::uint32_t i = 0; i < s.target.index; ++i) at += width_of(*header.fields[i].type);
    if (at % word != 0) in_headers_.insert(name_of(s.value, block_));
  }
}

/// Bits of a parameter that have containers of 8 bits beside one of 32 for the rest.
std::uint32_t ActionDataRules::bytes_apart(const PieceAction& action, std::uint32_t v) const {
  constexpr std::uint32_t byte = 8, word = 32;
  const std::uint32_t width = width_of(*block_.variables.at(v).type);
  if (width <= word / 2 || width > word) return 0;
  for (const Stmt& s : action.statements) {
    if (s.kind != StmtKind::assign || s.value.kind != ExprKind::variable || s.value.index != v)
      continue;
    const std::string to = name_of(s.target, block_);
    const auto found = bytes_.find(to);
    if (found == bytes_.end() || in_headers_.contains(to)) continue;
    const auto bits = static_cast<std::uint32_t>(byte * found->second.size());
    if (bits < width) return bits;
  }
  return 0;
}

/// Whether a value is used as a stateful object's index alone: it is the pointer of the entry.
bool ActionDataRules::only_index(const Expr& e, std::uint32_t v) const {
  if (e.kind == ExprKind::call && e.callee == p4lang::Callee::extern_method &&
      !e.operands.empty() && program_.externs.at(e.index).type->name != "Hash")
    return uses_variable(e.operands[0], v);
  return std::ranges::any_of(e.operands, [&](const Expr& part) { return only_index(part, v); });
}

DataBits ActionDataRules::parameters(const PieceAction& action) const {
  DataBits out;
  for (const std::uint32_t v : action.data) {
    const bool used = std::ranges::any_of(action.statements, [&](const Stmt& s) {
      return uses_variable(s.value, v) || uses_variable(s.target, v);
    });
    const bool index = std::ranges::any_of(action.statements,
                                           [&](const Stmt& s) { return only_index(s.value, v); });
    if (!used || index) continue;
    const std::uint32_t width = width_of(*block_.variables.at(v).type);
    const std::uint32_t apart = bytes_apart(action, v);
    out.bits += width;
    out.slots += apart > 0 ? apart + slot_of(32) : slot_of(width);
    out.narrow += apart;
  }
  return out;
}

DataBits ActionDataRules::constant(const Stmt& s) const {
  if (s.value.kind != ExprKind::constant) return {};
  const auto bits = bits_of_lvalue(s.target, block_);
  const std::uint32_t width = width_of(*s.target.type);
  if (bits.size() != 1 || width > 32 || s.value.value < 0) return {};
  auto value = static_cast<std::uint64_t>(s.value.value);
  const std::uint64_t all = (std::uint64_t{1} << width) - 1;
  const std::uint32_t below = 1u << (set_whole_ ? least_source_bits : source_bits);
  // A part of a container is put in its place by a rotation, which shifts the constant as well.
  while (s.target.kind == ExprKind::slice && value > 0 && value % 2 == 0) value /= 2;
  if (value < 1u << source_bits || value + below > all) return {};
  const bool whole = s.target.kind != ExprKind::slice && (width == 8 || width == 16 || width == 32);
  const bool loads = whole && !(set_whole_ && !computed_.contains(bits[0].field));
  if (loads && value < std::uint64_t{1} << load_bits) return {};
  return {width, slot_of(width)};
}

DataBits ActionDataRules::constants(const PieceAction& action) const {
  DataBits out;
  for (const Stmt& s : action.statements) {
    if (s.kind != StmtKind::assign) continue;
    const DataBits one = constant(s);
    out.bits += one.bits;
    out.slots += one.slots;
  }
  const std::uint32_t valid = validity_.data_bits(action);
  return {out.bits + valid, out.slots + valid};
}

}  // namespace horae::p4price
