// The trace file.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "horae/views/trace_record.hpp"

namespace horae::views {

/// Microseconds with all digits of the picosecond, exactly: "12.000083".
std::string microseconds_text(Picoseconds t);

/// Trace Event Format JSON (chrome://tracing, ui.perfetto.dev): a process per device, a thread per
/// lane of its blocks, complete events ("X") for what takes time, instants for drops and timeouts,
/// flow events ("s", "t", "f") for a packet's way (category "packet"), for what NACKs cause
/// ("nack"), for mirrored copies ("mirror") and for what completes a message ("completion"). A flow
/// event stands right behind the slice it belongs to, or in the time of one. Numbers of threads are
/// unique over processes, as Perfetto names threads by them alone. `extra`: events of more
/// processes, numbered from `first_extra_process` and `first_extra_thread` on.
void write_trace(const TraceRecord& record, const std::vector<nlohmann::ordered_json>& extra,
                 std::ostream& out);

/// Numbers for events beside those of devices.
unsigned first_extra_process(const TraceRecord& record);
inline constexpr unsigned first_extra_thread = 1'000'000'000;

}  // namespace horae::views
