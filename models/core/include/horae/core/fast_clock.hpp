// A clock for where every packet asks it.
#pragma once

#include <cstdint>
#include <numeric>

#include "horae/core/ratio.hpp"
#include "horae/core/units.hpp"

namespace horae {

/// The edges of a `Clock`, without the 128-bit divisions that it takes for them.
class FastClock {
 public:
  constexpr explicit FastClock(const Clock& clock)
      : FastClock(static_cast<std::uint64_t>(clock.frequency().count())) {}

  /// As Clock's.
  constexpr Picoseconds edge(Cycles n) const {
    const auto cycles = static_cast<std::uint64_t>(n.count());
    return Picoseconds(static_cast<std::int64_t>(to_time_.of(cycles)));
  }
  /// As Clock's: edge n, rounded down to a picosecond, is not before t if n >= t x frequency.
  constexpr Cycles at_or_after(Picoseconds t) const {
    const auto time = static_cast<std::uint64_t>(t.count());
    return Cycles(static_cast<std::int64_t>(to_cycles_.of(time)));
  }

 private:
  static constexpr std::uint64_t ps_per_second = 1'000'000'000'000ULL;
  constexpr explicit FastClock(std::uint64_t hz) : FastClock(hz, std::gcd(hz, ps_per_second)) {}
  constexpr FastClock(std::uint64_t hz, std::uint64_t common)
      : to_time_(ps_per_second / common, hz / common, 0),
        to_cycles_(hz / common, ps_per_second / common, ps_per_second / common - 1) {}

  Ratio to_time_;    ///< rounded down
  Ratio to_cycles_;  ///< rounded up
};

}  // namespace horae
