// Whose turn it is on the wire: the ring of queue pairs that may send, their rates and what else
// holds them back. No SystemC.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <boost/circular_buffer.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/policy/retransmit/retransmit.hpp"
#include "horae/rnic/counters.hpp"
#include "horae/rnic/host/payload_fetcher.hpp"
#include "horae/rnic/parts/class_arbiter.hpp"
#include "horae/rnic/parts/queue_pair.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {

/// When a queue pair's next packet may go, and what it waits for.
struct Gate {
  Picoseconds at;
  IdleCause cause;
};

/// Queue pairs of a traffic class take turns in the order in which they became ready: one packet,
/// or a burst (RnicConfig::shaping). Of several classes, the arbiter says packet by packet which
/// goes first; one that has nothing that may go now leaves the wire to the next. Queue pairs are
/// numbered from 0. Sets of classes have a bit for each. Times never decrease.
class TxScheduler {
 public:
  /// `rules` is kept alive by the caller.
  TxScheduler(const RnicConfig& config, const policy::RetransmitUnit& rules);

  void add(QueuePair& qp) {
    qps_.push_back(&qp);
    if (qp.sends_data()) classes_ |= 1u << qp.traffic_class;
    gated_ |= qp.config().receives;
  }
  /// Packets also wait for their payload from now on; kept alive by the caller.
  void wait_for(PayloadFetcher& fetcher) {
    fetcher_ = &fetcher;
    fetcher.tell(waits_);
  }
  /// Before the first refresh(), after the last add().
  void begin();
  /// The time that a packet has to wait for the one before is rounded down to whole nanoseconds, as
  /// on a link whose packets take such.
  void pace_in_nanoseconds() { grain_ = 1_ns; }

  /// Those of queue pairs that send data.
  unsigned classes() const { return classes_; }
  /// Bytes that a class sent, on the wire; counted where there are several.
  struct Sent {
    std::uint64_t packets = 0;
    std::int64_t bytes = 0;
  };
  const Sent& sent_of(unsigned traffic_class) const { return sent_.at(traffic_class); }

  /// Something changed of queue pair `i`: it may have something to send, or its window is full. To
  /// be called after every change of its sender: what it said last is what counts.
  void refresh(std::size_t i) { refresh(i, qps_[i]->may_send()); }
  /// The same where it is known whether it may send.
  void refresh(std::size_t i, bool can_send) {
    QueuePair& qp = *qps_.data()[i];
    qp.can_send = can_send;
    waits_.forget(i);
    if (can_send && !qp.in_ready_ring) {
      qp.in_ready_ring = true;
      ring_of(qp).push_back(static_cast<std::uint16_t>(i));
    }
    const bool blocked = !can_send && qp.sender().unsent() > 0;
    if (blocked != qp.window_blocked) {
      qp.window_blocked = blocked;
      window_blocked_ += blocked ? 1 : -1;
    }
  }
  /// The queue pair whose turn it is at `now`, or -1; then `next` is the first gate to open.
  /// `here(i, qp)`: whether the contexts of its next packet are on the chip; if not, it says in
  /// QueuePair::context_ready when they are. `paused`: classes that may not send, not all of them.
  template <class Here>
  int pick(Picoseconds now, Gate& next, Here&& here, unsigned paused = 0) {
    next = {never, IdleCause::no_work};
    if (!arbiter_) [[likely]]
      return pick_of(rings_[0], now, next, here);
    int picked = -1;
    arbiter_->first(classes_ & ~paused, [&](unsigned c) {
      picked = pick_of(rings_[place_[c]], now, next, here);
      return picked >= 0;
    });
    return picked;
  }
  /// The same, but those passed over keep their place before those that were behind them: of the
  /// queue pairs that wait for one thing the one goes that went least recently.
  template <class Here>
  int pick_in_order(Picoseconds now, Gate& next, Here&& here, unsigned paused = 0) {
    firsts_.clear();
    for (Ring& ring : rings_) {
      while (!ring.empty() && !qps_[ring.front()]->can_send) {
        end_turn(*qps_[ring.front()], now);
        leave(*qps_[ring.front()]);
      }
      firsts_.push_back(ring.empty() ? std::uint16_t{0} : ring.front());
    }
    const int picked = pick(now, next, here, paused);
    if (picked < 0) return picked;
    const std::size_t place = place_[qps_[static_cast<std::size_t>(picked)]->traffic_class];
    keep_order(rings_[place], firsts_[place]);
    return picked;
  }
  /// The one whose turn it is sent a packet of `wire` bytes at `start`: counts it against its rate
  /// and ends its turn, if it is over. Returns whether it can send more. Follow with refresh().
  bool sent(QueuePair& qp, Bytes wire, Picoseconds start) {
    if (qp.burst_bytes == 0) qp.burst_start = start;
    qp.burst_bytes += wire.count();
    const bool more = qp.may_send();
    // A turn also ends with nothing left to send, and what it sent counts against the rate.
    const bool turn_over =
        !more || shaping_ == Shaping::per_packet || qp.burst_bytes >= quantum_.count();
    if (turn_over) end_turn(qp, start);
    if (!more) {
      leave(qp);
    } else if (turn_over) {
      next_turn(ring_of(qp));
    }
    if (arbiter_) [[unlikely]]
      count(qp.traffic_class, wire);
    return more;
  }

  /// When the next packet of queue pair `i` may go.
  Gate gate(std::size_t i) const;
  /// The time, `now` or later, from which on one of those with something to send may send, but for
  /// classes that are `paused`; `never`: none.
  Picoseconds first_gate(Picoseconds now, unsigned paused = 0) const {
    Picoseconds first = never;
    // Most often the wire is what they wait for: the first one asked may go at once, of however
    // many.
    any_sending(
        [&](std::size_t i) {
          first = std::min(first, gate(i).at);
          return first <= now;
        },
        paused);
    return std::max(now, first);
  }
  /// Calls `f(queue pair, its number)` with each that its window lets send, but for classes that
  /// are `paused`.
  template <class F>
  void for_each_sending(F&& f, unsigned paused = 0) const {
    any_sending([&](std::size_t i) { return f(*qps_[i], i), false; }, paused);
  }
  /// Whether any queue pair has something that its window lets it send.
  bool any_can_send() const {
    return any_sending([](std::size_t) { return true; });
  }
  /// Whether any is held back by its window.
  bool any_blocked() const { return window_blocked_ > 0; }
  /// Queue pairs in the rings.
  std::size_t ready() const {
    std::size_t n = 0;
    for (const Ring& ring : rings_) n += ring.size();
    return n;
  }
  /// The rate a queue pair may send at; zero: the line's.
  BitRate rate(QueuePair& qp, Picoseconds now) const {
    if (!qp.reaction) return qp_rate_;
    const BitRate allowed = qp.reaction->rate(now);
    return qp_rate_.count() > 0 ? std::min(qp_rate_, allowed) : allowed;
  }

 private:
  using Ring = boost::circular_buffer<std::uint16_t>;
  static constexpr std::size_t few = 64;  ///< queue pairs in turn that the caches hold

  /// Calls `f(number of a queue pair)` with those that their window lets send, but for classes that
  /// are `paused`, until it says true; whether it did.
  template <class F>
  bool any_sending(F&& f, unsigned paused = 0) const {
    for (const Ring& ring : rings_) {
      if (!ring.empty() && (paused >> qps_[ring.front()]->traffic_class & 1u) != 0) continue;
      for (const std::uint16_t i : ring) {
        if (qps_[i]->can_send && f(i)) return true;
      }
    }
    return false;
  }
  Ring& ring_of(const QueuePair& qp) { return rings_.data()[place_[qp.traffic_class]]; }
  /// pick() within a class; `next` becomes the first gate of its own and those before.
  template <class Here>
  int pick_of(Ring& ring, Picoseconds now, Gate& next, Here&& here);
  /// Cause that holds it back beside its rate.
  Gate other_gates(std::size_t i, Gate g) const;
  /// Moves those to the back of the `n` first that wait for payload until after `now` and until
  /// `next` or longer; returns how many are left in front.
  std::size_t skip_waiting(Ring& ring, std::size_t n, Picoseconds now, Picoseconds next);
  /// Keeps until when queue pair `i` waits for payload, if that is after `now`.
  void remember_wait(std::size_t i, Picoseconds now);
  /// Bytes that a queue pair sent in its turn count against its rate.
  void end_turn(QueuePair& qp, Picoseconds now) {
    if (qp.burst_bytes == 0) return;
    if (const BitRate allowed = rate(qp, now); allowed.count() > 0) {
      Picoseconds earned = serialisation_time(Bytes(qp.burst_bytes), allowed);
      if (grain_ > 0_ps) [[unlikely]]
        earned -= earned % grain_;
      qp.allowed_at = std::max(qp.allowed_at, qp.burst_start) + earned;
    }
    qp.burst_bytes = 0;
  }
  /// `first` and those behind it, at the back, follow the front.
  static void keep_order(Ring& ring, std::uint16_t first);
  /// Has the processor fetch what pick() and the one picked look at of the next in turn, as many
  /// turns ahead as there are steps from one address to the next.
  void fetch_next(const Ring& ring) const {
    if (ring.size() < few) return;
    __builtin_prefetch(&qps_[ring[3]]);
    qps_[ring[2]]->fetch_to_send();
    qps_[ring[1]]->fetch_sender();
  }
  static void next_turn(Ring& ring) {
    // rotate() must not be given the end.
    if (ring.size() > 1) ring.rotate(ring.begin() + 1);
  }
  void count(unsigned traffic_class, Bytes wire) {
    arbiter_->sent(traffic_class, wire);
    ++sent_[traffic_class].packets;
    sent_[traffic_class].bytes += wire.count();
  }
  void leave(QueuePair& qp) {
    qp.in_ready_ring = false;
    ring_of(qp).pop_front();
  }

  BitRate qp_rate_;
  Picoseconds grain_{};  ///< of times between packets; zero: the model's
  Shaping shaping_;
  Bytes quantum_;
  const policy::RetransmitUnit& rules_;
  const PayloadFetcher* fetcher_ = nullptr;
  bool gated_;  ///< whether anything but the shaper can hold a queue pair back
  std::vector<QueuePair*> qps_;
  unsigned classes_ = 0;
  std::vector<Ring> rings_;  ///< of each class: queue pairs that may send, next turn first
  std::array<std::uint8_t, ClassArbiter::classes> place_{};  ///< of a class's ring
  std::vector<ClassConfig> class_configs_;
  std::optional<ClassArbiter> arbiter_;  ///< none: of one class
  std::array<Sent, ClassArbiter::classes> sent_{};
  std::vector<std::uint16_t> firsts_{};  ///< of each ring, before a pick
  std::size_t window_blocked_ = 0;       ///< queue pairs held back by their window
  PayloadWaits waits_;
};

inline Gate TxScheduler::gate(std::size_t i) const {
  const Gate shaped{qps_[i]->allowed_at, IdleCause::shaper};
  return gated_ ? other_gates(i, shaped) : shaped;
}

template <class Here>
int TxScheduler::pick_of(Ring& ring, Picoseconds now, Gate& next, Here&& here) {
  Gate first{never, IdleCause::no_work};
  for (std::size_t n = ring.size(); n-- > 0;) {
    if (fetcher_ != nullptr && first.cause != IdleCause::no_work) {
      n = skip_waiting(ring, n + 1, now, first.at);
      if (n-- == 0) break;
    }
    const std::uint16_t i = ring.front();
    QueuePair& qp = *qps_[i];
    if (!qp.can_send) {  // what it had to send was acknowledged meanwhile
      end_turn(qp, now);
      leave(qp);
      continue;
    }
    Gate g = gate(i);
    if (g.at <= now) {
      if (here(i, qp)) {
        fetch_next(ring);
        return i;
      }
      g = {qp.context_ready, IdleCause::context};
    }
    if (g.at < first.at || first.cause == IdleCause::no_work) first = g;
    if (fetcher_ != nullptr) remember_wait(i, now);
    next_turn(ring);
  }
  if (first.at < next.at || next.cause == IdleCause::no_work) next = first;
  return -1;
}

}  // namespace horae::rnic
