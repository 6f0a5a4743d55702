#include "horae/run/groups.hpp"

#include <algorithm>
#include <cstdint>

namespace horae::run {

std::optional<Picoseconds> end_of(const build::Simulation& s, const build::Group& group) {
  Picoseconds end{};
  for (std::size_t i = group.first; i < group.first + group.count; ++i) {
    const auto& qp = s.flows()[i].sender->queue_pair(s.flows()[i].sender_qp);
    if (!qp.finished()) return std::nullopt;
    end = std::max(end, qp.progress().last_completion);
  }
  return end;
}

nlohmann::ordered_json group_rows(const build::Simulation& s) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const auto& group : s.groups()) {
    std::uint64_t nacks = 0, timeouts = 0;
    for (std::size_t i = group.first; i < group.first + group.count; ++i) {
      const auto& p = s.flows()[i].sender->queue_pair(s.flows()[i].sender_qp).progress();
      nacks += p.nacks;
      timeouts += p.timeouts;
    }
    const auto end = end_of(s, group);
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
