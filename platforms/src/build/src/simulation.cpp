#include "horae/build/simulation.hpp"

#include <algorithm>

#include "horae/config/path_tiers.hpp"
#include "horae/fabric/rank_border.hpp"
#include "horae/flows/nic_fit.hpp"

namespace horae::build {

Simulation::Simulation(const config::PlatformConfig& platform, fabric::rank_border* border)
    : platform_(platform),
      context_({.mode = platform.sim.scheduling, .window = platform.sim.window}, platform.sim.seed),
      routing_(platform),
      connections_(platform, devices_) {
  flows::require_fit(platform);
  if (border != nullptr) context_.join(*border);
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
  const bool hosts_done =
      std::all_of(devices_.hosts.begin(), devices_.hosts.end(),
                  [](const auto* h) { return !h->runs_here() || h->next_time() == never; });
  const bool under_way = context_.border != nullptr && context_.border->waiting() > 0;
  return hosts_done && !work_left() && context_.pool.live() == 0 && !under_way;
}

fabric::rank_exchange* Simulation::ranks() const {
  return context_.border == nullptr ? nullptr : &context_.border->exchange();
}

bool Simulation::work_left() const {
  return !std::all_of(devices_.nics.begin(), devices_.nics.end(),
                      [](const rnic::rnic* n) { return !n->runs_here() || n->finished(); });
}

}  // namespace horae::build
