// The blocks between ingress and egress: the queues of the ports, the buffer they share, ECN marks,
// pauses to senders.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "horae/fabric/packet_pool.hpp"
#include "horae/fabric/ports/red.hpp"
#include "horae/tofino/cell_buffer.hpp"
#include "horae/tofino/chip_config.hpp"
#include "horae/tofino/egress_port.hpp"
#include "horae/tofino/ingress_pauses.hpp"

namespace horae::tofino {

/// A packet is admitted whole or refused: for lack of free cells, over the limit of its port, or
/// over the headroom of the port that it came by. It is marked by the depth of the queue it is
/// about to join or, at dequeue, by what it leaves behind in its queue: then before its egress
/// pass, which sees the mark. Which port is served when is the device's to say.
class TrafficManager {
 public:
  /// `marks` draws the ECN marks at enqueue. Ports are added afterwards.
  TrafficManager(const ChipConfig& config, RandomStream marks);
  /// The next port, with as many queues as the configuration says.
  void add_port(fabric::tx_port& tx) {
    ports_.push_back({EgressPort(tx, queues_per_port_), red_config_.of(BitRate{})});
    if (scheduler_) ports_.back().out.schedule_by(*scheduler_);
  }
  /// Rates of ports are known: thresholds become those of their rates. `headrooms` are by port;
  /// empty: each has `pfc.headroom`. Marks at dequeue are drawn for each port, as by a plain switch
  /// of that seed and name.
  void begin(std::uint64_t seed, const std::string& name, const std::vector<Bytes>& headrooms);

  /// Takes a packet into the buffer at `t`, and marks it, for a queue of the program's own (`own`)
  /// or that of its class; or says why it must be dropped, which is counted. `join` follows.
  template <bool own>
  std::optional<fabric::DropCause> admit(Packet& p, unsigned port, unsigned queue, Picoseconds t) {
    return closely_ ? admit_as<own, true>(p, port, queue, t)
                    : admit_as<own, false>(p, port, queue, t);
  }
  /// The same where it is known whether `closely()`.
  template <bool own, bool closely>
  std::optional<fabric::DropCause> admit_as(Packet& p, unsigned port, unsigned queue,
                                            Picoseconds t) {
    if constexpr (closely) return admit_closely(p, port, own ? queue : p.traffic_class, t);
    const Port& to = ports_.data()[port];
    const EgressPort& out = to.out;
    const std::int64_t cells = buffer_.cells_of(p);
    if (!buffer_.has_room(cells)) {
      ++counters_.dropped_buffer;
      return fabric::DropCause::buffer_full;
    }
    if (queue_limit_.count() > 0 && out.depth().count() + p.frame > queue_limit_.count()) {
      ++counters_.dropped_queue;
      return fabric::DropCause::queue_full;
    }
    if (to.red.enabled() &&
        red_.mark(p, own ? out.depth_of_queue(queue) : out.depth(p.traffic_class), to.red))
      ++counters_.marked;
    buffer_.take(cells);
    return std::nullopt;
  }
  /// Puts an admitted packet into its queue at `t`.
  template <bool own>
  void join(Packet& p, unsigned port, unsigned queue, Picoseconds t) {
    if constexpr (own) {
      this->port(port).enqueue_in(queue, p, t);
    } else {
      this->port(port).enqueue(p, t);
    }
  }

  /// Hands over every packet of a port that starts before `end`: `started(packet, start)`, as
  /// EgressPort's. Its cells are free from then on. When the next one starts, or `never`.
  template <bool closely, class F>
  Picoseconds serve(unsigned port, Picoseconds end, F&& started) {
    if constexpr (closely) {
      return this->port(port).start_before(
          end, [&](Packet& p, Picoseconds start, Bytes left, unsigned queue) {
            const Lodging had = is_free(queue) ? Lodging{} : lodging(p);
            mark_what_leaves(p, port, left);
            started(p, start);
            leave(had, start);  // behind the packet: a resume may go out by the same port
          });
    } else {
      return this->port(port).start_before(
          end, [&](Packet & p, Picoseconds start) __attribute__((always_inline)) {
            buffer_.give_back(p);
            started(p, start);
          });
    }
  }
  /// Whether more is to be done than that: pauses, marks at dequeue, a class of acknowledgements,
  /// tables of classes, queues of programs that take no buffer.
  bool closely() const { return closely_; }

  /// Cells of a packet in the buffer, and where they count (IngressPauses).
  struct Lodging {
    std::int64_t cells = 0;
    IngressPauses::Account account = IngressPauses::nowhere;
    std::uint8_t traffic_class = 0;  ///< whose pool has them
  };
  Lodging lodging(const Packet& p) const;
  /// Gives that back at `t`.
  void leave(const Lodging& had, Picoseconds t);
  /// Takes a packet for a loopback port into the buffer at `t`; or says why it must be dropped.
  std::optional<fabric::DropCause> admit_to_loopback(const Packet& p, Picoseconds t);
  /// It gives back what it has at `t`.
  void leave_loopback(const Packet& p, Picoseconds t) {
    if (closely_) [[unlikely]]
      return leave(lodging(p), t);
    buffer_.give_back(p);
  }
  /// An egress pass has changed what had `had` and stays in the buffer: it is always taken.
  void change(const Lodging& had, const Packet& p, Picoseconds t);
  /// Takes cells for ever, if there are so many that nothing else may have.
  bool set_aside(std::int64_t cells);

  /// Whether a queue is one that programs may choose, hold and release.
  bool is_own_queue(unsigned port, unsigned queue) const {
    return port < ports_.size() && queue >= EgressPort::classes && queue < queues_per_port_;
  }
  void hold(unsigned port, unsigned queue);
  void release(unsigned port, unsigned queue, Picoseconds t);
  /// PFC pauses and resumes of a class.
  void pause(unsigned port, unsigned traffic_class) { this->port(port).pause(traffic_class); }
  void resume(unsigned port, unsigned traffic_class, Picoseconds t) {
    this->port(port).resume(traffic_class, t);
  }

  // Ports are checked where they come from: the program's choice against the device's ports.
  const EgressPort& port(unsigned i) const { return ports_.data()[i].out; }
  EgressPort& port(unsigned i) { return ports_.data()[i].out; }
  const CellBuffer& buffer() const { return buffer_; }
  /// Absent: the chip sends no pauses.
  const std::optional<IngressPauses>& pauses() const { return pauses_; }
  /// Packets in the queues of all ports.
  std::uint64_t packets() const;

  struct Counters {
    std::uint64_t marked = 0;
    std::uint64_t dropped_buffer = 0;    ///< no free cells
    std::uint64_t dropped_queue = 0;     ///< over the port's queue limit
    std::uint64_t dropped_headroom = 0;  ///< over the headroom of the ingress port
    std::uint64_t holds = 0;             ///< requests to hold a queue
    std::uint64_t releases = 0;
    std::array<std::uint64_t, EgressPort::classes> over_share{};  ///< of dropped_queue, by class
  };
  const Counters& counters() const { return counters_; }

 private:
  struct Port {
    EgressPort out;
    fabric::RedThresholds red;  ///< of its rate
  };

  const fabric::RedThresholds& red_of(const Packet& p, unsigned port) const {
    return red_of_class_.empty() ? ports_[port].red : red_of_class_[port][p.traffic_class];
  }
  bool is_control(const Packet& p) const { return control_class_ == p.traffic_class; }
  /// Whether packets in a queue take nothing of the buffer (ChipConfig::free_queues).
  bool is_free(unsigned queue) const { return free_queues_ && queue >= EgressPort::classes; }
  std::optional<fabric::DropCause> admit_closely(Packet& p, unsigned port, unsigned queue,
                                                 Picoseconds t);
  std::optional<fabric::DropCause> refusal(const Lodging& wanted);
  void take(const Lodging& lodging, Picoseconds t);
  /// Adds the cells to the pool of their class, or takes them away (`sign` -1).
  void count_in_pool(const Lodging& lodging, std::int64_t sign) {
    if (pools_.several()) [[unlikely]]
      pools_.take(lodging.traffic_class, sign * buffer_.bytes(lodging.cells));
  }
  void mark_what_leaves(Packet& p, unsigned port, Bytes left);
  bool over_share(const Packet& p, const EgressPort& out, unsigned queue) const;

  unsigned queues_per_port_;
  bool closely_;
  bool free_queues_;
  Bytes queue_limit_;  ///< per port; zero: none
  CellBuffer buffer_;
  fabric::RedMarker red_;  ///< at enqueue
  std::vector<Port> ports_;
  Counters counters_;
  std::optional<std::uint32_t> control_class_;
  fabric::RedConfig red_config_;
  std::optional<fabric::PfcConfig> pfc_;             ///< absent: no pauses are sent
  Bytes bytes_;                                      ///< of the buffer
  std::int64_t set_aside_ = 0;                       ///< cells that nothing else may have
  std::optional<fabric::QueueScheduler> scheduler_;  ///< of every port; absent: strict priority
  std::vector<fabric::ClassConfig> classes_;         ///< that have a table
  std::vector<fabric::RedMarker> red_of_port_;       ///< at dequeue; empty: at enqueue
  std::vector<fabric::RedOfPort> red_of_class_;      ///< by port; empty: all have those of the port
  std::optional<std::vector<fabric::PoolConfig>> pool_configs_;
  fabric::BufferPools pools_;  ///< what each has is counted where there are several
  std::optional<IngressPauses> pauses_;
};

}  // namespace horae::tofino
