// Paths as a ToR that steers by the UDP source port needs to know them, and the proof that this
// view is right.
#pragma once

#include <vector>

#include "horae/config/platform.hpp"
#include "horae/programs/shared/path_map.hpp"

namespace horae::config {

/// The tiers of switches that choose on the shortest paths from the switch at `vertex` to the end
/// points of others. InputError where one of them does not choose by a linear hash among a power of
/// two of ports, or not as another one at the same distance does.
std::vector<programs::PathTier> path_tiers(const PlatformConfig& platform,
                                           const std::vector<fabric::RouteTable>& tables,
                                           unsigned vertex);

/// `chip_routes`, with the tiers if the program at `vertex` steers by the UDP source port: what its
/// control plane knows before a run. The PathMap made of it stays when routes change later.
programs::Routes steered_routes(const PlatformConfig& platform, unsigned vertex,
                                const std::vector<fabric::RouteTable>& tables);

/// For every ToR that steers by the UDP source port and every other switch with end points: walks
/// what the switches on the way choose, from every base path with every change of the PathMap.
/// InputError unless each base path reaches all shortest paths, each as often.
void check_path_maps(const PlatformConfig& platform, const std::vector<fabric::RouteTable>& tables);

}  // namespace horae::config
