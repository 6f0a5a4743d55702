// Operations on constants (internal to the room).
#pragma once

#include <optional>
#include <string>

#include "horae/p4lang/expression.hpp"

namespace horae::p4lang {

/// The value that `value` has as one of a type: bits modulo 2^width, signed ones in their range;
/// of other types as it is.
Integer wrapped(const Integer& value, const Type& type);

/// Whether `value` is one of the type's.
bool fits(const Integer& value, const Type& type);

/// `op` of constants of the types, as a value of `result`. Nothing, and why in `wrong`, where it
/// has none: a division by zero, a shift by less than zero, a constant beyond most_width bits.
std::optional<Integer> folded(Op op, const Expr& a, const Expr& b, const Type& result,
                              std::string& wrong);

/// Bits `high` to `low` of a value of a width.
Integer sliced(const Integer& value, const Type& type, std::uint32_t high, std::uint32_t low);

/// As P4 writes it: "+", "&&", "|+|".
std::string_view op_text(Op op);

}  // namespace horae::p4lang
