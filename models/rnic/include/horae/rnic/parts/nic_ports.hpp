// Packets that wait for the ports of a NIC with several, and the port that each takes. No SystemC.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "horae/fabric/ports/tx_port.hpp"
#include "horae/rnic/parts/class_arbiter.hpp"
#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {

/// The lines in front of several ports, each with a link of its own: a plane of the network; or in
/// front of one, where the packet engine works ahead of the wire. The
/// TX pipe puts a packet in line when it decides about it. A port sends responses first, then data,
/// each in the order of the line; what PFC holds lets those of other classes pass. Responses always
/// find room, data as long as its class has.
///
/// It has no clock: times are passed in and never decrease.
class NicPorts {
 public:
  /// `config.lines()` is at least one.
  explicit NicPorts(const RnicConfig& config);

  unsigned count() const { return static_cast<unsigned>(ports_.size()); }
  PortChoice choice() const { return choice_; }

  /// The link of a port is down in these times, as the NIC knows it: in order and apart.
  void know(unsigned port, std::vector<fabric::Outage> down) {
    ports_[port].down = std::move(down);
  }
  bool up(unsigned port, Picoseconds now) const;
  /// The next time after `now` at which the NIC learns that a link went down or came up, or
  /// `never`.
  Picoseconds next_change(Picoseconds now) const;
  /// `port`, or, if its link is down, the next one after it whose link is up. All down: `port`.
  unsigned up_from(unsigned port, Picoseconds now) const;
  /// The port of data with the entropy value `value` of a connection whose port is `own` (rail,
  /// hash): by the configured choice, but never one that is down while another is up.
  unsigned wanted(std::uint16_t value, unsigned own, Picoseconds now) const;
  /// Whether one more data packet of a class may be put in line.
  bool has_room(unsigned port, unsigned traffic_class) const {
    return ports_[port].of_class[traffic_class] < room_;
  }

  void put(unsigned port, Packet& p, bool response);
  /// Who goes next, or null: nobody waits, or PFC holds all who do.
  Packet* next(unsigned port) const;
  /// Takes that one out of the line.
  Packet& take(unsigned port);
  /// PFC of one class; from now on it goes, or not.
  void pause(unsigned port, unsigned traffic_class, bool pause);
  /// Whether somebody waits and PFC holds all who do.
  bool held(unsigned port) const { return next(port) == nullptr && waiting(port) > 0; }
  /// Whether PFC holds a class there.
  bool paused(unsigned port, unsigned traffic_class) const {
    return (ports_[port].paused >> traffic_class & 1u) != 0;
  }

  std::size_t waiting(unsigned port) const {
    return ports_[port].responses.size() + ports_[port].data.size();
  }
  /// At all ports.
  std::size_t waiting() const;

 private:
  struct Port {
    std::deque<Packet*> responses, data;
    Bytes data_bytes{};                                   ///< on the wire, with preamble and gap
    std::array<Bytes, ClassArbiter::classes> of_class{};  ///< of those
    unsigned paused = 0;                                  ///< traffic classes, a bit each
    std::vector<fabric::Outage> down;
    /// The first of a line that may go, or its end.
    static std::deque<Packet*>::const_iterator first(const std::deque<Packet*>& line,
                                                     unsigned paused) {
      return std::find_if(line.begin(), line.end(), [paused](const Packet* p) {
        return (paused >> p->traffic_class & 1u) == 0;
      });
    }
  };

  PortChoice choice_;
  Bytes room_;
  unsigned turn_ = 0;  ///< of equal ports the first one from here on (PortChoice::least)
  std::vector<Port> ports_;
};

}  // namespace horae::rnic
