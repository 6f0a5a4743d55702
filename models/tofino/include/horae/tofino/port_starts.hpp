// When each port of a chip starts its next packet.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::tofino {

/// One time for each port, and the port whose time is the earliest: of equal times the port with
/// the lowest number. A tree of minima: a change looks at one neighbour on each level, and no
/// further than it matters.
class PortStarts {
 public:
  /// All `never`.
  explicit PortStarts(unsigned ports)
      : first_leaf_(std::bit_ceil(std::max(ports, 1u))), least_(2 * first_leaf_, never) {}

  /// The time of a port, or `never`.
  Picoseconds of(unsigned port) const { return least_.data()[first_leaf_ + port]; }
  /// The time of the earliest port, or `never`.
  Picoseconds next_time() const { return least_.data()[1]; }
  /// The earliest port (there is one).
  unsigned next_port() const {
    const Picoseconds* const least = least_.data();
    std::size_t at = 1;
    while (at < first_leaf_) at = 2 * at + (least[2 * at] != least[1]);
    return static_cast<unsigned>(at - first_leaf_);
  }
  void set(unsigned port, Picoseconds t) {
    Picoseconds* const least = least_.data();
    std::size_t at = first_leaf_ + port;
    least[at] = t;
    for (; at > 1; at /= 2) {
      t = std::min(t, least[at ^ 1]);
      if (least[at / 2] == t) return;
      least[at / 2] = t;
    }
  }

 private:
  std::size_t first_leaf_;
  std::vector<Picoseconds> least_;  ///< node n has the least of 2n and 2n + 1; ports are leaves
};

}  // namespace horae::tofino
