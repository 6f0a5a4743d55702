// Which traffic class sends next: priorities and weights. No SystemC.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/spec/class_config.hpp"

namespace horae::rnic {

/// Strict priority between levels; within one, start-time fair queueing (Goyal, Vin and Cheng,
/// SIGCOMM 1996): the class that is least far on goes first, and a packet takes it on by its length
/// over the weight. A class that could not send when it was its turn has no claim to that later.
class ClassArbiter {
 public:
  static constexpr unsigned classes = 8;

  explicit ClassArbiter(const std::vector<ClassConfig>& configs);

  /// Asks `of` (a bit each) in turn with `sends(class)` until one says yes, and returns that one;
  /// nobody does: -1.
  template <class Sends>
  int first(unsigned of, Sends&& sends) {
    for (unsigned level = classes; level-- > 0;) {
      for (unsigned rest = of & levels_[level]; rest != 0;) {
        const unsigned c = least(rest);
        if (sends(c)) {
          go_on_from(level, reached_[c]);
          return static_cast<int>(c);
        }
        rest &= ~(1u << c);
      }
    }
    return -1;
  }
  /// It sent so much, on the wire.
  void sent(unsigned c, Bytes wire) { reached_[c] += wire.count() * unit / weights_[c]; }

 private:
  /// Fractions of a byte that a weight divides into.
  static constexpr std::int64_t unit = 1 << 16;

  /// Among equals the higher one.
  unsigned least(unsigned of) const {
    auto best = static_cast<unsigned>(std::bit_width(of)) - 1;
    for (unsigned rest = of & ~(1u << best); rest != 0;) {
      const auto c = static_cast<unsigned>(std::bit_width(rest)) - 1;
      if (reached_[c] < reached_[best]) best = c;
      rest &= ~(1u << c);
    }
    return best;
  }
  /// Those behind were asked, or had nothing to send.
  void go_on_from(unsigned level, std::int64_t at) {
    for (unsigned rest = levels_[level]; rest != 0; rest &= rest - 1) {
      std::int64_t& reached = reached_[static_cast<unsigned>(std::countr_zero(rest))];
      reached = std::max(reached, at);
    }
  }

  std::array<std::int64_t, classes> weights_;
  std::array<std::int64_t, classes> reached_{};  ///< bytes x unit / weight
  std::array<unsigned, classes> levels_{};       ///< classes of each priority
};

}  // namespace horae::rnic
