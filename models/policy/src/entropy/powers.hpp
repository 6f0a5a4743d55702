// For schemes that go through all entropy values in an order changed by XOR.
#pragma once

#include <bit>
#include <cstdint>

#include "horae/policy/entropy/drawing.hpp"

namespace horae::policy {

/// InputError unless the number of values is a power of two.
void require_power_of_two(const EntropyConfig& config);

/// Bits that count to so many: 3 for 8.
inline std::uint64_t index_bits(std::uint32_t values) { return std::bit_width(values - 1); }

/// Every value once a turn: a counter XORed with a word that is drawn anew each turn, as the
/// "oblivious" spraying of uet-htsim does. `values` must be a power of two.
class Turn {
 public:
  explicit Turn(std::uint32_t values) : values_(values) {}

  std::uint16_t value() const { return static_cast<std::uint16_t>(index_ ^ word_); }
  /// The value after; `draw` gives the word of a new turn.
  template <class Draw>
  void advance(Draw draw) {
    if (++index_ < values_) return;
    index_ = 0;
    word_ = draw();
  }
  void start(std::uint16_t word) { word_ = word; }

 private:
  std::uint32_t values_;
  std::uint32_t index_ = 0;
  std::uint32_t word_ = 0;
};

}  // namespace horae::policy
