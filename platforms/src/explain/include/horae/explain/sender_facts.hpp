// What arithmetic needs to know of a platform.
#pragma once

#include <cstddef>
#include <optional>

#include "horae/config/platform.hpp"

namespace horae::explain {

/// The message senders of a platform.
struct SenderFacts {
  double line_gbps = 0;
  std::size_t senders = 0;
  double payload_bytes = 0;  ///< mean of a packet: messages cut into MTUs
  double frame_bytes = 0;    ///< on the wire, with preamble and gap, at least

  /// Of the first traffic of messages; nothing without one.
  static std::optional<SenderFacts> of(const config::PlatformConfig& platform);
};

}  // namespace horae::explain
