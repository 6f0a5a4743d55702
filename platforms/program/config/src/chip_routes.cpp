#include "horae/config/chip_routes.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::config {

std::optional<std::vector<NodeId>> nodes_of_other_sites(const PlatformConfig& platform,
                                                        unsigned vertex) {
  const auto site = platform.devices[vertex].site;
  if (!site || !platform.has_sites()) return std::nullopt;
  const auto& vertices = platform.topology.vertices();
  std::vector<NodeId> far;
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    if (vertices[i].node != fabric::Topology::no_node && platform.devices[i].site != site)
      far.push_back(vertices[i].node);
  }
  return far;
}

std::vector<bool> far_nodes(const PlatformConfig& platform, unsigned vertex,
                            const std::vector<NodeId>& given) {
  const auto& vertices = platform.topology.vertices();
  const auto other_sites = nodes_of_other_sites(platform, vertex);
  const bool by_list = !given.empty() || other_sites;
  std::vector<bool> far(platform.topology.endpoints(), !by_list);
  for (const NodeId node : given.empty() && other_sites ? *other_sites : given) {
    if (node >= far.size()) {
      const auto& device = platform.devices[vertex];
      throw input_error(device.where,
                        fmt::format("'{}': voq.remote_nodes has {}; expected one of the {} nodes",
                                    device.name, node, far.size()));
    }
    far[node] = true;
  }
  for (const auto& e : platform.topology.edges()) {
    if (by_list || (e.a != vertex && e.b != vertex)) continue;
    const NodeId node = vertices[e.a == vertex ? e.b : e.a].node;
    if (node != fabric::Topology::no_node) far[node] = false;
  }
  return far;
}

programs::Routes chip_routes(const PlatformConfig& platform, unsigned vertex,
                             const fabric::RouteTable& table) {
  programs::Routes routes;
  const auto& vertices = platform.topology.vertices();
  for (NodeId node = 0; node < platform.topology.endpoints(); ++node) {
    const auto ports = table.towards(node);
    routes.entries.push_back({node, {ports.begin(), ports.end()}, false});
  }
  routes.far = nodes_of_other_sites(platform, vertex);
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
