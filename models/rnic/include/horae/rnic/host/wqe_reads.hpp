// Reads of work queue elements that are under way. No SystemC.
#pragma once

#include <cstdint>
#include <map>

#include "horae/core/units.hpp"

namespace horae::rnic {

/// When which queue pair's WQEs will be on the chip. Not events of the device: sending starts these
/// reads, and what is sent before an event is only decided when the event comes.
class WqeReads {
 public:
  void add(Picoseconds at, std::uint16_t qp) { due_.emplace(at, qp); }
  bool empty() const { return due_.empty(); }
  /// When the first one ends; only if there is one.
  Picoseconds next() const { return due_.begin()->first; }
  /// Calls `arrived(qp, at)` for each that ends at `t` or before, the earliest first, those of one
  /// time in the order in which they were added. It may add others.
  template <class Arrived>
  void take(Picoseconds t, Arrived&& arrived) {
    while (!due_.empty() && due_.begin()->first <= t) {
      const auto [at, qp] = *due_.begin();
      due_.erase(due_.begin());
      arrived(qp, at);
    }
  }

 private:
  std::multimap<Picoseconds, std::uint16_t> due_;
};

}  // namespace horae::rnic
