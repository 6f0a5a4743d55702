// The NIC's own events.
#pragma once

#include "horae/fabric/device.hpp"

namespace horae::rnic {

/// Kinds are also the order among events of one time.
enum nic_event : std::uint8_t {
  response_event = fabric::device_events,  ///< entity: queue pair; payload: NACK flag << 32 | PSN
  timer_event,
  post_event,
  doorbell_event,  ///< entity: queue pair; payload: messages posted so far
  service_event,   ///< entity: slot of the service
  guard_event,     ///< entity: queue pair
  rest_event,      ///< entity: queue pair of the service whose packets have left
  notify_event,    ///< entity: queue pair; payload: messages that arrived whole
  context_event,   ///< payload: a received packet whose context is there
};

}  // namespace horae::rnic
