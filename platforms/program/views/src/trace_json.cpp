#include "horae/views/trace_json.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "trace_writer.hpp"

namespace horae::views {

std::string microseconds_text(Picoseconds t) {
  constexpr std::int64_t per_us = 1'000'000;
  return fmt::format("{}.{:06}", t.count() / per_us, t.count() % per_us);
}

unsigned first_extra_process(const TraceRecord& record) {
  return static_cast<unsigned>(record.devices.size()) + 1;
}

void write_trace(const TraceRecord& record, const std::vector<nlohmann::ordered_json>& extra,
                 std::ostream& out) {
  TraceWriter(record, out).write(extra);
}

}  // namespace horae::views
