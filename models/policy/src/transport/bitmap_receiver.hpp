// A receiver that several transports have, each with its own rule for NACKs.
#pragma once

#include <memory>

#include "horae/policy/transport/transport.hpp"

namespace horae::policy {

/// When a packet out of order brings a NACK.
enum class NackRule {
  never,
  once,   ///< "each ePSN triggers at most one NACK", the next one only after the expected packet
  every,  ///< each of them, naming the packet that arrived as well
};

/// Direct data placement with a bitmap: any packet of the window goes to its place when it arrives.
std::unique_ptr<TransportReceiver> make_bitmap_receiver(const TransportConfig& config, Psn first,
                                                        NackRule nacks);

}  // namespace horae::policy
