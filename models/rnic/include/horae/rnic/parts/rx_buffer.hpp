// The RX buffer: received payload on its way to host memory. No SystemC.
#pragma once

#include <deque>
#include <utility>

#include "horae/core/units.hpp"

namespace horae::rnic {

/// Bytes of received payload that are not in host memory yet. Whoever asks passes the time, which
/// never decreases; space returns in the order in which it was taken, as writes end in order.
class RxBuffer {
 public:
  explicit RxBuffer(Bytes capacity) : capacity_(capacity.count()) {}

  /// Whether `size` bytes more find room at `now`, after what is in memory by then has left.
  bool has_room(Bytes size, Picoseconds now) {
    while (!in_flight_.empty() && in_flight_.front().first <= now) {
      used_ -= in_flight_.front().second;
      in_flight_.pop_front();
    }
    return used_ + size.count() <= capacity_;
  }
  /// Takes `size` bytes, which are in memory at `until`.
  void take(Bytes size, Picoseconds until) {
    take(size);
    leaves(size, until);
  }
  /// Takes `size` bytes; leaves(), called in the order of these calls, says until when.
  void take(Bytes size) { used_ += size.count(); }
  void leaves(Bytes size, Picoseconds until) { in_flight_.emplace_back(until, size.count()); }
  /// Bytes taken when has_room() was last asked, and since.
  Bytes used() const { return Bytes(used_); }

 private:
  std::int64_t capacity_;
  std::int64_t used_ = 0;
  std::deque<std::pair<Picoseconds, std::int64_t>> in_flight_;  ///< until when, bytes
};

}  // namespace horae::rnic
