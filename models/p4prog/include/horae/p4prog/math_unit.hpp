// The math unit of a stateful ALU: a table of 16 values by leading bits.
#pragma once

#include <array>
#include <cstdint>

#include "horae/core/cxx20.hpp"

namespace horae::p4prog {

enum class MathOp : std::uint8_t { mul, sqr, sqrt, div, rsqr, rsqrt };

/// y = data[the four bits of x from its leading one on] * 2^(exponent + scale), where the exponent
/// is that of x doubled or halved, and of the other sign if inverted. Approximate: 4 bits of x and
/// 8 of y count. Source: open-p4studio branch prathima/include_bf_model cabed4a6, tofino-model
/// mau-stateful-alu.cpp, and tofino2_base.p4.
class MathUnit {
 public:
  using Data = std::array<std::uint8_t, 16>;
  /// `shift`: 1 doubles the exponent, -1 halves it (rounded up to an even one first), 0 keeps it.
  /// `scale`: -32 to 31.
  MathUnit(bool invert, int shift, int scale, const Data& data)
      : invert_(invert), shift_(shift), scale_(scale), data_(data) {}
  /// numerator / denominator * op(x), the table filled as exactly as 8 bits allow. How the vendor's
  /// compiler rounds it is not known.
  static MathUnit of(MathOp op, std::int64_t numerator, std::int64_t denominator);

  std::uint32_t execute(std::uint32_t x) const;

 private:
  bool invert_;
  int shift_, scale_;
  Data data_;
};

}  // namespace horae::p4prog
