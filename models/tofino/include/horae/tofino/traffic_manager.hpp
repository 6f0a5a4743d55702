// What is between ingress and egress: the queues of the ports, the buffer they share, ECN marks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/fabric/packet_pool.hpp"
#include "horae/fabric/red.hpp"
#include "horae/tofino/cell_buffer.hpp"
#include "horae/tofino/chip_config.hpp"
#include "horae/tofino/egress_port.hpp"

namespace horae::tofino {

/// A packet is admitted whole or refused: for lack of free cells, or over the limit of its port. It
/// is marked by the depth of the queue it is about to join. Which port is served when is the
/// device's to say.
class TrafficManager {
 public:
  /// `marks` draws the ECN marks. Ports are added afterwards.
  TrafficManager(const ChipConfig& config, RandomStream marks);
  /// The next port, with as many queues as the configuration says.
  void add_port(fabric::tx_port& tx) { ports_.emplace_back(tx, queues_per_port_); }

  /// Takes a packet into the buffer, and marks it, for a queue of the program's own (`own`) or that
  /// of its class; or says why it must be dropped, which is counted. `join` follows.
  template <bool own>
  std::optional<fabric::DropCause> admit(Packet& p, unsigned port, unsigned queue) {
    const EgressPort& out = this->port(port);
    const std::int64_t cells = buffer_.cells_of(p);
    if (!buffer_.has_room(cells)) {
      ++counters_.dropped_buffer;
      return fabric::DropCause::buffer_full;
    }
    if (queue_limit_.count() > 0 && out.depth().count() + p.frame > queue_limit_.count()) {
      ++counters_.dropped_queue;
      return fabric::DropCause::queue_full;
    }
    if (red_.mark(p, own ? out.depth_of_queue(queue) : out.depth(p.traffic_class)))
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
  /// Takes a packet for a loopback port into the buffer; false (counted): there is no room.
  bool admit_to_loopback(const Packet& p);

  /// Hands over every packet of a port that starts before `end`: `started(packet, start)`, as
  /// EgressPort's. Its cells are free from then on.
  template <class F>
  void serve(unsigned port, Picoseconds end, F&& started) {
    this->port(port).start_before(end, [&](Packet& p, Picoseconds start) {
      buffer_.give_back(p);
      started(p, start);
    });
  }

  /// Whether a queue is one that programs may choose, hold and release.
  bool is_own_queue(unsigned port, unsigned queue) const {
    return port < ports_.size() && queue >= EgressPort::classes && queue < queues_per_port_;
  }
  void hold(unsigned port, unsigned queue);
  void release(unsigned port, unsigned queue, Picoseconds t);
  /// PFC pauses and resumes of a class.
  void pause(unsigned port, unsigned traffic_class) { ports_[port].pause(traffic_class); }
  void resume(unsigned port, unsigned traffic_class, Picoseconds t) {
    ports_[port].resume(traffic_class, t);
  }

  // Ports are checked where they come from: the program's choice against the device's ports.
  const EgressPort& port(unsigned i) const { return ports_.data()[i]; }
  EgressPort& port(unsigned i) { return ports_.data()[i]; }
  CellBuffer& buffer() { return buffer_; }
  const CellBuffer& buffer() const { return buffer_; }
  /// Packets in the queues of all ports.
  std::uint64_t packets() const;

  struct Counters {
    std::uint64_t marked = 0;
    std::uint64_t dropped_buffer = 0;  ///< no free cells
    std::uint64_t dropped_queue = 0;   ///< over the port's queue limit
    std::uint64_t holds = 0;           ///< requests to hold a queue
    std::uint64_t releases = 0;
  };
  const Counters& counters() const { return counters_; }

 private:
  unsigned queues_per_port_;
  Bytes queue_limit_;  ///< per port; zero: none
  CellBuffer buffer_;
  fabric::RedMarker red_;
  std::vector<EgressPort> ports_;
  Counters counters_;
};

}  // namespace horae::tofino
