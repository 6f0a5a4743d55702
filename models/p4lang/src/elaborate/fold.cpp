#include "fold.hpp"

#include <array>

#include "text/number_text.hpp"

namespace horae::p4lang {
namespace {

Integer power_of_two(std::uint32_t bits) { return Integer(1) << bits; }

bool is_signed(const Type& type) {
  return type.kind == TypeKind::signed_bit ||
         (type.kind == TypeKind::enumeration && type.is_signed);
}

bool has_range(const Type& type) {
  return type.kind == TypeKind::bit || type.kind == TypeKind::signed_bit ||
         (type.kind == TypeKind::enumeration && type.width > 0);
}

Integer least_of(const Type& type) {
  return is_signed(type) ? Integer(-power_of_two(type.width - 1)) : Integer(0);
}
Integer most_of(const Type& type) {
  return power_of_two(is_signed(type) ? type.width - 1 : type.width) - 1;
}

/// The bits of a value in two's complement of a width.
Integer pattern(const Integer& value, std::uint32_t width) {
  if (value >= 0 && (value == 0 || boost::multiprecision::msb(value) < width)) return value;
  const Integer size = power_of_two(width);
  Integer rest = value % size;
  if (rest < 0) rest += size;
  return rest;
}

Integer saturated(const Integer& value, const Type& type) {
  if (value < least_of(type)) return least_of(type);
  return value > most_of(type) ? most_of(type) : value;
}

/// & | ^ of values that may be negative: of patterns one bit wider than both.
Integer bitwise(Op op, const Integer& a, const Integer& b) {
  std::uint32_t width = 2;
  for (const Integer& v : {a, b}) {
    const Integer size = abs(v);
    if (size > 0) width = std::max<std::uint32_t>(width, boost::multiprecision::msb(size) + 3);
  }
  const Integer pa = pattern(a, width);
  const Integer pb = pattern(b, width);
  Integer out = op == Op::bit_and  ? Integer(pa & pb)
                : op == Op::bit_or ? Integer(pa | pb)
                                   : Integer(pa ^ pb);
  if (boost::multiprecision::bit_test(out, width - 1)) out -= power_of_two(width);
  return out;
}

Integer shifted_right(const Integer& a, std::uint32_t by) {
  if (a >= 0) return a >> by;
  const Integer size = power_of_two(by);
  return -((-a + size - 1) / size);  // towards minus infinity
}

std::optional<Integer> shifted(Op op, const Expr& a, const Expr& b, std::string& wrong) {
  if (b.value < 0) {
    wrong = "a shift by less than zero";
    return std::nullopt;
  }
  const bool far = b.value > most_width;
  if (op == Op::shift_right)
    return far ? Integer(a.value < 0 ? -1 : 0)
               : shifted_right(a.value, b.value.convert_to<std::uint32_t>());
  if (!far) return a.value << b.value.convert_to<std::uint32_t>();
  if (has_range(*a.type) || a.value == 0) return Integer(0);
  wrong = "the constant has too many bits";
  return std::nullopt;
}

std::optional<Integer> computed(Op op, const Expr& a, const Expr& b, std::string& wrong) {
  const Integer& x = a.value;
  const Integer& y = b.value;
  switch (op) {
    case Op::negate:
      return -x;
    case Op::complement:
      return -x - 1;
    case Op::logical_not:
      return Integer(x == 0 ? 1 : 0);
    case Op::add:
    case Op::saturating_add:
      return x + y;
    case Op::subtract:
    case Op::saturating_subtract:
      return x - y;
    case Op::multiply:
      return x * y;
    case Op::divide:
    case Op::modulo:
      if (y == 0) {
        wrong = "division by zero";
        return std::nullopt;
      }
      return op == Op::divide ? Integer(x / y) : Integer(x % y);
    case Op::shift_left:
    case Op::shift_right:
      return shifted(op, a, b, wrong);
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
      return bitwise(op, x, y);
    case Op::concatenate:
      return (pattern(x, a.type->width) << b.type->width) | pattern(y, b.type->width);
    case Op::equal:
      return Integer(x == y ? 1 : 0);
    case Op::not_equal:
      return Integer(x != y ? 1 : 0);
    case Op::less:
      return Integer(x < y ? 1 : 0);
    case Op::less_equal:
      return Integer(x <= y ? 1 : 0);
    case Op::greater:
      return Integer(x > y ? 1 : 0);
    case Op::greater_equal:
      return Integer(x >= y ? 1 : 0);
    case Op::logical_and:
      return Integer(x != 0 && y != 0 ? 1 : 0);
    case Op::logical_or:
      return Integer(x != 0 || y != 0 ? 1 : 0);
    case Op::none:
      break;
  }
  wrong = "no constant";
  return std::nullopt;
}

}  // namespace

Integer wrapped(const Integer& value, const Type& type) {
  if (!has_range(type) || fits(value, type)) return value;
  Integer out = pattern(value, type.width);
  if (is_signed(type) && boost::multiprecision::bit_test(out, type.width - 1))
    out -= power_of_two(type.width);
  return out;
}

bool fits(const Integer& value, const Type& type) {
  if (type.kind == TypeKind::boolean) return value == 0 || value == 1;
  return !has_range(type) || (value >= least_of(type) && value <= most_of(type));
}

std::optional<Integer> folded(Op op, const Expr& a, const Expr& b, const Type& result,
                              std::string& wrong) {
  auto value = computed(op, a, b, wrong);
  if (!value) return std::nullopt;
  if (op == Op::saturating_add || op == Op::saturating_subtract) return saturated(*value, result);
  if (result.kind == TypeKind::integer && *value != 0 &&
      boost::multiprecision::msb(abs(*value)) >= most_width) {
    wrong = "the constant has too many bits";
    return std::nullopt;
  }
  return wrapped(*value, result);
}

Integer sliced(const Integer& value, const Type& type, std::uint32_t high, std::uint32_t low) {
  return (pattern(value, type.width) >> low) & (power_of_two(high - low + 1) - 1);
}

std::string_view op_text(Op op) {
  constexpr std::array<std::string_view, 25> texts = {
      "",  "-", "~", "!",  "+",  "-",  "*", "/",  "%", "|+|", "|-|", "<<", ">>",
      "&", "|", "^", "++", "==", "!=", "<", "<=", ">", ">=",  "&&",  "||"};
  return texts[static_cast<std::size_t>(op)];
}

}  // namespace horae::p4lang
