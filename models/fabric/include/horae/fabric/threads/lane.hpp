// Memory that devices of one thread share, and what they tell devices of other threads.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/fabric/events/event_chunks.hpp"
#include "horae/fabric/packet_pool.hpp"

namespace horae::fabric {

struct ArrivalPort;
class tx_port;

/// The memory of a thread's packets and calendars. A simulation of one thread has one.
struct Lane {
  /// A pause or resume on its way to the port that it stops.
  struct Pause {
    tx_port* port;
    Picoseconds at;
    std::uint8_t traffic_class;
    bool pause;
  };
  /// A packet that comes out of its turn.
  struct LatePacket {
    ArrivalPort* to;
    Packet* packet;
    Picoseconds last_bit;
  };

  PacketPool pool;
  EventChunks chunks;  ///< of the devices' calendars
  /// Kept to the end of a window by several threads, so that no two of them write one calendar.
  std::vector<Pause> pauses;
  std::vector<LatePacket> late_packets;
};

}  // namespace horae::fabric
