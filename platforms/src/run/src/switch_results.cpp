// What switches did: chips one by one, plain ones together.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/stats.hpp"
#include "result_parts.hpp"

namespace horae::run {

void switch_results(const build::Simulation& s, std::vector<NamedResult>& out) {
  for (const auto* t : s.tofinos()) {
    const auto& c = t->counters();
    const std::string name = t->name();
    out.push_back({name + ".ingress_passes", static_cast<double>(c.ingress_passes), "passes"});
    out.push_back({name + ".egress_passes", static_cast<double>(c.egress_passes), "passes"});
    out.push_back({name + ".marked", static_cast<double>(c.marked), "packets"});
    out.push_back({name + ".dropped_program", static_cast<double>(c.dropped_program), "packets"});
    out.push_back({name + ".dropped_buffer", static_cast<double>(c.dropped_buffer), "packets"});
    out.push_back({name + ".dropped_queue", static_cast<double>(c.dropped_queue), "packets"});
    out.push_back({name + ".most_cells", static_cast<double>(t->most_cells_used()), "cells"});
    StatTree program;
    t->program_statistics(program);
    program.for_each([&](const std::string& counter, double count, const std::string& unit) {
      out.push_back({name + "." + counter, count, unit});
    });
  }
  if (s.switches().empty()) return;
  fabric::output_queued_switch::Counters sum;
  std::int64_t most = 0;
  for (const auto* sw : s.switches()) {
    sum.forwarded += sw->counters().forwarded;
    sum.marked += sw->counters().marked;
    sum.pauses_sent += sw->counters().pauses_sent;
    sum.dropped += sw->counters().dropped;
    sum.deflected += sw->counters().deflected;
    most = std::max(most, sw->most_buffered().count());
  }
  out.push_back({"switches.forwarded", static_cast<double>(sum.forwarded), "packets"});
  out.push_back({"switches.marked", static_cast<double>(sum.marked), "packets"});
  out.push_back({"switches.pauses_sent", static_cast<double>(sum.pauses_sent), "frames"});
  out.push_back({"switches.dropped", static_cast<double>(sum.dropped), "packets"});
  out.push_back({"switches.deflected", static_cast<double>(sum.deflected), "packets"});
  if (most > 0) out.push_back({"switches.most_buffered", static_cast<double>(most), "bytes"});
}

}  // namespace horae::run
