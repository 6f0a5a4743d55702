// When each port of a chip starts its next packet.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/units.hpp"

namespace horae::tofino {

/// One time for each port, and the port whose time is the earliest: of equal times the port with
/// the lowest number. A tree of minima over numbers of time and port: a change looks at one
/// neighbour on each level, and no further than it matters.
class PortStarts {
 public:
  /// All `never`. ModelError for more than 512 ports.
  explicit PortStarts(unsigned ports) : first_leaf_(std::bit_ceil(std::max(ports, 1u))) {
    if (ports > 1u << port_bits) throw ModelError("more ports than a chip's starts have numbers");
    least_.assign(std::size_t{2} * first_leaf_, none);
  }

  /// The time of a port, or `never`.
  Picoseconds of(unsigned port) const { return time_in(least_.data()[first_leaf_ + port]); }
  /// Of the earliest port, or `never`.
  Picoseconds next_time() const { return time_in(least_.data()[1]); }
  /// The earliest port (there is one).
  unsigned next_port() const {
    return static_cast<unsigned>(least_.data()[1]) & ((1u << port_bits) - 1);
  }
  /// `t`: `never`, or below ten hours.
  void set(unsigned port, Picoseconds t) {
    std::uint64_t* const least = least_.data();
    std::size_t at = first_leaf_ + port;
    std::uint64_t key = t == never ? none : key_of(t, port);
    least[at] = key;
    for (; at > 1; at /= 2) {
      key = std::min(key, least[at ^ 1]);
      if (least[at / 2] == key) return;
      least[at / 2] = key;
    }
  }

 private:
  static constexpr unsigned port_bits = 9;
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  static std::uint64_t key_of(Picoseconds t, unsigned port) {
    const auto time = static_cast<std::uint64_t>(t.count());
    if (time >> (64 - port_bits) != 0) [[unlikely]]
      too_late();
    return time << port_bits | port;
  }
  static Picoseconds time_in(std::uint64_t key) {
    return key == none ? never : Picoseconds(static_cast<std::int64_t>(key >> port_bits));
  }
  [[noreturn, gnu::noinline, gnu::cold]] static void too_late() {
    throw ModelError("a packet starts after more than ten simulated hours");
  }

  std::size_t first_leaf_;
  std::vector<std::uint64_t> least_;  ///< node n has the least of 2n and 2n + 1; ports are leaves
};

}  // namespace horae::tofino
