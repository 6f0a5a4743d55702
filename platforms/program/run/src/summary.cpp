#include "summary.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/results/summary_head.hpp"
#include "horae/run/event_rows.hpp"
#include "horae/run/flow_results.hpp"
#include "horae/run/groups.hpp"
#include "horae/run/results.hpp"
#include "horae/run/site_results.hpp"
#include "horae/workload/traffic.hpp"

namespace horae::run {
namespace {

using nlohmann::ordered_json;

/// The books must close at the end of every run, not only in tests.
ordered_json balanced_packets(const elaboration::PacketBook& book) {
  const std::uint64_t dropped_packets =
      std::accumulate(book.dropped.begin(), book.dropped.end(), std::uint64_t{0});
  const std::uint64_t left = book.created - book.delivered - dropped_packets;
  if (left != book.live || left != book.outstanding || left != book.held) {
    throw ModelError(fmt::format(
        "packets do not balance: {} created, {} delivered, {} dropped, so {} in flight, but "
        "{} are out of the pool and devices hold {}",
        book.created, book.delivered, dropped_packets, left, book.outstanding, book.held));
  }
  ordered_json dropped = ordered_json::object();
  for (std::size_t c = 0; c < fabric::drop_causes; ++c) {
    const auto cause = static_cast<fabric::DropCause>(c);
    // Came later than the others: only where they happen, so that older results stay as they are.
    if (cause >= fabric::DropCause::corrupted && book.dropped[c] == 0) continue;
    dropped[std::string(fabric::name_of(cause))] = book.dropped[c];
  }
  return {{"created", book.created},
          {"delivered", book.delivered},
          {"dropped", dropped},
          {"in_flight", book.held}};
}

/// Every counter of every device and module over the whole run. Those of switch programs are among
/// the results.
ordered_json device_statistics(const elaboration::Simulation& s, elaboration::Findings& found) {
  ordered_json all = ordered_json::object();
  auto& members = all.get_ref<ordered_json::object_t&>();
  members.reserve(s.devices().size() + found.modules.size());
  for (const auto& d : s.devices()) {
    members.emplace_back(d->name(), std::move(found.devices[d->number()].statistics));
  }
  for (auto& m : found.modules) members.emplace_back(m.name, std::move(m.statistics));
  return all;
}

ordered_json results_of(const elaboration::Simulation& simulation,
                        const elaboration::Findings& found, const RunLoop& loop) {
  auto all = results_between(simulation, found, loop.begin(), loop.end(), &loop.arrivals());
  flow_results(simulation, found, loop.begin(), loop.end(), loop.arrivals(), all);
  site_results(simulation, found, loop.begin().time, loop.end().time, all);
  ordered_json results = ordered_json::object();
  for (const auto& r : all) {
    auto& result = results[r.name] = {{"value", r.value}, {"unit", r.unit}};
    if (!std::isnan(r.value)) continue;
    if (!r.none.empty()) result["none"] = r.none;
    if (!std::isnan(r.at_least)) result["at_least"] = r.at_least;
  }
  return results;
}

ordered_json rows_of(const elaboration::Simulation& simulation, const elaboration::Findings& found,
                     const RunLoop& loop) {
  ordered_json rows = ordered_json::object();
  if (!simulation.groups().empty()) rows["groups"] = group_rows(simulation, found);
  if (!simulation.messages().empty()) {
    rows["size_bins"] = size_bin_rows(simulation, found, loop.begin().time, loop.end().time);
    rows["slowdown"] = slowdown_rows(simulation, found, loop.begin().time, loop.end().time);
  }
  if (!simulation.messages().empty() && simulation.platform().has_sites())
    rows["sites"] = site_rows(simulation, found, loop.begin().time, loop.end().time);
  if (!simulation.platform().events.empty()) rows["events"] = event_rows(simulation, found);
  for (std::size_t i = 0; i < simulation.platform().traffic.size(); ++i)
    workload::traffic_of(simulation.platform(), i).add_rows(rows);
  return rows;
}

}  // namespace

ordered_json run_summary(const elaboration::Simulation& simulation, elaboration::Findings& found,
                         const RunLoop& loop, results::Verdict verdict) {
  const config::PlatformConfig& platform = simulation.platform();
  ordered_json config = platform.effective;
  config.erase("sweep");
  std::string hash = config::hash_of(config);
  ordered_json summary = results::summary_head({.platform = platform.about.name,
                                                .config = std::move(config),
                                                .config_hash = std::move(hash),
                                                .seed = platform.sim.seed,
                                                .verdict = name_of(verdict),
                                                .sim_time = loop.ended(),
                                                .wall_s = loop.wall_seconds()});
  std::uint64_t events = 0, hops = 0;
  for (const auto& d : found.devices) {
    events += d.events;
    hops += d.hops;
  }
  summary["packets"] = balanced_packets(found.packets);
  summary["events"] = events;
  summary["packet_hops"] = hops;
  summary["measured_from_ps"] = loop.begin().time.count();
  summary["measured_to_ps"] = loop.end().time.count();
  summary["results"] = results_of(simulation, found, loop);
  summary["rows"] = rows_of(simulation, found, loop);
  summary["validation"] = ordered_json::array();
  summary["statistics"] = device_statistics(simulation, found);
  return summary;
}

}  // namespace horae::run
