// When each port of a chip starts its next packet.
#pragma once

#include <vector>

#include "horae/core/units.hpp"
#include "horae/tofino/sorted_lane.hpp"

namespace horae::tofino {

/// One time for each port, and the port whose time is the earliest: of equal times the port with
/// the lowest number.
class PortStarts {
 public:
  /// All `never`.
  explicit PortStarts(unsigned ports) : times_(ports, never) {}

  /// The time of a port, or `never`.
  Picoseconds of(unsigned port) const { return times_.data()[port]; }
  /// Time of the earliest port, or `never`.
  Picoseconds next_time() const { return order_.next_time(); }
  /// The earliest port (there is one); it starts nothing from here on.
  unsigned take_next() {
    const unsigned port = order_.front().port;
    order_.pop();
    times_.data()[port] = never;
    return port;
  }
  /// `t` is not `never`.
  void set(unsigned port, Picoseconds t) {
    if (of(port) != never) [[unlikely]]
      order_.remove([port](const Start& s) { return s.port == port; });
    times_.data()[port] = t;
    order_.push({t, port});
  }

 private:
  struct Start {
    Picoseconds time;
    unsigned port = 0;
    friend bool operator<(const Start& a, const Start& b) {
      return a.time != b.time ? a.time < b.time : a.port < b.port;
    }
  };

  std::vector<Picoseconds> times_;
  SortedLane<Start> order_;
};

}  // namespace horae::tofino
