// Parameters of receive queues: WQEs that the host posts for messages that come.
#pragma once

#include <cstdint>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::rnic {

/// Receive queues of a NIC, for SENDs and WRITEs with immediate data. A queue pair has its own, or
/// all have one together. The host posts `depth` WQEs before the run and posts each again when it
/// has taken its message.
struct ReceiveConfig {
  std::uint32_t depth = 512;  ///< WQEs of a queue that are posted, or with messages
  bool shared = false;        ///< a shared receive queue (SRQ) for all queue pairs of the NIC
  Picoseconds post{};         ///< of a queue's thread of the host: to take a message and post again
  std::uint32_t batch = 1;    ///< WQEs that it posts together, from 1 to `depth`
  // With a host (HostModel::pcie).
  std::uint32_t prefetch = 16;  ///< WQEs of a queue on the chip at most
  Bytes wqe = 16_B;

  static const Schema<ReceiveConfig>& schema();
};

}  // namespace horae::rnic
