// Timeouts that run out in an idle network.
#pragma once

#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/params/section.hpp"

namespace horae::workload {

/// A line for each NIC profile whose retransmission timeout is not above the idle round trip of a
/// connection that a [[traffic]] table makes: what was not lost is sent again. The place of the key
/// in `root`, or of the profile, the connection with the longest round trip, and that. Round trips
/// are of one packet of MTU size and its acknowledgement on the quickest of the shortest paths,
/// with nothing in the way, without the stages of switch programs: so what is named is certain.
std::vector<std::string> short_timeouts(const config::PlatformConfig& platform,
                                        const Section& root);

}  // namespace horae::workload
