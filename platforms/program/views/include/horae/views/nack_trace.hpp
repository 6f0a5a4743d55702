// A NIC's timeline as a Chrome trace.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "horae/rnic/timeline.hpp"

namespace horae::views {

/// JSON of the Trace Event Format (chrome://tracing, Perfetto): one process, one thread per track,
/// times in microseconds with picosecond digits. Empty when nothing was recorded.
std::string chrome_trace(const rnic::Timeline& timeline, const std::string& device);
/// Its events alone, for a file that has more: of process `pid`, threads from `first_tid` on.
nlohmann::ordered_json trace_events(const rnic::Timeline& timeline, const std::string& process,
                                    unsigned pid, unsigned first_tid);

}  // namespace horae::views
