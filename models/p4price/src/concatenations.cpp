#include "concatenations.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "steps/values.hpp"

namespace horae::p4price {
namespace {

using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Op;
using p4lang::Stmt;
using p4lang::Type;
using p4lang::TypeKind;

/// bit<width>, which outlives all programs.
const Type& bits_type(std::uint32_t width) {
  static std::mutex mutex;
  static std::map<std::uint32_t, Type> types;
  const std::lock_guard lock(mutex);
  Type& type = types[width];
  type.kind = TypeKind::bit;
  type.width = width;
  return type;
}

bool is_bits(const Expr& e) { return e.type->kind == TypeKind::bit; }

bool is_bitwise(const Expr& e) {
  return e.kind == ExprKind::binary &&
         (e.op == Op::bit_and || e.op == Op::bit_or || e.op == Op::bit_xor);
}

/// Whether a value can be cut between any two of its bits.
bool is_divisible(const Expr& e) {
  switch (e.kind) {
    case ExprKind::constant:
    case ExprKind::variable:
    case ExprKind::field:
    case ExprKind::element:
      return is_bits(e);
    case ExprKind::slice:
      return is_divisible(e.operands[0]);
    case ExprKind::cast:
      return is_bits(e) && is_divisible(e.operands[0]);
    case ExprKind::binary:
      return (e.op == Op::concatenate || is_bitwise(e)) && is_divisible(e.operands[0]) &&
             is_divisible(e.operands[1]);
    default:
      return false;
  }
}

/// Bits `high` to `low` of a value that can be cut there.
Expr part_of(const Expr& e, std::uint32_t high, std::uint32_t low) {
  if (low == 0 && high + 1 == width_of(*e.type)) return e;
  if (e.kind == ExprKind::cast) {
    const std::uint32_t inner = width_of(*e.operands[0].type);
    if (high < inner) return part_of(e.operands[0], high, low);
    Expr zero = e;
    zero.kind = ExprKind::constant;
    zero.operands.clear();
    zero.value = 0;
    zero.type = &bits_type(high - low + 1);
    if (low >= inner) return zero;
  }
  if (e.kind == ExprKind::binary && e.op == Op::concatenate) {
    const std::uint32_t right = width_of(*e.operands[1].type);
    if (low >= right) return part_of(e.operands[0], high - right, low - right);
    if (high < right) return part_of(e.operands[1], high, low);
  }
  if (is_bitwise(e)) {
    Expr out = e;
    out.type = &bits_type(high - low + 1);
    for (Expr& part : out.operands) part = part_of(Expr(part), high, low);
    return out;
  }
  Expr out;
  out.kind = ExprKind::slice;
  out.type = &bits_type(high - low + 1);
  out.place = e.place;
  out.high = high;
  out.low = low;
  out.operands = {e};
  fold_slice(out);
  return out;
}

/// How many bits are below the outermost border of two parts.
std::optional<std::uint32_t> border_in(const Expr& e) {
  const std::uint32_t width = width_of(*e.type);
  if (e.kind == ExprKind::binary && e.op == Op::concatenate) return width_of(*e.operands[1].type);
  if (e.kind == ExprKind::cast) {
    const std::uint32_t inner = width_of(*e.operands[0].type);
    if (inner < width) return inner;
    const auto border = border_in(e.operands[0]);
    return border && *border < width ? border : std::nullopt;
  }
  if (e.kind == ExprKind::slice) {
    const auto border = border_in(e.operands[0]);
    return border && *border > e.low && *border <= e.high ? std::optional(*border - e.low)
                                                          : std::nullopt;
  }
  if (!is_bitwise(e)) return std::nullopt;
  const auto left = border_in(e.operands[0]);
  return left ? left : border_in(e.operands[1]);
}

void add_parts(const Stmt& s, std::vector<Stmt>& out) {
  const auto border = border_in(s.value);
  if (!border || *border == 0 || *border >= width_of(*s.value.type)) {
    out.push_back(s);
    return;
  }
  const std::uint32_t top = width_of(*s.value.type) - 1;
  for (const auto& [high, low] : {std::pair{top, *border}, std::pair{*border - 1, 0u}}) {
    Stmt part = s;
    part.target = part_of(s.target, high, low);
    part.value = part_of(s.value, high, low);
    add_parts(part, out);
  }
}

}  // namespace

std::vector<Stmt> by_parts(const Stmt& s) {
  std::vector<Stmt> out;
  if (s.kind == p4lang::StmtKind::assign && is_bits(s.target) && is_divisible(s.target) &&
      is_divisible(s.value) && width_of(*s.target.type) == width_of(*s.value.type))
    add_parts(s, out);
  else
    out.push_back(s);
  return out;
}

}  // namespace horae::p4price
