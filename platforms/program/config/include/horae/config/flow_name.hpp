// Flows as users name them: SRC, SRC-DST or SRC-DST:QP.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "horae/core/packet.hpp"

namespace horae::config {

struct PlatformConfig;

/// The connections from an end point, or from one to another, or the one of a queue pair.
struct FlowName {
  NodeId src = 0;
  std::optional<NodeId> dst{};
  std::optional<std::uint32_t> qp{};  ///< number at the sender, as in flows.csv

  /// Whether a connection is meant.
  bool names(NodeId sender, NodeId receiver, std::uint32_t sender_qpn) const {
    return sender == src && (!dst || receiver == *dst) && (!qp || sender_qpn == *qp);
  }
};

/// InputError for a text that names nothing of this platform; it begins with `what`, the option or
/// key.
FlowName read_flow_name(const std::string& what, const std::string& text,
                        const PlatformConfig& platform);

}  // namespace horae::config
