// Parameters of the parts of a plain switch beyond forwarding.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::fabric {

/// Parameters of a voq_switch.
struct VoqConfig {
  Bytes window = 105'000_B;          ///< frame bytes under way to one destination
  Picoseconds timeout = 10_ms;       ///< without any answer: what is under way counts as lost
  Picoseconds round_trip = 8400_ns;  ///< how long what nobody will answer counts as under way
  std::vector<NodeId> remote_nodes = {};

  static const Schema<VoqConfig>& schema();
};

/// Which marked packets a notifying_switch answers.
enum class NoticeScope : std::uint8_t {
  own,  ///< those that it marks itself
  any,  ///< whatever leaves with a mark
};

/// Parameters of a notifying_switch.
struct NoticeConfig {
  Picoseconds gap = 50_us;  ///< between CNPs of a flow
  Picoseconds delay{};      ///< from the mark to the CNP being queued
  bool clear_ce = true;     ///< takes the mark away
  NoticeScope scope = NoticeScope::own;

  static const Schema<NoticeConfig>& schema();
};

}  // namespace horae::fabric
