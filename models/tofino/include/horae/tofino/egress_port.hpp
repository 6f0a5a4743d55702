// An egress port of the chip: the queues of the traffic classes, and queues of the program's own.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "horae/fabric/ports/output_port.hpp"

namespace horae::tofino {

/// Beside the eight queues of the classes (numbers 0 to 7), a program may put packets into queues
/// of its own (8 and up) and hold and release each. Strict priority: a class before those below it;
/// within a class its own queues, highest number first, before the queue of the class. An own queue
/// belongs to the class of the packet that finds it empty, and is paused by PFC with that class.
/// A QueueScheduler may say otherwise which class is served, and when.
class EgressPort : public fabric::OutputPort {
 public:
  static constexpr unsigned most_queues = 128;

  /// `queues` in all, those of the classes included.
  EgressPort(fabric::tx_port& tx, unsigned queues)
      : OutputPort(tx), own_(queues > classes ? queues - classes : 0) {}

  unsigned queues() const { return classes + static_cast<unsigned>(own_.size()); }

  /// Something may start that could not before `t`; what was due before has started. To be said
  /// before a packet is queued if there is a scheduler: then it depends on more than whether
  /// anything could start.
  void nothing_before(Picoseconds t) {
    if (scheduler_) ready_ = std::max(ready_, t);
  }
  void resume(unsigned traffic_class, Picoseconds t) {
    OutputPort::resume(traffic_class, t);
    nothing_before(t);
  }
  /// When the next packet starts if nothing changes, or `never`. `closely`: also where there is a
  /// scheduler.
  template <bool closely = true>
  Picoseconds next_start() const {
    const Picoseconds start = OutputPort::next_start();
    if constexpr (closely) {
      if (scheduler_ && start != never) return scheduler_->earliest(eligible(), start);
    }
    return start;
  }
  /// Queues a packet at `t` in an own queue.
  void enqueue_in(unsigned queue, Packet& p, Picoseconds t) {
    const unsigned i = queue - classes;
    OwnQueue& q = own_[i];
    if (q.packets.empty()) q.traffic_class = p.traffic_class;
    q.packets.push_back(p);
    q.bytes += p.frame;
    bytes_ += p.frame;
    if (!q.held) make_ready(i, t);
  }
  void hold(unsigned queue) {
    const unsigned i = queue - classes;
    OwnQueue& q = own_[i];
    q.held = true;
    if ((ready_of(q)[i / 64] & bit_of(i)) != 0) make_unready(i);
  }
  void release(unsigned queue, Picoseconds t) {
    const unsigned i = queue - classes;
    if (!own_[i].held) return;
    own_[i].held = false;
    nothing_before(t);
    if (!own_[i].packets.empty()) make_ready(i, t);
  }

  /// Starts every transmission due before `end`: `started(packet, start)` is called for each with
  /// the packet still owned by the port's device, and must end in tx().send() or in dropping it.
  /// Or `started(packet, start, left, queue)`: its queue, and bytes that it leaves behind there. A
  /// port with a scheduler has to be served so. When the next one starts if nothing changes, or
  /// `never`.
  template <class F>
  Picoseconds start_before(Picoseconds end, F&& started) {
    constexpr bool closely = std::is_invocable_v<F&, Packet&, Picoseconds, Bytes, unsigned>;
    for (;;) {
      const unsigned e = eligible();
      if (e == 0) return never;
      const Picoseconds start = next_start<closely>();
      if (start >= end) return start;
      const unsigned c = closely ? served(e, start) : static_cast<unsigned>(std::bit_width(e)) - 1;
      const bool own = ready_own_ != 0 && has_ready(c);
      if constexpr (closely) {
        const unsigned queue = own ? classes + first_own(c) : c;
        Packet& p = own ? take_own(first_own(c)) : take(c);
        started(p, start, depth_of_queue(queue), queue);
      } else {
        started(own ? take_own(first_own(c)) : take(c), start);
      }
    }
  }

  using OutputPort::depth;
  /// Frame bytes waiting in one queue, of a class or an own one.
  Bytes depth_of_queue(unsigned queue) const {
    return queue < classes ? depth(queue) : Bytes(own_[queue - classes].bytes);
  }
  /// Calls `f(packet, class)` with everything that waits and is not held, in no order.
  template <class F>
  void for_each(F&& f) const {
    OutputPort::for_each(f);
    for (const auto& q : own_) {
      if (q.held) continue;
      for (const Packet& p : q.packets) f(p, unsigned{q.traffic_class});
    }
  }
  /// Whether packets wait in a queue that is held.
  bool holds_any() const {
    return std::any_of(own_.begin(), own_.end(),
                       [](const OwnQueue& q) { return q.held && !q.packets.empty(); });
  }
  bool held(unsigned queue) const { return queue >= classes && own_[queue - classes].held; }
  std::uint64_t packets() const {
    std::uint64_t n = OutputPort::packets();
    for (const auto& q : own_) n += q.packets.size();
    return n;
  }

 private:
  struct OwnQueue {
    PacketQueue packets;
    std::int64_t bytes = 0;
    std::uint8_t traffic_class = 0;
    bool held = false;
  };
  using Mask = std::array<std::uint64_t, most_queues / 64>;

  static constexpr std::uint64_t bit_of(unsigned i) { return std::uint64_t{1} << (i % 64); }
  Mask& ready_of(const OwnQueue& q) { return ready_queues_[q.traffic_class]; }
  bool has_ready(unsigned c) const { return (ready_queues_[c][0] | ready_queues_[c][1]) != 0; }

  /// The class that is served at `start`.
  unsigned served(unsigned e, Picoseconds start) {
    if (!scheduler_) [[likely]]
      return static_cast<unsigned>(std::bit_width(e)) - 1;
    return scheduler_->choose(e, start, [this](unsigned c) { return first_of(c).wire_size(); });
  }
  const Packet& first_of(unsigned c) {
    if (ready_own_ != 0 && has_ready(c)) return own_[first_own(c)].packets.front();
    return queue_[c].packets.front();
  }

  void make_ready(unsigned i, Picoseconds t) {
    if (eligible() == 0) ready_ = t;
    const OwnQueue& q = own_[i];
    std::uint64_t& word = ready_of(q)[i / 64];
    ready_own_ += (word & bit_of(i)) == 0 ? 1 : 0;
    word |= bit_of(i);
    waiting_ |= 1u << q.traffic_class;
  }
  void make_unready(unsigned i) {
    const OwnQueue& q = own_[i];
    ready_of(q)[i / 64] &= ~bit_of(i);
    --ready_own_;
    settle_class(q.traffic_class);
  }
  void settle_class(unsigned c) {
    if (queue_[c].packets.empty() && !has_ready(c)) waiting_ &= ~(1u << c);
  }
  /// Among the ready own queues of a class, the one that is served.
  unsigned first_own(unsigned c) const {
    const Mask& ready = ready_queues_[c];
    const unsigned word = ready[1] != 0 ? 1 : 0;
    return 64 * word + static_cast<unsigned>(std::bit_width(ready[word])) - 1;
  }
  Packet& take_own(unsigned i) {
    OwnQueue& q = own_[i];
    Packet& p = q.packets.front();
    q.packets.pop_front();
    q.bytes -= p.frame;
    bytes_ -= p.frame;
    if (q.packets.empty()) make_unready(i);
    return p;
  }

  std::vector<OwnQueue> own_;
  unsigned ready_own_ = 0;
  std::array<Mask, classes> ready_queues_{};  ///< own queues by class: not empty and not held
};

}  // namespace horae::tofino
