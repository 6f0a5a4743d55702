#include "horae/elaboration/routing.hpp"

#include <utility>

#include "horae/config/chip_routes.hpp"

namespace horae::elaboration {

std::shared_ptr<const fabric::PathTable> Routing::paths() const {
  if (platform_.routing.kind != config::RoutingConfig::Kind::ksp) return nullptr;
  return std::make_shared<const fabric::PathTable>(platform_.topology, platform_.routing.paths,
                                                   platform_.sim.seed, withdrawn_);
}

void Routing::apply(std::span<const config::RouteChange> changes, const Devices& devices) {
  withdrawn_.resize(platform_.links.size());
  for (const auto& change : changes) withdrawn_[change.link] = change.withdrawn;
  const auto& topology = platform_.topology;
  const auto routes = platform_.detours ? topology.shortest_path_routes(withdrawn_)
                                        : topology.routes_without(withdrawn_);
  const auto table = paths();
  for (std::size_t i = 0; i < devices.all.size(); ++i) {
    if (!devices.all[i]->runs_here()) continue;
    if (auto* plain = dynamic_cast<fabric::output_queued_switch*>(devices.all[i].get())) {
      const auto vertex = static_cast<unsigned>(i);
      plain->routes() = routes[i];
      plain->set_switch_ports(topology.switch_ports(vertex, withdrawn_));
      plain->set_paths(table, vertex);
    } else if (auto* chip = dynamic_cast<tofino::tofino_switch*>(devices.all[i].get())) {
      chip->update(config::chip_routes(platform_, static_cast<unsigned>(i), routes[i]));
    }
  }
  for (const auto& change : changes) {
    if (change.drain) drain(change, devices);
  }
}

void Routing::drain(const config::RouteChange& change, const Devices& devices) const {
  const auto& e = platform_.topology.edges()[change.link];
  for (const auto& [vertex, port] : {std::pair{e.a, e.port_a}, {e.b, e.port_b}}) {
    auto* plain = dynamic_cast<fabric::output_queued_switch*>(devices.all[vertex].get());
    if (plain != nullptr && plain->runs_here()) plain->drain(port, change.at);
  }
}

}  // namespace horae::elaboration
