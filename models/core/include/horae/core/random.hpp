// Named random streams: each consumer draws from its own, so adding one never changes another's
// numbers.
#pragma once

#include <boost/random/taus88.hpp>
#include <cstdint>
#include <string_view>

#include "horae/core/cxx20.hpp"

namespace horae {

/// One stream, set by the run's seed and the consumer's name. Integer-only and defined by
/// Boost.Random (taus88: L'Ecuyer 1996, period 2^88, 12 bytes of state), so the numbers are the
/// same on every machine.
class RandomStream {
 public:
  /// `name` is the consumer's full path, such as "tor.pipe0.spray"; equal names with equal seeds
  /// give equal streams.
  RandomStream(std::uint64_t seed, std::string_view name);

  /// 32 uniform bits.
  std::uint32_t bits() { return engine_(); }

  /// Uniform in [0, n); n above zero. Unbiased.
  std::uint32_t below(std::uint32_t n) {
    std::uint64_t product = static_cast<std::uint64_t>(bits()) * n;
    if (static_cast<std::uint32_t>(product) < n) [[unlikely]] {
      const std::uint32_t reject = (0u - n) % n;
      while (static_cast<std::uint32_t>(product) < reject) {
        product = static_cast<std::uint64_t>(bits()) * n;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// True with probability `p`, to one part in 2^53; no draw is made for p <= 0 or p >= 1.
  bool chance(double p) {
    if (p <= 0.0) return false;
    if (p >= 1.0) return true;
    return unit() < p;
  }

  /// Uniform in [0, 1), 53 bits.
  double unit() {
    const std::uint64_t high = bits() >> 5;  // 27 bits
    const std::uint64_t low = bits() >> 6;   // 26 bits
    return static_cast<double>((high << 26) | low) * 0x1.0p-53;
  }

 private:
  boost::random::taus88 engine_;
};

}  // namespace horae
