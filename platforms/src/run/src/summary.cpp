#include "summary.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/core/stats.hpp"
#include "horae/flows/traffic.hpp"
#include "horae/results/summary_head.hpp"
#include "horae/run/flow_results.hpp"
#include "horae/run/groups.hpp"
#include "horae/run/results.hpp"

namespace horae::run {
namespace {

using nlohmann::ordered_json;

/// The books must close at the end of every run, not only in tests.
ordered_json balanced_packets(const build::Simulation& s, const fabric::PacketPool& pool) {
  std::uint64_t held = 0;
  for (const auto& d : s.devices()) held += d->held();
  if (pool.live() != pool.outstanding() || pool.live() != held) {
    throw ModelError(fmt::format(
        "packets do not balance: {} created, {} delivered, {} dropped, so {} in flight, but "
        "{} are out of the pool and devices hold {}",
        pool.created(), pool.delivered(), pool.dropped(), pool.live(), pool.outstanding(), held));
  }
  ordered_json dropped = ordered_json::object();
  for (std::size_t c = 0; c < fabric::drop_causes; ++c) {
    const auto cause = static_cast<fabric::DropCause>(c);
    dropped[std::string(fabric::name_of(cause))] = pool.dropped(cause);
  }
  return {{"created", pool.created()},
          {"delivered", pool.delivered()},
          {"dropped", dropped},
          {"in_flight", held}};
}

/// Every counter of every device over the whole run. Those of switch programs are among the
/// results.
ordered_json device_statistics(const build::Simulation& s, Picoseconds end) {
  ordered_json all = ordered_json::object();
  auto& members = all.get_ref<ordered_json::object_t&>();
  members.reserve(s.devices().size());
  const Layer layer = s.platform().sim.rate_layer;
  for (const auto& d : s.devices()) {
    StatTree device;
    device.value("events", d->events_handled(), "events");
    d->port_statistics(device, layer, end);
    d->statistics(device);
    members.emplace_back(d->name(), device.to_json());
  }
  return all;
}

ordered_json results_of(const build::Simulation& simulation, const RunLoop& loop) {
  auto all = results_between(simulation, loop.begin(), loop.end(), &loop.arrivals());
  flow_results(simulation, loop.begin(), loop.arrivals(), all);
  ordered_json results = ordered_json::object();
  for (const auto& r : all) results[r.name] = {{"value", r.value}, {"unit", r.unit}};
  return results;
}

ordered_json rows_of(const build::Simulation& simulation, const RunLoop& loop) {
  ordered_json rows = ordered_json::object();
  if (!simulation.groups().empty()) rows["groups"] = group_rows(simulation);
  if (!simulation.messages().empty())
    rows["size_bins"] = size_bin_rows(simulation, loop.begin().time);
  for (std::size_t i = 0; i < simulation.platform().traffic.size(); ++i)
    flows::traffic_of(simulation.platform(), i).add_rows(rows);
  return rows;
}

}  // namespace

ordered_json run_summary(build::Simulation& simulation, const RunLoop& loop,
                         results::Verdict verdict) {
  const config::PlatformConfig& platform = simulation.platform();
  ordered_json config = platform.effective;
  config.erase("sweep");
  std::string hash = config::hash_of(config);
  ordered_json summary = results::summary_head({.platform = platform.about.name,
                                                .config = std::move(config),
                                                .config_hash = std::move(hash),
                                                .seed = platform.sim.seed,
                                                .verdict = name_of(verdict),
                                                .sim_time = loop.now(),
                                                .wall_s = loop.wall_seconds()});
  std::uint64_t events = 0, hops = 0;
  for (const auto& d : simulation.devices()) {
    events += d->events_handled();
    for (unsigned i = 0; i < d->ports(); ++i) hops += d->tx(i).counters().packets;
  }
  summary["packets"] = balanced_packets(simulation, simulation.context().pool);
  summary["events"] = events;
  summary["packet_hops"] = hops;
  summary["measured_from_ps"] = loop.begin().time.count();
  summary["measured_to_ps"] = loop.end().time.count();
  summary["results"] = results_of(simulation, loop);
  summary["rows"] = rows_of(simulation, loop);
  summary["validation"] = ordered_json::array();
  summary["statistics"] = device_statistics(simulation, loop.now());
  return summary;
}

}  // namespace horae::run
