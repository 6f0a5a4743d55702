// Results of switches: chips one by one, plain ones together, parts of plain ones one by one; and
// modules on links.
#include <algorithm>
#include <vector>

#include "result_parts.hpp"

namespace horae::run {

void switch_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                    std::vector<NamedResult>& out) {
  const auto add_counters = [&](const fabric::device& d) {
    for (const auto& c : found.devices[d.number()].counters)
      out.push_back({c.name, c.value, c.unit});
  };
  for (const auto* t : s.tofinos()) add_counters(*t);
  for (const auto* sw : s.switches()) add_counters(*sw);
  for (const auto& m : found.modules) {
    for (const auto& c : m.counters) out.push_back({c.name, c.value, c.unit});
  }
  if (s.switches().empty()) return;
  const auto& sum = found.switches;
  out.push_back({"switches.forwarded", static_cast<double>(sum.forwarded), "packets"});
  out.push_back({"switches.marked", static_cast<double>(sum.marked), "packets"});
  out.push_back({"switches.pauses_sent", static_cast<double>(sum.pauses_sent), "frames"});
  out.push_back({"switches.dropped", static_cast<double>(sum.dropped), "packets"});
  out.push_back({"switches.deflected", static_cast<double>(sum.deflected), "packets"});
  const auto trims = [](const auto* sw) { return sw->trims(); };
  if (std::any_of(s.switches().begin(), s.switches().end(), trims))
    out.push_back({"switches.trimmed", static_cast<double>(sum.trimmed), "packets"});
  if (found.most_buffered > 0) {
    out.push_back({"switches.most_buffered", static_cast<double>(found.most_buffered),
                   elaboration::unit_of_maximum("bytes", s.platform())});
  }
}

}  // namespace horae::run
