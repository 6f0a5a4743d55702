// Shared by schemes that draw entropy values.
#pragma once

#include <cstdint>

#include "horae/policy/entropy/entropy.hpp"

namespace horae::policy {

/// Draws uniformly from all entropy values, and counts.
class DrawingEntropy : public Entropy {
 public:
  EntropyCounts counts() const override { return counts_; }

 protected:
  DrawingEntropy(const EntropyConfig& config, const EntropyContext& context)
      : values_(config.values), random_(context.random) {}

  std::uint32_t values() const { return values_; }
  std::uint16_t draw() { return static_cast<std::uint16_t>(random_.below(values_)); }
  /// A new value for a packet.
  std::uint16_t random_value() {
    ++counts_.random;
    return draw();
  }
  std::uint16_t recycled_value(std::uint16_t value) {
    ++counts_.recycled;
    return value;
  }
  std::uint16_t fixed_value(std::uint32_t value) {
    ++counts_.fixed;
    return static_cast<std::uint16_t>(value);
  }

  EntropyCounts counts_;

 private:
  std::uint32_t values_;
  RandomStream random_;
};

}  // namespace horae::policy
