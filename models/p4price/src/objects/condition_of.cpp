#include "condition_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "horae/dataplane/price/price.hpp"

namespace horae::p4price {
namespace {

using dataplane::ConditionKind;
using dataplane::ConditionSpec;
using dataplane::Join;
using p4lang::Callee;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Op;

/// One comparison of a condition.
struct Term {
  ConditionKind kind = ConditionKind::bit;
  std::uint32_t bits = 1;
  std::uint64_t constant = 0;
};

struct Terms {
  std::vector<Term> all;
  bool any_and = false, any_or = false;
  bool odd = false;  ///< something that is no comparison
};

bool is_order(Op op) {
  return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal;
}

/// Bits that a side of a comparison needs: of a masked one those under the mask.
std::uint32_t compared_bits(const Expr& e) {
  if (e.kind == ExprKind::binary && e.op == Op::bit_and) {
    for (const Expr& side : e.operands) {
      if (side.kind != ExprKind::constant) continue;
      std::uint32_t bits = 0;
      for (p4lang::Integer mask = side.value; mask > 0; mask >>= 1) bits += (mask & 1) != 0 ? 1 : 0;
      return std::max(1u, bits);
    }
  }
  if (e.kind == ExprKind::cast) return std::min(width_of(*e.type), compared_bits(e.operands[0]));
  return std::max(1u, width_of(*e.type));
}

Term comparison(const Expr& e) {
  const bool constant_left = e.operands[0].kind == ExprKind::constant;
  const Expr& field = e.operands[constant_left ? 1 : 0];
  const Expr& other = e.operands[constant_left ? 0 : 1];
  Term term;
  term.bits = compared_bits(field);
  const bool with_constant = other.kind == ExprKind::constant;
  if (!is_order(e.op)) {
    term.kind = !with_constant      ? ConditionKind::field_eq
                : e.op == Op::equal ? ConditionKind::eq
                                    : ConditionKind::ne;
    if (with_constant && term.bits == 1) term.kind = ConditionKind::bit;
    return term;
  }
  term.kind = with_constant ? ConditionKind::lt : ConditionKind::field_lt;
  if (!with_constant) return term;
  // a <= c is a < c + 1; c < a is not a < c + 1.
  const bool plus_one = constant_left ? (e.op == Op::less || e.op == Op::greater_equal)
                                      : (e.op == Op::less_equal || e.op == Op::greater);
  p4lang::Integer bound = other.value + (plus_one ? 1 : 0);
  const bool is_signed = field.type->kind == p4lang::TypeKind::signed_bit;
  if (is_signed && bound == 0) return {ConditionKind::bit, 1, 0};
  if (bound == 1 && !is_signed) return {ConditionKind::eq, term.bits, 0};  // below one: zero
  if (bound < 0) bound = -bound;
  term.constant = bound > ~std::uint64_t{0} ? ~std::uint64_t{0} : static_cast<std::uint64_t>(bound);
  return term;
}

void collect(const Expr& e, Terms& out, bool negated) {
  if (e.kind == ExprKind::cast && e.operands.size() == 1 && width_of(*e.type) == 1)
    return collect(e.operands[0], out, negated);
  if (e.kind == ExprKind::unary && e.op == Op::logical_not)
    return collect(e.operands[0], out, !negated);
  if (e.kind == ExprKind::binary && (e.op == Op::logical_and || e.op == Op::logical_or)) {
    ((e.op == Op::logical_and) != negated ? out.any_and : out.any_or) = true;
    for (const Expr& side : e.operands) collect(side, out, negated);
    return;
  }
  if (e.kind == ExprKind::call && e.callee == Callee::is_valid) {
    out.all.push_back({ConditionKind::valid, 1, 0});
    return;
  }
  if (e.kind == ExprKind::binary &&
      (is_order(e.op) || e.op == Op::equal || e.op == Op::not_equal)) {
    Term term = comparison(e);
    if (negated && term.kind == ConditionKind::eq)
      term.kind = ConditionKind::ne;
    else if (negated && term.kind == ConditionKind::ne)
      term.kind = ConditionKind::eq;
    out.all.push_back(term);
    return;
  }
  out.odd |= e.kind == ExprKind::binary || e.kind == ExprKind::choice;
  out.all.push_back({ConditionKind::bit, 1, 0});
}

/// A comparison of as many bits, which any gateway makes.
ConditionSpec of_width(std::uint64_t bits, const dataplane::ChipSpec& chip) {
  ConditionSpec out;
  out.kind = ConditionKind::eq;
  const std::uint64_t most = 8 * chip.gateway.search_bytes + chip.gateway.hash_bits;
  out.bits = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bits, 1, most));
  return out;
}

}  // namespace

GatewayCondition condition_of(const Expr& condition, std::size_t cases,
                              const dataplane::ChipSpec& chip) {
  GatewayCondition out;
  if (cases > 0) {
    out.spec.kind = ConditionKind::eq;
    out.spec.bits = std::clamp(width_of(*condition.type), 1u, 32u);
    out.spec.terms = static_cast<std::uint32_t>(std::clamp<std::size_t>(cases, 1, 64));
    out.spec.join = Join::any;
    return out;
  }
  Terms terms;
  collect(condition, terms, false);
  const Term& first = terms.all.front();
  std::uint64_t sum = 0;
  for (const Term& t : terms.all) sum += t.bits;
  const bool alike = std::ranges::all_of(terms.all, [&](const Term& t) {
    return t.kind == first.kind && t.bits == first.bits && t.constant == first.constant;
  });
  const auto n = static_cast<std::uint32_t>(terms.all.size());
  const auto ordered = std::ranges::find_if(
      terms.all, [](const Term& t) { return t.kind == ConditionKind::field_lt; });
  if (ordered != terms.all.end()) {
    out.refused =
        "found < of two fields, expected one operand of a gateway's < to be constant; subtract in "
        "an action of its own and test the sign bit";
    return out;
  }
  if (!terms.odd && alike && n <= 64 && !(terms.any_and && terms.any_or)) {
    out.spec.kind = first.kind;
    out.spec.bits = first.bits;
    out.spec.terms = n;
    out.spec.join = terms.any_or ? Join::any : Join::all;
    out.spec.constant = first.kind == ConditionKind::lt ? first.constant : 0;
    const bool holds =
        first.kind != ConditionKind::lt || first.bits >= 64 || out.spec.constant >> first.bits == 0;
    const auto price = dataplane::price_condition(out.spec, chip);
    if (holds && price.refused.empty()) return out;
    if (holds && n == 1 && first.kind == ConditionKind::lt && first.bits > 12) {
      out.refused =
          fmt::format("found < of {} bits, {}; use {}", first.bits, price.refused, price.rewrite);
      return out;
    }
  }
  out.exact = false;
  out.spec = of_width(sum, chip);
  const std::uint64_t most = 8 * chip.gateway.search_bytes;
  if (terms.any_or && !terms.any_and && sum > most) {
    // In turn, a group of bytes each.
    std::uint32_t widest = 1;
    for (const Term& t : terms.all) widest = std::max(widest, t.bits);
    out.spec.bits = std::min(widest, static_cast<std::uint32_t>(most));
    out.spec.terms = std::min(n, 64u);
    out.spec.join = Join::any;
  }
  return out;
}

}  // namespace horae::p4price
