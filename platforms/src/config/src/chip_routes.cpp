#include "horae/config/chip_routes.hpp"

namespace horae::config {

programs::Routes chip_routes(const PlatformConfig& platform, unsigned vertex,
                             const fabric::RouteTable& table) {
  programs::Routes routes;
  const auto& vertices = platform.topology.vertices();
  for (NodeId node = 0; node < platform.topology.endpoints(); ++node) {
    const auto ports = table.towards(node);
    routes.entries.push_back({node, {ports.begin(), ports.end()}, false});
  }
  if (const auto site = platform.devices[vertex].site; site && platform.has_sites()) {
    routes.far.emplace();
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      if (vertices[i].node != fabric::Topology::no_node && platform.devices[i].site != site)
        routes.far->push_back(vertices[i].node);
    }
  }
  routes.number = vertex;
  routes.port_rates.resize(vertices[vertex].ports);
  for (std::size_t i = 0; i < platform.topology.edges().size(); ++i) {
    const auto& e = platform.topology.edges()[i];
    if (e.a != vertex && e.b != vertex) continue;
    const auto& link = platform.links[i];
    if (e.a == vertex) routes.port_rates.at(e.port_a) = link.config.rate;
    if (e.b == vertex) routes.port_rates.at(e.port_b) = link.backward.rate;
    const NodeId node = vertices[e.a == vertex ? e.b : e.a].node;
    if (node != fabric::Topology::no_node) routes.entries[node].attached = true;
  }
  const auto& profile =
      std::get<TofinoProfile>(platform.profiles.at(platform.devices[vertex].profile));
  routes.queues_per_port = profile.chip.queues_per_port;
  for (unsigned port = 0; port < vertices[vertex].ports; ++port) {
    routes.pipeline_of_port.push_back(profile.chip.pipeline_of_port.empty()
                                          ? port / profile.chip.ports_per_pipeline
                                          : profile.chip.pipeline_of_port[port]);
  }
  return routes;
}

}  // namespace horae::config
