// A NIC's timeline as a Chrome trace.
#pragma once

#include <string>

#include "horae/rnic/timeline.hpp"

namespace horae::platforms {

/// JSON of the Trace Event Format (chrome://tracing, Perfetto): one process, one thread per track,
/// times in microseconds with picosecond digits. Empty when nothing was recorded.
std::string chrome_trace(const rnic::Timeline& timeline, const std::string& device);

}  // namespace horae::platforms
