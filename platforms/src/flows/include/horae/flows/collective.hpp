// Collective traffic: which NIC sends what to which.
#pragma once

#include <vector>

#include "horae/flows/traffic_config.hpp"

namespace horae::flows {

/// A flow of a collective between devices of the platform (indices).
struct PlacedFlow {
  std::uint32_t group = 0;
  unsigned from = 0, to = 0;
  traffic::CollectiveFlow flow;
};

/// All flows of a collective, group by group. InputError, without a place in the file, when members
/// do not divide into groups of two or more, or the size into messages.
std::vector<PlacedFlow> place_collective(const config::PlatformConfig& platform,
                                         const CollectiveTraffic& config);

/// Start of a group.
inline Picoseconds start_of(const CollectiveTraffic& config, std::uint32_t group) {
  return config.start + config.stagger * static_cast<std::int64_t>(group);
}

}  // namespace horae::flows
