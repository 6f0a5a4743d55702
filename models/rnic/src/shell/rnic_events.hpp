// The NIC's own events.
#pragma once

#include "horae/fabric/device.hpp"

namespace horae::rnic {

/// The 33 bits of an ordering layer's header (Eunomia 3.2.1): 32 behind the BTH for the first
/// sequence number, and one of the BTH's reserved bits that marks the last packet.
inline constexpr std::int64_t head_bytes = 4;
inline constexpr std::uint16_t last_bit = 1u << 14;

/// Kinds are also the order among events of one time.
enum nic_event : std::uint8_t {
  response_event = fabric::device_events,  ///< entity: queue pair; payload: AckInfo
  timer_event,
  post_event,
  doorbell_event,   ///< entity: queue pair; payload: messages posted so far
  service_event,    ///< entity: slot of the service
  guard_event,      ///< entity: queue pair
  rest_event,       ///< entity: queue pair of the service whose packets have left
  notify_event,     ///< entity: queue pair; payload: messages that arrived whole
  context_event,    ///< payload: a received packet whose context is there
  handshake_event,  ///< entity: queue pair; payload: SYNs sent so far
  grant_event,
  placement_event,  ///< entity: queue pair of the packet that the ordering engine is done with
  copy_event,       ///< entity: queue pair; payload: 0 for the read of a copy, 1 for its write
  program_event,    ///< entity: program of the host
  written_event,    ///< entity: thread of the host
  cqe_event,        ///< entity: queue pair whose CQE is held no longer
  found_event,      ///< entity: queue pair; payload: messages of which the host has found CQEs
  engine_event,     ///< payload: a received packet that the packet engine is done with
  again_event,      ///< entity: queue pair; payload: PSN and responses that are sent again
  rx_pause_event,   ///< entity: RX queue that may have fallen to xon
  atomic_event,     ///< entity: queue pair; payload: address and PSN of an atomic with its result
  slot_event,       ///< payload: slot of atomics that is held no more
  wqes_event,       ///< entity: receive queue; payload: WQEs of it that are on the chip now
  received_event,   ///< entity: queue pair; the host finds the CQE of a message that came
  repost_event,     ///< entity: receive queue; payload: WQEs that the host posts again
  access_event,     ///< payload: number of an access that host memory of a user's own answered
};

}  // namespace horae::rnic
