// Three readings of when ports were held by PFC.
#pragma once

#include <vector>

#include "horae/elaboration/findings.hpp"

namespace horae::elaboration {

/// Shares of a time.
struct PauseShares {
  double any_port = 0;    ///< in which at least one port was held
  double all_ports = 0;   ///< in which each port was held, added up
  double one_stream = 0;  ///< from the first port held to the first one released, again and again
};

/// Shares of [from, to), which is not empty, by the turns of every port.
PauseShares pause_shares(const std::vector<DeviceEnd>& devices, Picoseconds from, Picoseconds to);

}  // namespace horae::elaboration
