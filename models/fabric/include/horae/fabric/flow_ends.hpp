// A connection as a switch is told of it that matches both of its directions.
#pragma once

#include <cstdint>

#include "horae/core/packet.hpp"

namespace horae::fabric {

/// Data carries the receiver's queue pair number, what comes back the sender's.
struct FlowEnds {
  NodeId sender = 0;
  Qpn sender_qp;
  NodeId receiver = 0;
  Qpn receiver_qp;
};

/// One number for a queue pair of a node.
constexpr std::uint64_t end_key(NodeId node, Qpn qp) {
  return static_cast<std::uint64_t>(node) << Psn::bits | qp.value();
}

}  // namespace horae::fabric
