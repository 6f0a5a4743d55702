// The RX buffer: received payload on its way to host memory, and whom it pauses. No SystemC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/spec/rx_pause_config.hpp"

namespace horae::rnic {

/// Bytes of received payload that are not in host memory yet. Whoever asks passes the time, which
/// never decreases. Space of writes returns in the order in which it was taken, as writes end in
/// order; that of packets which wait for the packet engine or for contexts when each goes on; that
/// of packets which wait for receive WQEs when they are taken.
///
/// With thresholds each port and class (a queue) has an account. What fills it above xoff pauses
/// its sender; what leaves resumes it.
class RxBuffer {
 public:
  /// A port and class: classes * port + class.
  using Queue = std::uint16_t;
  static constexpr unsigned classes = 8;
  static Queue queue_of(unsigned port, unsigned traffic_class) {
    return static_cast<Queue>(classes * port + traffic_class);
  }

  explicit RxBuffer(Bytes capacity) : capacity_(capacity.count()) {}
  /// From now on it pauses senders.
  void pause_by(const RxPauseConfig& config, unsigned ports);
  bool pauses() const { return accounts_.has_value(); }

  /// Whether `size` bytes more find room at `now`, after what is in memory by then has left.
  bool has_room(Bytes size, Picoseconds now) {
    empty_until(now);
    return used_ + size.count() <= capacity_;
  }
  /// Takes what is in memory by `now` out.
  void empty_until(Picoseconds now) {
    empty_until(now, waiting_);
    empty_until(now, in_flight_);
  }
  /// Takes `size` bytes of a packet that waits for the packet engine or for contexts until `until`;
  /// returns whether the sender must be paused now.
  bool wait(Queue queue, Bytes size, Picoseconds until) {
    used_ += size.count();
    auto at = waiting_.end();
    while (at != waiting_.begin() && std::prev(at)->until > until) --at;
    waiting_.insert(at, {until, size.count(), queue});
    return counts(queue) && fills(queue, size);
  }
  /// Takes `size` bytes, which are in memory at `until`; returns whether the sender must be paused
  /// now.
  bool take(Queue queue, Bytes size, Picoseconds until) {
    used_ += size.count();
    in_flight_.push_back({until, size.count(), queue});
    return counts(queue) && fills(queue, size);
  }
  /// Takes `size` bytes; leaves(), called in the order of these calls, says until when.
  bool take(Queue queue, Bytes size) {
    used_ += size.count();
    if (!accounts_) return false;
    untimed_.push_back(queue);
    return counts(queue) && fills(queue, size);
  }
  void leaves(Bytes size, Picoseconds until) {
    Queue queue = 0;
    if (accounts_) {
      queue = untimed_.front();
      untimed_.pop_front();
    }
    in_flight_.push_back({until, size.count(), queue});
  }
  /// Takes `size` bytes until free() of as many; returns whether the sender must be paused now.
  bool keep(Queue queue, Bytes size) {
    used_ += size.count();
    return counts(queue) && fills(queue, size);
  }
  void free(Queue queue, Bytes size) { take_out(queue, size.count()); }
  /// Bytes taken when has_room() was last asked, and since.
  Bytes used() const { return Bytes(used_); }

  /// Whether the sender of a queue is paused.
  bool pausing(Queue queue) const { return counts(queue) && accounts_->pausing(queue); }
  /// When the sender of a paused queue may go on, if nothing more is taken; `never`: not known yet.
  Picoseconds resumes_at(Queue queue) const;
  /// The queues whose senders may go on since the last call.
  std::vector<Queue> take_resumed() { return std::exchange(resumed_, {}); }

 private:
  /// Whether a queue's class pauses.
  bool counts(Queue queue) const { return (pausing_classes_ >> queue % classes & 1u) != 0; }

  struct Stay {
    Picoseconds until;
    std::int64_t size;
    Queue queue;
  };

  void empty_until(Picoseconds now, std::deque<Stay>& stays) {
    while (!stays.empty() && stays.front().until <= now) {
      take_out(stays.front().queue, stays.front().size);
      stays.pop_front();
    }
  }
  void take_out(Queue queue, std::int64_t size) {
    used_ -= size;
    if (counts(queue) && accounts_->remove(queue, size)) resumed_.push_back(queue);
  }
  /// Whether `size` bytes more make a pause necessary that is not in force.
  bool fills(Queue queue, Bytes size) {
    if (!accounts_->add(queue, size.count())) return false;
    // Its sender was to go on at this very time and does not know yet: it stays paused.
    return std::erase(resumed_, queue) == 0;
  }

  std::int64_t capacity_;
  std::int64_t used_ = 0;
  std::deque<Stay> waiting_;                           ///< packets that wait, the next one first
  std::deque<Stay> in_flight_;                         ///< writes to host memory
  std::optional<fabric::IngressAccounts> accounts_{};  ///< none: nobody is paused
  unsigned pausing_classes_ = 0;                       ///< a bit each
  Bytes xon_{};
  std::deque<Queue> untimed_;  ///< with accounts: taken, not leaving yet
  std::vector<Queue> resumed_;
};

}  // namespace horae::rnic
