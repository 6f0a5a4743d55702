// The base of everything that has ports and takes time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/fabric/context.hpp"
#include "horae/fabric/events/event_queue.hpp"
#include "horae/fabric/packet_link.hpp"
#include "horae/fabric/ports/pause_log.hpp"
#include "horae/fabric/ports/tx_port.hpp"

namespace horae {
class StatTree;
}

namespace horae::fabric {

struct Crossed;
struct PauseWaits;

/// Event kinds every device has; its own start at `device_events`. A kind is also the priority
/// among events of one time: pauses take effect before packets are handled.
enum event_kind : std::uint8_t {
  pause_event = 0,
  resume_event = 1,
  arrival_event = 2,
  device_events = 16
};

/// A device: one SystemC module, running its own events on local time. In windows the clock runs it
/// (`window_clock`), with exact wakes a method process of its own does.
///
/// Derived classes handle events in time order (`handle`) and, at the end of each stretch of time,
/// start every transmission that is due (`settle`). They hand packets over through their tx_ports
/// only. Nothing they do may depend on when they run.
class device : public sc_core::sc_module {
 public:
  /// `ports` full-duplex ports, numbered from 0; unconnected ones are allowed.
  device(sc_core::sc_module_name name, sim_context& context, unsigned ports);
  ~device() override;
  device(const device&) = delete;
  device& operator=(const device&) = delete;

  unsigned ports() const { return static_cast<unsigned>(tx_.size()); }
  tx_port& tx(unsigned port) { return *tx_[port]; }
  const tx_port& tx(unsigned port) const { return *tx_[port]; }
  packet_target_socket& rx(unsigned port);

  /// Its place in the order of construction.
  std::uint32_t number() const { return number_; }
  /// Whether it runs in this process; else another process of the run has it, and here it is only
  /// something to be connected to.
  bool runs_here() const { return runs_here_; }

  /// Handles every event before `end` and starts every transmission before `end`.
  void run_to(Picoseconds end);
  /// The same for a window that ends at `end`, with what was left for it before.
  void run_window(Picoseconds end);
  /// The same in two steps, for several threads: takes from its senders what arrives before `end`,
  /// while no device runs; then runs to there.
  void gather_window(Picoseconds end);
  void run_gathered();
  /// Whether no thread but SystemC's may run it: it works with the kernel, or with what is not
  /// ours.
  virtual bool stays_with_kernel() const;
  /// It does so by something that its ports do not show; before simulation starts.
  void stay_with_kernel() { stays_ = true; }
  /// A thread of several runs it, with this memory of its own; before it has events.
  void run_in(Lane& lane);
  /// Asks memory for what run_window() needs first. Devices are more than fit a processor's caches.
  void expect_window() const {
    __builtin_prefetch(&arriving_);
    __builtin_prefetch(&events_);
    __builtin_prefetch(reinterpret_cast<const char*>(&events_) + 64);
  }
  /// The earliest time at which this device has something to do, or `never`.
  Picoseconds next_time() const { return std::min(next_own_time(), next_left()); }
  /// Packets it holds: queued or on their way to it.
  std::uint64_t held() const;
  /// One line per non-empty queue and per blocked port, for the dump of a stuck run.
  virtual std::vector<std::string> describe_queues() const { return {}; }
  /// Adds the events that can still happen to it or by it. It looks at everything that it holds.
  void add_outlook(Outlook& outlook) const;
  /// Which of its queues are paused, and whom it pauses.
  virtual void add_waits(PauseWaits& /*waits*/) const {}

  /// Pauses (PFC) that the port had to obey.
  const PauseLog& pauses(unsigned port) const;
  /// Keeps when each began and ended (PauseLog::turns); before simulation starts.
  void keep_pauses();

  /// Files what comes for it from another process.
  void take(const Crossed& crossed);

  std::uint64_t events_handled() const { return handled_; }

  /// Adds what it counted since the start of simulation, each number with its unit. For the end of
  /// a run; so are the next two.
  virtual void statistics(StatTree& /*tree*/) const {}
  /// Adds what the program that it runs counted, as a group "program". A device without a program
  /// adds nothing.
  virtual void program_statistics(StatTree& /*tree*/) const {}
  /// Adds a group "portN" for each connected port: what it sent, counted on `layer`, what its link
  /// lost, and how long it was paused, up to `end`. The rate is of the bits that had left by then.
  void port_statistics(StatTree& tree, Layer layer, Picoseconds end) const;

  sim_context& context() { return context_; }

 protected:
  /// One event, at `e.time`. Arrivals are events of kind arrival_event: entity is the port, payload
  /// the packet (take it with `arrived`).
  virtual void handle(const Event& e) = 0;
  /// Called instead while an observer is attached. A device with more events than arrivals
  /// overrides it.
  virtual void handle_watched(const Event& e) {
    notify_arrival(e);
    handle(e);
  }
  /// Calls `arrive(packet, t)` with every arrival of the window and `handle(event)` with every
  /// other event before `end`, in their order, those included that they schedule. What is in the
  /// calendar of arrivals, of modules of a user's own or with exact wakes, goes to `handle`.
  template <class Arrive, class Handle>
  void take_before(Picoseconds end, Arrive&& arrive, Handle&& handle);
  /// The earliest event before `end`, arrivals included, or null; `take` takes it. For who has
  /// events of its own between those of the base.
  const Event* first_before(Picoseconds end) {
    if (arrival_.time < events_.soonest()) [[likely]]
      return show_arrival();
    if (events_.soonest() >= end) return nullptr;
    return find_first_before(end);
  }
  /// Takes what `first_before` has just found: `f(event)`, whose reference holds until `f` returns.
  template <class F>
  void take(const Event* first, F&& f) {
    if (first == &arrival_) [[likely]] {
      const Event e = arrival_;
      ++arrivals_.next;
      note_arrival();
      return f(e);
    }
    events_.take(first, f);
    events_.forget_soonest();
  }
  /// When the first arrival of the window is that is still to be handled; `never`: there is none.
  Picoseconds next_arrival() const { return arrival_.time; }
  /// Takes it, and counts it, where the caller knows that no event precedes it.
  Packet& take_arrival() {
    Packet& p = arrivals_.packet();
    ++arrivals_.next;
    note_arrival();
    ++handled_;
    return p;
  }
  /// Whether nothing is pending at `t`, the time of the event taken last.
  bool nothing_more_at(Picoseconds t) const {
    return arrival_.time > t && events_.nothing_more_at(t);
  }
  /// Tells the watcher of an arrival or pause event; ignores all other events.
  void notify_arrival(const Event& e);
  /// The earliest time at which it has something to do, or `never`, but for what was left for it.
  virtual Picoseconds next_own_time() const { return events_.next_time(); }
  /// Handles every event before `end`, in order. A device whose events are not all in `events_`
  /// overrides it, and `next_own_time`.
  virtual void handle_before(Picoseconds end);
  /// Called once before time starts: schedule the first events here.
  virtual void begin() {}
  /// Local time reached `end`: start what is due before it.
  virtual void settle(Picoseconds /*end*/) {}
  /// The same beside arrivals, pauses on their way, and what links did at random.
  virtual void own_outlook(Outlook& /*outlook*/) const {}
  /// Packets inside the device, not counting those still arriving.
  virtual std::uint64_t queued() const { return 0; }

  /// The packet of an arrival event; the device owns it from here.
  static Packet& arrived(const Event& e) { return *reinterpret_cast<Packet*>(e.payload); }
  void schedule(Picoseconds t, std::uint8_t kind, std::uint16_t entity, std::uint64_t ordinal,
                std::uint64_t payload = 0) {
    events_.push({t, make_key(kind, entity, ordinal), payload});
  }
  /// Schedules an event for a module of a user's own, from outside the device's own time: at or
  /// after the end of the window that it is in.
  void hear(Picoseconds t, std::uint8_t kind, std::uint64_t ordinal, std::uint64_t payload) {
    accept({t, make_key(kind, 0, ordinal), payload});
  }
  /// For an event that is handled without having been scheduled: it would come next anyway, or has
  /// a place of its own.
  void count_event() { ++handled_; }
  /// Time between the last bit's arrival and the arrival event: whatever the receive side always
  /// takes. Set it before simulation starts.
  void set_receive_latency(Picoseconds t) { receive_latency_ = t; }
  /// Arrival events come so much earlier than the last bit as all behind `part` bytes of the frame
  /// takes: cut-through. Before simulation starts.
  void arrive_after(Bytes part) { part_ = part; }
  /// Time from a packet's arrival event, the receive latency left aside, to its last bit: zero
  /// unless arrive_after() was called. The packet is as it came in by that port.
  Picoseconds still_to_come(const Packet& p, unsigned port) const {
    return part_.count() == 0 ? Picoseconds{} : rest_of(p, port);
  }
  /// The packet that was left for a port and comes as the `k`-th behind those of this window; null:
  /// there are fewer.
  const Packet* left_at(unsigned port, std::size_t k) const {
    const tx_port* const sender = peer_of(port);
    if (sender == nullptr || lane_ != nullptr) return nullptr;  // a thread of its own may write it
    const auto left = static_cast<std::size_t>(sender->left_end_ - sender->left_begin_);
    return k < left ? sender->left_begin_[k].packet : nullptr;
  }
  /// The port at the other end of a port's link; null: none, or a SystemC module of a user's own.
  const tx_port* peer_of(unsigned port) const;
  /// Where its packets come from and go to.
  PacketPool& pool() { return *pool_; }
  /// Null: no watcher. Known from the start of simulation on.
  observer* watcher() const { return watcher_; }

  sim_context& context_;
  EventQueue events_;

 private:
  friend class tx_port;
  friend struct ArrivalPort;
  friend void connect(device& a, unsigned pa, device& b, unsigned pb, const LinkConfig& forward,
                      const LinkConfig& backward);
  class rx_port;

  /// One direction of a link: what `port` sends goes to a port of `peer`.
  void lead_to(unsigned port, device& peer, unsigned peer_port, const LinkConfig& link);

  void pause_arrives(unsigned port, unsigned traffic_class, bool pause, Picoseconds at);
  void accept(const Event& e) {
    if (!windowed_) [[unlikely]]
      return accept_and_wake(e);
    if (e.time < context_.clock.horizon()) [[unlikely]]
      before_horizon(e.time);
    events_.push(e);
  }
  [[gnu::noinline]] void accept_and_wake(const Event& e);
  [[gnu::noinline]] void before_horizon(Picoseconds t);
  /// A packet of another process, with what is kept of it.
  Packet& taken_over(const Crossed& crossed);
  [[noreturn]] void too_early(Picoseconds t) const;
  /// Puts what was left for it and arrives before `end` in order.
  template <bool whole, bool several>
  void gather_as(Picoseconds begin, Picoseconds end);
  void gather(Picoseconds begin, Picoseconds end);
  const Event* find_first_before(Picoseconds end);
  /// The first of the arrivals may be another one.
  void note_arrival() { arrival_.time = arrivals_.empty() ? never : arrivals_.time(); }
  /// The first of the arrivals, of which there is one, as an event.
  const Event* show_arrival() {
    Packet& p = arrivals_.packet();
    arrival_ = {arrivals_.time(), make_key(arrival_event, p.ingress_port, 0),
                reinterpret_cast<std::uint64_t>(&p)};
    return &arrival_;
  }
  /// The earliest of what was left for it, or `never`.
  Picoseconds next_left() const;
  /// Something was left for it at a port.
  void expect_arrivals_at(unsigned port) {
    std::uint64_t& word = arriving_[port / 64];
    const std::uint64_t bit = std::uint64_t{1} << port % 64;
    if (lane_ == nullptr) {
      word |= bit;
    } else {
      std::atomic_ref(word).fetch_or(bit, std::memory_order_relaxed);  // its peers are several
    }
  }
  /// Calls `f(sender)` for all that may have left something, the lowest port first.
  template <class F>
  void for_each_sender(F&& f) const;
  Picoseconds rest_of(const Packet& p, unsigned port) const;
  void run_wake();
  void end_of_elaboration() override;
  void start_of_simulation() override;
  void wake_at(Picoseconds t);

  std::vector<std::unique_ptr<tx_port>> tx_;
  std::vector<std::unique_ptr<rx_port>> rx_;
  bool windowed_;
  bool runs_here_ = true;
  bool stays_ = false;
  Lane* lane_ = nullptr;  ///< null: one thread runs all devices
  PacketPool* pool_;
  std::unique_ptr<ArrivalOrder> own_order_;  ///< null: that of the simulation
  std::uint32_t number_ = 0;
  Picoseconds receive_latency_{};
  Bytes part_{};  ///< of a frame, with which it arrives; zero: with its last bit
  observer* watcher_ = nullptr;
  std::uint64_t handled_ = 0;
  Picoseconds horizon_{};                ///< end of the window that it is in
  std::vector<std::uint64_t> arriving_;  ///< bit per port: its sender may have left something
  std::vector<tx_port*> senders_;        ///< by port; null: none of ours
  ArrivalOrder::Cursor arrivals_;        ///< of the window: those still to be handled
  /// The first of them. Its time is `never`: there is none; the rest is written where it is shown.
  Event arrival_{never, 0, 0};
  std::uint32_t last_arrivals_ = 0;  ///< of the window before
  sc_core::sc_event wake_{"wake"};
  Picoseconds wake_time_ = never;
};

inline void ArrivalPort::take(Packet& p, Picoseconds last_bit) {
  p.ingress_port = index;
  owner->accept({last_bit + owner->receive_latency_ - owner->still_to_come(p, index), next_key++,
                 reinterpret_cast<std::uint64_t>(&p)});
}

template <class Arrive, class Handle>
void device::take_before(Picoseconds end, Arrive&& arrive, Handle&& handle) {
  const auto own = [&](const Event& e) {
    ++handled_;
    handle(e);
  };
  while (!arrivals_.empty()) {
    const Picoseconds t = arrivals_.time();
    if (t >= events_.soonest()) [[unlikely]] {
      note_arrival();
      if (const Event* const first = find_first_before(end); first != &arrival_) {
        take(first, own);
        continue;
      }
    }
    Packet& p = arrivals_.packet();
    ++arrivals_.next;
    ++handled_;
    arrive(p, t);
  }
  arrival_.time = never;
  while (const Event* const first = first_before(end)) take(first, own);
}

inline void tx_port::send(Packet& p, Picoseconds start, Picoseconds pipeline) {
  const Picoseconds last_bit = start + serialisation(p.wire_size());
  busy_until_ = last_bit;
  ++counters_.packets;
  counters_.frame_bytes += p.frame;
  if (closely_) [[unlikely]]
    return send_closely(p, start, pipeline);
  const Picoseconds arrival = last_bit + pipeline + delay_;
  if (arrival < owner_.horizon_) [[unlikely]]
    owner_.too_early(arrival);
  leave(p, arrival);
}

/// Joins port `pa` of `a` and port `pb` of `b` by a full-duplex link.
void connect(device& a, unsigned pa, device& b, unsigned pb, const LinkConfig& link);
/// The same with directions that differ: from a to b, and from b to a.
void connect(device& a, unsigned pa, device& b, unsigned pb, const LinkConfig& forward,
             const LinkConfig& backward);

}  // namespace horae::fabric
