// The network as the control plane of a switch chip knows it.
#pragma once

#include <optional>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::config {

/// Routes known to the control plane of the chip at `vertex`.
programs::Routes chip_routes(const PlatformConfig& platform, unsigned vertex,
                             const fabric::RouteTable& table);

/// Nodes in other sites than the device at `vertex`; absent: there are no sites.
std::optional<std::vector<NodeId>> nodes_of_other_sites(const PlatformConfig& platform,
                                                        unsigned vertex);
/// By node, whether it is beyond the long link for the switch at `vertex`: `given`, nodes that its
/// profile names; or, if those are none, what is in another site; or, without sites, what is not
/// attached to it. InputError for a given node that is none.
std::vector<bool> far_nodes(const PlatformConfig& platform, unsigned vertex,
                            const std::vector<NodeId>& given);

}  // namespace horae::config
