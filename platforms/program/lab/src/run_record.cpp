// Result of a run as it goes between processes and into runs.csv.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "horae/lab/runs.hpp"

namespace horae::lab {

double RunRecord::value(const std::string& metric) const {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (verdict == "stuck") return none;
  const auto it = results.find(metric);
  return it == results.end() ? none : it->second;
}

nlohmann::ordered_json RunRecord::to_json() const {
  return {{"key", key},         {"set", setting.set},         {"seed", setting.seed},
          {"verdict", verdict}, {"results", results},         {"sim_time_ps", sim_time_ps},
          {"events", events},   {"packet_hops", packet_hops}, {"packets", packets}};
}

RunRecord RunRecord::from_json(const nlohmann::ordered_json& json) {
  RunRecord r;
  r.key = json.at("key");
  r.setting = {json.at("set").get<std::vector<std::string>>(),
               json.at("seed").get<std::uint32_t>()};
  r.verdict = json.at("verdict");
  for (const auto& [name, value] : json.at("results").items()) {
    if (value.is_number()) r.results[name] = value.get<double>();
  }
  r.sim_time_ps = json.at("sim_time_ps");
  r.events = json.at("events");
  r.packet_hops = json.at("packet_hops");
  r.packets = json.at("packets");
  return r;
}

void RunTotals::add(const RunRecord& run) {
  sim_time_ps += run.sim_time_ps;
  events += run.events;
  packet_hops += run.packet_hops;
  if (run.packets.is_null()) return;
  created += run.packets["created"].get<std::uint64_t>();
  delivered += run.packets["delivered"].get<std::uint64_t>();
  in_flight += run.packets["in_flight"].get<std::uint64_t>();
  for (const auto& [cause, n] : run.packets["dropped"].items())
    dropped[cause] += n.get<std::uint64_t>();
}

std::string csv_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '"');
  return "\"" + text + "\"";
}

std::string runs_csv(const RunStore& store) {
  std::map<std::string, bool> names;
  for (const auto& r : store.records()) {
    for (const auto& [name, value] : r.results) names[name] = true;
  }
  std::string csv = "run,seed,verdict,overrides";
  for (const auto& [name, there] : names) csv += "," + name;
  csv += "\n";
  std::size_t n = 0;
  for (const auto& r : store.records()) {
    std::string set;
    for (const auto& s : r.setting.set) set += (set.empty() ? "" : "; ") + s;
    csv += fmt::format("{},{},{},{}", n++, r.setting.seed, r.verdict, csv_text(set));
    for (const auto& [name, there] : names) {
      const auto it = r.results.find(name);
      csv += it == r.results.end() ? "," : fmt::format(",{}", it->second);
    }
    csv += "\n";
  }
  return csv;
}

}  // namespace horae::lab
