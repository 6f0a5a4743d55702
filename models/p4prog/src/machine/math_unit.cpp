#include "horae/p4prog/math_unit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace horae::p4prog {

namespace {

double value_of(MathOp op, double x) {
  switch (op) {
    case MathOp::mul:
      return x;
    case MathOp::sqr:
      return x * x;
    case MathOp::sqrt:
      return std::sqrt(x);
    case MathOp::div:
      return 1 / x;
    case MathOp::rsqr:
      return 1 / (x * x);
    case MathOp::rsqrt:
      return 1 / std::sqrt(x);
  }
  return 0;
}

bool inverts(MathOp op) { return op >= MathOp::div; }

int shift_of(MathOp op) {
  if (op == MathOp::sqr || op == MathOp::rsqr) return 1;
  return op == MathOp::sqrt || op == MathOp::rsqrt ? -1 : 0;
}

}  // namespace

MathUnit MathUnit::of(MathOp op, std::int64_t numerator, std::int64_t denominator) {
  const double factor = static_cast<double>(numerator) / static_cast<double>(denominator);
  // A leading one lies at 8, or, where the exponent was rounded up to halve it, at 4.
  const std::size_t first = shift_of(op) < 0 ? 4 : 8;
  const auto exact = [&](std::size_t i) {
    return std::abs(factor) * value_of(op, static_cast<double>(i) / 8);
  };
  double most = 0;
  for (std::size_t i = first; i < 16; ++i) most = std::max(most, exact(i));
  int scale = most > 0 ? static_cast<int>(std::ceil(std::log2(most / 255.4))) : 0;
  scale = std::clamp(scale, -32, 31);
  Data data{};
  for (std::size_t i = first; i < 16; ++i)
    data[i] = static_cast<std::uint8_t>(std::min(255.0, std::round(std::ldexp(exact(i), -scale))));
  return {inverts(op), shift_of(op), scale, data};
}

std::uint32_t MathUnit::execute(std::uint32_t x) const {
  int leading = x == 0 ? 0 : static_cast<int>(std::bit_width(x)) - 1;
  int exponent = leading;
  if (shift_ > 0) exponent = 2 * leading;
  if (shift_ < 0) {
    leading += leading % 2;
    exponent = leading / 2;
  }
  const int by = (invert_ ? -exponent : exponent) + scale_;
  const std::uint32_t value = data_[(std::uint64_t{x} << 3 >> leading) & 0xf];
  if (by <= -32 || by >= 32) return 0;
  return by < 0 ? value >> -by : value << by;
}

}  // namespace horae::p4prog
