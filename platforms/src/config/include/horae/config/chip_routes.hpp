// What the control plane of a switch chip knows of the network.
#pragma once

#include "horae/config/platform.hpp"

namespace horae::config {

/// What the control plane of the chip at `vertex` knows.
programs::Routes chip_routes(const PlatformConfig& platform, unsigned vertex,
                             const fabric::RouteTable& table);

}  // namespace horae::config
