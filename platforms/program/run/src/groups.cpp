#include "horae/run/groups.hpp"

#include <algorithm>
#include <cstdint>

namespace horae::run {

std::optional<Picoseconds> end_of(const elaboration::Findings& found,
                                  const elaboration::Group& group) {
  Picoseconds end{};
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    if (!found.flows[i].finished) return std::nullopt;
    end = std::max(end, found.flows[i].progress.last_completion);
  }
  return end;
}

nlohmann::ordered_json group_rows(const elaboration::Simulation& s,
                                  const elaboration::Findings& found) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& group : s.groups()) {
    std::uint64_t nacks = 0, timeouts = 0;
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      const auto& p = found.flows[i].progress;
      nacks += p.nacks;
      timeouts += p.timeouts;
    }
    const auto end = end_of(found, group);
    nlohmann::ordered_json cct;
    if (end) cct = to_microseconds(*end - group.start);
    rows.push_back({{"traffic", group.traffic},
                    {"group", group.number},
                    {"start_us", to_microseconds(group.start)},
                    {"cct_us", cct},
                    {"nacks_received", nacks},
                    {"timeouts", timeouts}});
  }
  return rows;
}

}  // namespace horae::run
