// How much work a run is expected to be, device by device.
#pragma once

#include <vector>

#include "horae/config/platform.hpp"

namespace horae::ranks {

/// Load by a platform's traffic, sent whole or until the run ends, spread evenly over shortest
/// paths.
struct ExpectedLoad {
  std::vector<double> devices;  ///< work, in no unit; by device
  std::vector<double> links;    ///< data packets, both directions; by link
};

ExpectedLoad expected_load(const config::PlatformConfig& platform);

}  // namespace horae::ranks
