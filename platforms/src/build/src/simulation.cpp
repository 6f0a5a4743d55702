#include "horae/build/simulation.hpp"

#include <algorithm>

#include "horae/config/path_tiers.hpp"
#include "horae/flows/nic_fit.hpp"

namespace horae::build {

Simulation::Simulation(const config::PlatformConfig& platform)
    : platform_(platform),
      context_({.mode = platform.sim.scheduling, .window = platform.sim.window}, platform.sim.seed),
      routing_(platform),
      connections_(platform, devices_) {
  flows::require_fit(platform);
  const auto routes = platform.topology.shortest_path_routes();
  config::check_path_maps(platform, routes);
  devices_ = build_devices(platform, context_, routes, routing_.paths(), levels_);
  connections_.build();
  levels_.check(platform);
}

Picoseconds Simulation::arrivals_end() const {
  Picoseconds end{};
  for (std::size_t table = 0; table < platform_.traffic.size(); ++table)
    end = std::max(end, flows::traffic_of(platform_, table).arrivals_end(platform_));
  return end;
}

bool Simulation::finished() const {
  const bool hosts_done = std::all_of(devices_.hosts.begin(), devices_.hosts.end(),
                                      [](const auto* h) { return h->next_time() == never; });
  return hosts_done && !work_left() && context_.pool.live() == 0;
}

bool Simulation::work_left() const {
  // The one that was not finished when last asked comes first: mostly it still is not.
  const auto& nics = devices_.nics;
  for (std::size_t asked = 0; asked < nics.size(); ++asked) {
    if (!nics[unfinished_]->finished()) return true;
    unfinished_ = unfinished_ + 1 == nics.size() ? 0 : unfinished_ + 1;
  }
  return false;
}

}  // namespace horae::build
