#include "chip_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "objects/names.hpp"

namespace horae::p4price {
namespace {

using dataplane::Resource;
using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Op;
using p4lang::Program;
using p4lang::Stmt;
using p4lang::StmtKind;

constexpr std::uint32_t widest_container = 32;  ///< bits; p4c bf-p4c/mau/instruction_selection.cpp

[[noreturn]] void refuse(const Program& program, const p4lang::Place& place,
                         const std::string& text) {
  throw InputError(program.place_text(place) + ": " + text);
}

bool is_power_of_two(const Expr& e) {
  const Expr* value = &e;
  while (value->kind == ExprKind::cast) value = &value->operands[0];
  return value->kind == ExprKind::constant && value->value > 0 &&
         (value->value & (value->value - 1)) == 0;
}

/// Why no ALU of the stages does an operation, and what would do (p4c instruction_selection.cpp,
/// midend/compileTimeOps.h; powers of two become shifts and masks before). Empty: one does.
std::string operation_refused(const Expr& e) {
  if (e.kind != ExprKind::binary) return {};
  switch (e.op) {
    case Op::shift_left:
    case Op::shift_right:
      if (is_constant(e.operands[1])) return {};
      return "found a shift by a value of the packet, expected a constant number of bits; match "
             "the "
             "amount in a table with an action for each";
    case Op::multiply:
      if (is_power_of_two(e.operands[0]) || is_power_of_two(e.operands[1])) return {};
      return "found *, expected a power of two as one of its sides; add shifted values, or look "
             "the "
             "product up in a table";
    case Op::divide:
    case Op::modulo:
      if (is_power_of_two(e.operands[1])) return {};
      return fmt::format(
          "found {}, expected a power of two as its right side; look the result up in a table",
          e.op == Op::divide ? "/" : "%");
    case Op::saturating_add:
    case Op::saturating_subtract:
      if (width_of(*e.type) <= widest_container) return {};
      return fmt::format(
          "found {} bits in a saturating operation, expected at most {}, a container; "
          "split the value and carry in an action of its own",
          width_of(*e.type), widest_container);
    default:
      return {};
  }
}

/// Whether a value is the same for all packets of an entry.
bool of_the_entry(const Expr& e, const PieceAction& action) {
  if (e.kind == ExprKind::variable)
    return std::ranges::find(action.data, e.index) != action.data.end();
  if (e.kind == ExprKind::call) return false;
  return std::ranges::all_of(e.operands,
                             [&](const Expr& part) { return of_the_entry(part, action); });
}

void check_operations(const Program& program, const Expr& e, const p4lang::Place& place,
                      const PieceAction& action) {
  const p4lang::Place& where = e.place.line != 0 ? e.place : place;
  if (const std::string why = operation_refused(e); !why.empty()) refuse(program, where, why);
  if (e.kind == ExprKind::choice && !of_the_entry(e.operands[0], action))
    refuse(program, e.operands[0].place.line != 0 ? e.operands[0].place : where,
           "found a condition on the packet within an action, expected one on the action's data "
           "alone; test it in the apply block, or match it");
  for (const Expr& part : e.operands) check_operations(program, part, place, action);
}

/// Bytes that so many bits take at least, however fields lie in containers.
std::int64_t bytes_of_fields(const std::vector<Use>& uses) {
  std::map<std::string, std::set<std::uint32_t>> bits;
  for (const Use& u : uses)
    for (std::uint32_t b = u.bits.low; b <= u.bits.high; ++b) bits[u.bits.field].insert(b);
  std::size_t sum = 0;
  for (const auto& [field, of] : bits) sum += of.size();
  return static_cast<std::int64_t>((sum + 7) / 8);
}

void check_actions(const Program& program, const Piece& piece, const dataplane::ChipSpec& chip) {
  std::int64_t working = 0;
  for (const auto& action : piece.actions) {
    working += action.writes.empty() ? 0 : 1;
    for (const Stmt& s : action.statements) check_operations(program, s.value, s.place, action);
    for (const auto& e : action.externs) {
      const std::int64_t bytes = bytes_of_fields(e.index_reads);
      const std::int64_t most = chip.capacity(Resource::exact_xbar);
      if (bytes > most)
        refuse(
            program, e.place,
            fmt::format("found a hash over {} bytes, expected at most {}, which the crossbar of a "
                        "stage brings; hash in two stages, the second time with the first result",
                        bytes, most));
    }
  }
  constexpr std::int64_t colours = 2;  // instructions of a word, p4c instruction_memory.cpp
  const std::int64_t most = colours * chip.capacity(Resource::vliw);
  if (working > most)
    refuse(program, piece.place,
           fmt::format("found {} actions that write, expected at most {}, the instructions of a "
                       "stage; give values as action data, or use two tables",
                       working, most));
}

void check_key(const Program& program, const p4lang::Block& block, const Piece& piece,
               const dataplane::ChipSpec& chip) {
  const auto& keys = block.tables.at(piece.table).keys;
  const bool masked = std::ranges::any_of(keys, [](const auto& key) {
    return key.match_kind == "ternary" || key.match_kind == "lpm" || key.match_kind == "range" ||
           key.match_kind == "optional";
  });
  const std::int64_t bytes = bytes_of_fields(piece.key_reads);
  const std::int64_t most = chip.capacity(masked ? Resource::ternary_xbar : Resource::exact_xbar);
  if (bytes <= most) return;
  refuse(
      program, piece.place,
      fmt::format("found a key of {} bytes{}, expected at most {}, which the crossbar of a stage "
                  "brings; {}",
                  bytes, masked ? " under masks" : "", most,
                  masked ? "match a part in a table before it" : "match a hash of the key"));
}

}  // namespace

void check_pieces(const Program& program, const p4lang::Block& block,
                  const std::vector<Piece>& pieces, const dataplane::ChipSpec& chip) {
  for (const Piece& piece : pieces) {
    if (piece.dead) continue;
    check_actions(program, piece, chip);
    if (piece.kind == PieceKind::match) check_key(program, block, piece, chip);
  }
}

void check_depth(const Program& program, const GressBlocks& blocks,
                 const dataplane::ChipSpec& chip) {
  // p4c bf-p4c/specs/parde_spec.h: egress of Tofino; the others have no such bound.
  constexpr std::uint64_t most_bytes = 160;
  if (blocks.parser == nullptr || blocks.gress != dataplane::Gress::egress ||
      chip.name != "tofino1")
    return;
  const auto& states = blocks.parser->states;
  const auto bits_in = [&](const auto& self, const Expr& e) -> std::uint64_t {
    std::uint64_t bits = 0;
    if (e.kind == ExprKind::call && e.callee == Callee::extract && !e.operands.empty())
      bits += width_of(*e.operands[0].type);
    if (e.kind == ExprKind::call && e.callee == Callee::advance &&
        e.operands[0].kind == ExprKind::constant)
      bits += static_cast<std::uint64_t>(e.operands[0].value);
    for (const Expr& part : e.operands) bits += self(self, part);
    return bits;
  };
  std::vector<std::optional<std::uint64_t>> longest(states.size());
  std::vector<bool> open(states.size(), false);
  // A loop counts as one round: a bound that no packet of the program is below.
  const auto behind = [&](const auto& self, std::uint32_t at) -> std::uint64_t {
    if (at >= states.size() || open[at]) return 0;
    if (longest[at]) return *longest[at];
    open[at] = true;
    std::uint64_t bits = 0, rest = 0;
    for (const Stmt& s : states[at].statements) bits += bits_in(bits_in, s.value);
    for (const auto& c : states[at].cases) rest = std::max(rest, self(self, c.next));
    open[at] = false;
    longest[at] = bits + rest;
    return bits + rest;
  };
  const std::uint64_t bytes = states.empty() ? 0 : behind(behind, 0) / 8;
  if (bytes > most_bytes)
    refuse(program, blocks.parser->place,
           fmt::format("found a path of {} bytes through the egress parser, expected at most {}; "
                       "extract less, or parse it in ingress",
                       bytes, most_bytes));
}

}  // namespace horae::p4price
