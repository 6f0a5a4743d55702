// Events that a chip has beside those of every device, and what they carry.
#pragma once

#include <cstdint>

#include "horae/fabric/device.hpp"

namespace horae::tofino {

/// Kinds in the lane and starts of ports are not in the calendar, but the order
/// among events of one time is the same.
enum event_kind : std::uint8_t {
  queue_event = fabric::device_events,  // entity: port and queue; payload: whether to hold it
  enqueue_event,                        // entity: egress port; payload: the packet
  enqueue_own_event,                    // entity: port and queue; payload: the packet
  dequeue_event,                        // entity: port; in PortStarts only
  loopback_event,                       // entity: whose loopback port; payload: the packet
  loopback_egress_event,                // likewise, for one that passes the loopback port's egress
  loopback_leaves_event,                // likewise, when it leaves that port's queue
  recirculated_event,                   // entity: pipeline; payload: the packet, at the parser
  mirror_event,                         // entity: egress port; payload: a copy, deparsed
  resubmitted_event,                    // entity: pipeline; payload: the packet, at the parser
  replicate_event,                      // entity: pipeline and group; payload: the packet
  generate_event,                       // entity: generator; payload: the trigger
  generated_event,                      // entity: pipeline; payload: the packet, at the parser
  make_event,                           // entity: generator, whose next packet is due
};

/// A port and one of its queues in an event's 16 bits.
inline constexpr unsigned port_bits = 9;
inline constexpr unsigned no_port = (1u << port_bits) - 1;
constexpr std::uint16_t pack(unsigned port, unsigned queue) {
  return static_cast<std::uint16_t>(queue << port_bits | port);
}
constexpr unsigned port_in(std::uint16_t entity) { return entity & ((1u << port_bits) - 1); }
constexpr unsigned queue_in(std::uint16_t entity) { return entity >> port_bits; }

/// A multicast group and the pipeline whose program knows it, likewise.
inline constexpr unsigned group_bits = 13, most_groups = 1u << group_bits;
constexpr std::uint16_t pack_group(unsigned group, unsigned pipeline) {
  return static_cast<std::uint16_t>(pipeline << group_bits | group);
}
constexpr unsigned group_in(unsigned entity) { return entity & (most_groups - 1); }
constexpr unsigned pipeline_in(unsigned entity) { return entity >> group_bits; }

}  // namespace horae::tofino
