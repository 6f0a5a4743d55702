// Results of [[event]] tables: packets that were harmed on purpose.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "horae/run/event_rows.hpp"
#include "result_parts.hpp"

namespace horae::run {
namespace {

/// By event of the platform.
std::vector<fabric::Injector::Met> met_by_event(const elaboration::Simulation& s,
                                                const elaboration::Findings& found) {
  std::vector<fabric::Injector::Met> out(s.platform().events.size());
  for (const auto& device : found.devices) {
    for (const auto& met : device.injections) out[met.number] = met;
  }
  return out;
}

}  // namespace

void event_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                   std::vector<NamedResult>& out) {
  const auto& events = s.platform().events;
  if (events.empty()) return;
  constexpr std::array<const char*, 5> names = {
      "events.dropped", "events.marked", "events.corrupted", "events.delayed", "events.duplicated"};
  std::array<std::uint64_t, names.size()> packets{};
  const auto met = met_by_event(s, found);
  for (std::size_t i = 0; i < events.size(); ++i)
    packets[static_cast<std::size_t>(events[i].injection.action)] += met[i].packets;
  for (std::size_t a = 0; a < names.size(); ++a)
    out.push_back({names[a], static_cast<double>(packets[a]), "packets, whole run"});
}

nlohmann::ordered_json event_rows(const elaboration::Simulation& s,
                                  const elaboration::Findings& found) {
  const auto met = met_by_event(s, found);
  auto rows = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < met.size(); ++i) {
    nlohmann::ordered_json first;
    if (met[i].packets > 0) first = to_microseconds(met[i].first);
    rows.push_back({{"event", s.platform().events[i].title},
                    {"packets", met[i].packets},
                    {"first_us", first}});
  }
  return rows;
}

std::vector<std::string> idle_events(const elaboration::Simulation& s,
                                     const elaboration::Findings& found) {
  std::vector<std::string> lines;
  const auto met = met_by_event(s, found);
  for (std::size_t i = 0; i < met.size(); ++i) {
    if (met[i].packets == 0)
      lines.push_back(
          fmt::format("event {} ({}) met no packet", i + 1, s.platform().events[i].title));
  }
  return lines;
}

}  // namespace horae::run
