// An egress port with queues: strict priority over traffic classes, within a class first in first
// out or by what remains of a flow; PFC pause, no event per packet.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>

#include "horae/core/packet.hpp"
#include "horae/fabric/ports/queue_scheduler.hpp"
#include "horae/fabric/ports/srpt_queue.hpp"
#include "horae/fabric/ports/tx_port.hpp"

namespace horae::fabric {

/// Queues in front of a tx_port. Which packet starts when depends only on what was queued, paused
/// and resumed before, so transmissions may be started late: take all that is due (`next_start()`,
/// `take_next()`) before anything changes at a time, and at the end of each stretch of time. Where
/// a start has consequences inside the device, schedule an event at `next_start()` instead.
class OutputPort {
 public:
  static constexpr unsigned classes = 8;

  explicit OutputPort(tx_port& tx) : tx_(&tx) {}

  /// Serves the data packets of each class by what remains of their flows; before anything is
  /// queued.
  void schedule_by_remaining(RemainingOrder order) {
    srpt_ = std::make_unique<std::array<SrptQueue, classes>>();
    for (auto& queue : *srpt_) queue.serve(order);
  }

  /// Which class is served, in place of strict priority, class 7 first; before anything is queued.
  void schedule_by(const QueueScheduler& scheduler) {
    scheduler_ = std::make_unique<QueueScheduler>(scheduler);
  }

  /// Queues a packet at `t`.
  void enqueue(Packet& p, Picoseconds t) {
    if (eligible() == 0) ready_ = t;
    const unsigned c = p.traffic_class;
    if (srpt_ && p.is_data()) [[unlikely]] {
      (*srpt_)[c].push(p);
    } else {
      queue_[c].packets.push_back(p);
    }
    waiting_ |= 1u << c;
    bytes_ += p.frame;
    queue_[c].bytes += p.frame;
  }

  // While all that waits is of one class, first in first out and not paused, when a packet starts
  // is known when it is queued. Then it goes to the link at once, and is only counted here: it is
  // reserved (tx_port::reserve). What is due has begun before any of this is asked or done at a
  // time, as with the other queues.

  /// Whether a packet may be reserved. Not where packets are served by anything but their class.
  bool may_reserve(const Packet& p) const {
    return (waiting_ | paused_) == 0 &&
           (tx_->reserved() == 0 || p.traffic_class == reserved_class_);
  }
  /// Queues it so at `t`; when it starts.
  Picoseconds reserve(Packet& p, Picoseconds t) {
    reserved_class_ = p.traffic_class;
    reserved_bytes_ += p.frame;
    return tx_->reserve(p, t);
  }
  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  bool has_reserved() const { return tx_->reserved() != 0; }
  /// The first reserved packet begins (tx_port::begin_reserved).
  tx_port::Begun begin_reserved() {
    const tx_port::Begun begun = tx_->begin_reserved();
    reserved_bytes_ -= begun.packet.frame;
    return begun;
  }
  /// Something may overtake what is reserved: it waits in its queue again. `due`: when the first of
  /// it starts if nothing changes.
  void recall(Picoseconds due) {
    if (!has_reserved()) return;
    ready_ = due;
    waiting_ |= 1u << reserved_class_;
    bytes_ += reserved_bytes_;
    queue_[reserved_class_].bytes += std::exchange(reserved_bytes_, 0);
    tx_->recall([this](Packet& p) { queue_[reserved_class_].packets.push_back(p); });
  }

  void pause(unsigned traffic_class) {
    paused_ = static_cast<std::uint16_t>(paused_ | 1u << traffic_class);
  }
  void resume(unsigned traffic_class, Picoseconds t) {
    const bool was_blocked = eligible() == 0;
    paused_ = static_cast<std::uint16_t>(paused_ & ~(1u << traffic_class));
    if (was_blocked) ready_ = t;
  }

  /// When the next packet starts if nothing changes, or `never`.
  Picoseconds next_start() const {
    return eligible() == 0 ? never : std::max(tx_->busy_until(), ready_);
  }

  /// Whether a packet waits that may start.
  bool can_start() const { return eligible() != 0; }
  /// Takes the packet that starts next (`can_start`); it must be sent or dropped.
  Packet& take_next() { return take(static_cast<unsigned>(std::bit_width(eligible())) - 1); }

  /// The same by the scheduler, if there is one. `start`: next_start(), which a scheduler with
  /// shapers does not know (see derived classes).
  Packet& take_next_at(Picoseconds start) {
    if (!scheduler_) [[likely]]
      return take_next();
    return take(scheduler_->choose(
        eligible(), start, [this](unsigned c) { return queue_[c].packets.front().wire_size(); }));
  }

  /// The packet of a class that was queued last; null: there is none. Not where packets are served
  /// by what remains of their flow.
  const Packet* last(unsigned traffic_class) {
    PacketQueue& queue = queue_[traffic_class].packets;
    return queue.empty() ? nullptr : &*queue.last();
  }
  /// Takes it out (there is one); it takes as long as the queue is. Ask next_start() anew.
  [[gnu::noinline]] Packet& take_last(unsigned traffic_class) {
    ClassQueue& from = queue_[traffic_class];
    PacketQueue& queue = from.packets;
    Packet& p = *queue.last();
    queue.erase_after(queue.previous(queue.last()));
    if (queue.empty()) waiting_ &= ~(1u << traffic_class);
    bytes_ -= p.frame;
    from.bytes -= p.frame;
    return p;
  }

  /// Takes everything out, whatever is paused: `taken(packet)` for each.
  template <class F>
  void drain(F&& taken) {
    while (waiting_ != 0) taken(take(static_cast<unsigned>(std::bit_width(waiting_)) - 1));
  }

  tx_port& tx() { return *tx_; }
  const tx_port& tx() const { return *tx_; }
  /// Frame bytes waiting (the packet on the wire not counted).
  Bytes depth() const { return Bytes(bytes_ + reserved_bytes_); }
  Bytes depth(unsigned traffic_class) const {
    return Bytes(queue_[traffic_class].bytes +
                 (traffic_class == reserved_class_ ? reserved_bytes_ : 0));
  }
  std::uint64_t packets() const {
    std::uint64_t n = 0;
    for (const auto& q : queue_) n += q.packets.size();
    n += tx_->reserved();
    if (srpt_) {
      for (const auto& q : *srpt_) n += q.size();
    }
    return n;
  }
  /// Calls `f(packet, class)` with everything that waits, in no order.
  template <class F>
  void for_each(F&& f) const {
    tx_->for_each_reserved([&](const Packet& p) { f(p, unsigned{reserved_class_}); });
    for (unsigned c = 0; c < classes; ++c) {
      for (const Packet& p : queue_[c].packets) f(p, c);
      if (srpt_) (*srpt_)[c].for_each([&](const Packet& p) { f(p, c); });
    }
  }
  bool paused(unsigned traffic_class) const { return (paused_ >> traffic_class & 1u) != 0; }

 protected:
  /// Classes with a packet that may start.
  unsigned eligible() const { return waiting_ & ~paused_; }
  /// The first packet of a class.
  Packet& take(unsigned c) {
    Packet& p = srpt_ ? take_least(c) : take_first(c);
    bytes_ -= p.frame;
    queue_[c].bytes -= p.frame;
    return p;
  }

  Packet& take_first(unsigned c) {
    PacketQueue& queue = queue_[c].packets;
    Packet& p = queue.front();
    queue.pop_front();
    if (queue.empty()) {
      waiting_ &= ~(1u << c);
    } else {
      __builtin_prefetch(&queue.front());  // queued long enough to have left the caches
    }
    return p;
  }
  /// Packets that are not data (acknowledgements, CNPs) before all data of their class.
  [[gnu::noinline]] Packet& take_least(unsigned c) {
    SrptQueue& data = (*srpt_)[c];
    PacketQueue& rest = queue_[c].packets;
    const bool others = !rest.empty();
    Packet& p = others ? rest.front() : data.pop();
    if (others) rest.pop_front();
    if (rest.empty() && data.empty()) waiting_ &= ~(1u << c);
    return p;
  }

  struct ClassQueue {
    PacketQueue packets;
    std::int64_t bytes = 0;  ///< of frames
  };

  // State that every packet needs, together: a platform's ports are more than fit a processor's
  // caches.
  tx_port* tx_;
  unsigned waiting_ = 0;  ///< classes that have packets
  std::uint16_t paused_ = 0;
  std::uint16_t reserved_class_ = 0;  ///< of what is reserved
  std::int64_t bytes_ = 0;            ///< of what is queued, without what is reserved
  std::int64_t reserved_bytes_ = 0;
  Picoseconds ready_{};                                   ///< since when something could be sent
  std::unique_ptr<std::array<SrptQueue, classes>> srpt_;  ///< data by class; absent: FIFO
  std::array<ClassQueue, classes> queue_;
  std::unique_ptr<QueueScheduler> scheduler_;  ///< absent: strict priority, highest class first
};

}  // namespace horae::fabric
