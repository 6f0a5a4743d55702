// Elaboration: operators, choices, casts.
#include <fmt/format.h>

#include "elaborator.hpp"
#include "fold.hpp"

namespace horae::p4lang {
namespace {

/// The bits of a serialisable enum, and other numbers as they are.
void as_bits(Expr& e, TypeTable& types) {
  if (e.type->kind != TypeKind::enumeration || e.type->width == 0) return;
  const Type* bits = e.type->is_signed ? types.signed_bit(e.type->width) : types.bit(e.type->width);
  if (e.kind == ExprKind::constant) {
    e.type = bits;
    return;
  }
  Expr cast;
  cast.kind = ExprKind::cast;
  cast.type = bits;
  cast.place = e.place;
  cast.operands.push_back(std::move(e));
  e = std::move(cast);
}

bool comparable(const Type& type) {
  return type.kind != TypeKind::extern_object && type.kind != TypeKind::none &&
         type.kind != TypeKind::table_result && type.kind != TypeKind::text;
}

bool cast_allowed(const Expr& from, const Type& to) {
  const Type& type = *from.type;
  if (&type == &to || type.kind == TypeKind::any) return true;
  if (to.kind == TypeKind::boolean)
    return (type.kind == TypeKind::bit && type.width == 1) ||
           (type.kind == TypeKind::integer && fits(from.value, to));
  if (to.kind == TypeKind::integer) return from.kind == ExprKind::constant && is_number(type);
  if (to.kind == TypeKind::enumeration && to.width > 0)
    return type.kind == TypeKind::integer || (is_bits(type) && type.width == to.width);
  if (!is_bits(to)) return false;
  if (type.kind == TypeKind::boolean) return to.kind == TypeKind::bit && to.width == 1;
  if (type.kind == TypeKind::integer) return true;
  const bool is_enum = type.kind == TypeKind::enumeration && type.width > 0;
  if (!is_bits(type) && !is_enum) return false;
  const bool is_signed = type.kind == TypeKind::signed_bit || (is_enum && type.is_signed);
  return is_signed == (to.kind == TypeKind::signed_bit) || type.width == to.width;
}

}  // namespace

/// The expression, or its value where its operands are constants.
Expr Elaborator::finish(Op op, const Type* type, Expr a, Expr b, const Place& place) {
  const bool one = b.type == nullptr;
  if (a.kind == ExprKind::constant && (one || b.kind == ExprKind::constant)) {
    std::string wrong;
    const auto value = folded(op, a, b, *type, wrong);
    if (!value) report_.refuse(place, fmt::format("'{}': {}", op_text(op), wrong));
    return constant_of(*value, type, place);
  }
  Expr out = make(one ? ExprKind::unary : ExprKind::binary, type, place);
  out.op = op;
  out.operands.push_back(std::move(a));
  if (!one) out.operands.push_back(std::move(b));
  return out;
}

Expr Elaborator::unary(const tree::Expr& node) {
  if (node.op == Op::logical_not)
    return finish(node.op, types_.boolean(), condition(*node.a), {}, node.place);
  Expr a = expr(*node.a);
  as_bits(a, types_);
  if (!is_number(*a.type) || (node.op == Op::complement && a.type->kind == TypeKind::integer))
    report_.refuse(node.place, fmt::format("found '{}' of {}, expected bits", op_text(node.op),
                                           type_text(*a.type)));
  const Type* type = a.type;
  return finish(node.op, type, std::move(a), {}, node.place);
}

Expr Elaborator::binary(const tree::Expr& node) {
  // Chains of one level lean to the left: they are taken in a loop, not one in another.
  std::vector<const tree::Expr*> chain;
  const tree::Expr* at = &node;
  for (; at->form == tree::Form::binary; at = at->a) chain.push_back(at);
  Expr out = expr(*at);
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) {
    Expr right = expr(*(*it)->b, out.type);
    out = binary_of((*it)->op, std::move(out), std::move(right), (*it)->place);
  }
  return out;
}

Expr Elaborator::binary_of(Op op, Expr a, Expr b, const Place& place) {
  switch (op) {
    case Op::logical_and:
    case Op::logical_or:
      return logical(op, std::move(a), std::move(b), place);
    case Op::shift_left:
    case Op::shift_right:
      return shift(op, std::move(a), std::move(b), place);
    case Op::concatenate:
      return concatenate(std::move(a), std::move(b), place);
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return compare(op, std::move(a), std::move(b), place);
    default:
      break;
  }
  as_bits(a, types_);
  as_bits(b, types_);
  balance(op, a, b, place);
  if (!is_number(*a.type))
    report_.refuse(place,
                   fmt::format("found '{}' of {}, expected bits", op_text(op), type_text(*a.type)));
  if ((op == Op::saturating_add || op == Op::saturating_subtract) &&
      a.type->kind == TypeKind::integer)
    report_.refuse(place, fmt::format("found '{}' of numbers without a width", op_text(op)));
  const Type* type = a.type;
  return finish(op, type, std::move(a), std::move(b), place);
}

/// Gives both operands one type: a number without a width takes the other's.
void Elaborator::balance(Op op, Expr& a, Expr& b, const Place& place) {
  if (a.type == b.type) return;
  const std::string what = fmt::format("an operand of '{}'", op_text(op));
  const bool a_bends = a.type->kind == TypeKind::integer || a.kind == ExprKind::list ||
                       a.kind == ExprKind::invalid || a.type->kind == TypeKind::any;
  const bool b_bends = b.type->kind == TypeKind::integer || b.kind == ExprKind::list ||
                       b.kind == ExprKind::invalid || b.type->kind == TypeKind::any;
  if (b_bends && converts(b, a.type)) {
    b = convert(std::move(b), a.type, what);
  } else if (a_bends && converts(a, b.type)) {
    a = convert(std::move(a), b.type, what);
  } else {
    report_.refuse(place, fmt::format("the operands of '{}' are {} and {}, expected equal types",
                                      op_text(op), type_text(*a.type), type_text(*b.type)));
  }
}

Expr Elaborator::logical(Op op, Expr a, Expr b, const Place& place) {
  const std::string what = fmt::format("an operand of '{}'", op_text(op));
  a = convert(std::move(a), types_.boolean(), what);
  b = convert(std::move(b), types_.boolean(), what);
  // A constant that decides alone, or does not matter.
  if (a.kind == ExprKind::constant) {
    const bool decides = (a.value != 0) == (op == Op::logical_or);
    return decides ? a : b;
  }
  return finish(op, types_.boolean(), std::move(a), std::move(b), place);
}

Expr Elaborator::shift(Op op, Expr a, Expr b, const Place& place) {
  as_bits(a, types_);
  as_bits(b, types_);
  if (!is_number(*a.type) || !is_number(*b.type))
    report_.refuse(place, fmt::format("found '{}' of {} by {}, expected bits", op_text(op),
                                      type_text(*a.type), type_text(*b.type)));
  if (b.type->kind == TypeKind::signed_bit && b.kind != ExprKind::constant)
    report_.refuse(place, fmt::format("found a shift by {}, expected bit<N>", type_text(*b.type)));
  if (a.type->kind == TypeKind::integer && b.kind != ExprKind::constant)
    report_.refuse(place, "a number without a width is shifted by a value that is not known");
  if (b.kind == ExprKind::constant && b.value < 0)
    report_.refuse(place, fmt::format("'{}': a shift by less than zero", op_text(op)));
  const Type* type = a.type;
  return finish(op, type, std::move(a), std::move(b), place);
}

Expr Elaborator::concatenate(Expr a, Expr b, const Place& place) {
  as_bits(a, types_);
  as_bits(b, types_);
  if (a.type->kind == TypeKind::text && b.type->kind == TypeKind::text) {
    a.name += b.name;
    return a;
  }
  if (!is_bits(*a.type) || !is_bits(*b.type))
    report_.refuse(place, fmt::format("found '++' of {} and {}, expected bits of known widths",
                                      type_text(*a.type), type_text(*b.type)));
  const std::uint32_t width = a.type->width + b.type->width;
  if (width > 65536) report_.refuse(place, "'++': more than 65536 bits");
  const Type* type = a.type->kind == TypeKind::bit ? types_.bit(width) : types_.signed_bit(width);
  return finish(Op::concatenate, type, std::move(a), std::move(b), place);
}

Expr Elaborator::compare(Op op, Expr a, Expr b, const Place& place) {
  if (a.type != b.type) {
    as_bits(a, types_);
    as_bits(b, types_);
  }
  balance(op, a, b, place);
  const bool equality = op == Op::equal || op == Op::not_equal;
  if (!equality) as_bits(a, types_);
  if (!equality) as_bits(b, types_);
  if (equality ? !comparable(*a.type) : !is_number(*a.type))
    report_.refuse(place, fmt::format("found '{}' of {}, expected {}", op_text(op),
                                      type_text(*a.type), equality ? "values" : "numbers"));
  return finish(op, types_.boolean(), std::move(a), std::move(b), place);
}

Expr Elaborator::choice(const tree::Expr& node, const Type* expected) {
  Expr when = condition(*node.a);
  Expr yes = expr(*node.b, expected);
  Expr no = expr(*node.c, expected);
  if (expected != nullptr && yes.type->kind == TypeKind::integer &&
      no.type->kind == TypeKind::integer) {
    yes = convert(std::move(yes), expected, "a choice");
    no = convert(std::move(no), expected, "a choice");
  }
  if (yes.type != no.type) {
    as_bits(yes, types_);
    as_bits(no, types_);
  }
  balance(Op::none, yes, no, node.place);
  if (when.kind == ExprKind::constant) return when.value != 0 ? yes : no;
  if (yes.type->kind == TypeKind::integer)
    report_.refuse(node.place, "both sides of '?:' are numbers without a width");
  Expr out = make(ExprKind::choice, yes.type, node.place);
  out.operands.push_back(std::move(when));
  out.operands.push_back(std::move(yes));
  out.operands.push_back(std::move(no));
  return out;
}

Expr Elaborator::cast(const tree::Expr& node) {
  const Type* to = type(*node.type);
  Expr from = expr(*node.a, to);
  if (converts(from, to) && !is_number(*from.type)) {
    Expr out = convert(std::move(from), to, "a cast");
    out.place = node.place;
    return out;
  }
  if (!cast_allowed(from, *to)) {
    const bool both = is_bits(*from.type) && is_bits(*to);
    report_.refuse(node.place,
                   fmt::format("a cast from {} to {} is not allowed{}", type_text(*from.type),
                               type_text(*to), both ? ": sign and width change at once" : ""));
  }
  if (from.type == to) return from;
  if (from.kind == ExprKind::constant) return constant_of(wrapped(from.value, *to), to, node.place);
  Expr out = make(ExprKind::cast, to, node.place);
  out.operands.push_back(std::move(from));
  return out;
}

}  // namespace horae::p4lang
