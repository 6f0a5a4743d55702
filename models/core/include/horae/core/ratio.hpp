// Multiplying by a fraction, exactly.
#pragma once

#include <cstdint>

#include "horae/core/units.hpp"

namespace horae {

/// floor((x * numerator + extra) / denominator), exactly and, where that is enough, without a
/// division: by the reciprocal r = floor(2^64 / d) + 1. With e = r d - 2^64, which is at most d,
/// y r / 2^64 is y / d + y e / (d 2^64), and the second summand is below 1 / d, so that it does not
/// reach the next whole number, as long as y e < 2^64.
class Ratio {
 public:
  /// All below 2^63; numerator and denominator at least 1.
  constexpr Ratio(std::uint64_t numerator, std::uint64_t denominator, std::uint64_t extra)
      : Ratio(numerator, denominator, extra, denominator == 1 ? 2 : 1) {}

  constexpr std::uint64_t of(std::uint64_t x) const {
    if (x >= most_) [[unlikely]]
      return divided(x);
    return static_cast<std::uint64_t>(
        static_cast<detail::Wide>(x * numerator_ + extra_) * reciprocal_ >> 64);
  }

 private:
  /// All `times` as large: the reciprocal of one has 65 bits.
  constexpr Ratio(std::uint64_t numerator, std::uint64_t denominator, std::uint64_t extra,
                  std::uint64_t times)
      : numerator_(numerator * times),
        denominator_(denominator * times),
        extra_(extra * times),
        reciprocal_(~std::uint64_t{0} / denominator_ + 1),
        most_(smaller_than(numerator_, denominator_, extra_)) {}
  /// Every x below it is small enough.
  static constexpr std::uint64_t smaller_than(std::uint64_t numerator, std::uint64_t denominator,
                                              std::uint64_t extra) {
    const std::uint64_t y = ~std::uint64_t{0} / denominator;
    return y > extra ? (y - extra) / numerator : 0;
  }
  constexpr std::uint64_t divided(std::uint64_t x) const {
    return static_cast<std::uint64_t>((static_cast<detail::Wide>(x) * numerator_ + extra_) /
                                      denominator_);
  }

  std::uint64_t numerator_;
  std::uint64_t denominator_;
  std::uint64_t extra_;
  std::uint64_t reciprocal_;
  std::uint64_t most_;
};

}  // namespace horae
