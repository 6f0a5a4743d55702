#include "horae/fabric/topology.hpp"

#include <algorithm>
#include <iterator>
#include <memory>

#include "routes/shortest_paths.hpp"

namespace horae::fabric {
namespace {

/// The ports that both have, of tables with the same groups.
std::shared_ptr<const RouteTable::Ports> common(const RouteTable::Ports& a,
                                                const RouteTable::Ports& b) {
  auto out = std::make_shared<RouteTable::Ports>();
  std::vector<std::uint16_t> both;
  for (std::size_t g = 0; g < a.ranges.size(); ++g) {
    const auto ra = a.ranges[g], rb = b.ranges[g];
    const auto begin_a = a.ports.begin() + ra.begin, begin_b = b.ports.begin() + rb.begin;
    if (ra.stride != 0) {
      // The end points of the switch itself, whose links are in use.
      const auto end = g + 1 < a.ranges.size() ? a.ranges[g + 1].begin : a.ports.size();
      out->add_members({begin_a, a.ports.begin() + end});
      continue;
    }
    both.clear();
    std::set_intersection(begin_a, begin_a + ra.count, begin_b, begin_b + rb.count,
                          std::back_inserter(both));
    out->add(both);
  }
  return out;
}

}  // namespace

unsigned Topology::add(std::string name, NodeId node) {
  const auto vertex = static_cast<unsigned>(vertices_.size());
  by_name_.try_emplace(name, vertex);
  vertices_.push_back({.name = std::move(name), .node = node});
  return vertex;
}

unsigned Topology::add_edge(unsigned a, unsigned b) {
  edges_.push_back({a, vertices_[a].ports++, b, 0});
  edges_.back().port_b = vertices_[b].ports++;
  return static_cast<unsigned>(edges_.size()) - 1;
}

int Topology::find(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? -1 : static_cast<int>(it->second);
}

std::vector<std::uint16_t> Topology::switch_ports(unsigned vertex,
                                                  const std::vector<bool>& withdrawn) const {
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Edge& e = edges_[i];
    if (i < withdrawn.size() && withdrawn[i]) continue;
    if (e.a == vertex && vertices_[e.b].node == no_node)
      ports.push_back(static_cast<std::uint16_t>(e.port_a));
    if (e.b == vertex && vertices_[e.a].node == no_node)
      ports.push_back(static_cast<std::uint16_t>(e.port_b));
  }
  std::sort(ports.begin(), ports.end());
  return ports;
}

std::vector<RouteTable> Topology::shortest_path_routes(const std::vector<bool>& withdrawn) const {
  return ShortestPaths(*this, withdrawn).tables(withdrawn);
}

std::vector<RouteTable> Topology::routes_without(const std::vector<bool>& withdrawn) const {
  const ShortestPaths paths(*this, withdrawn);
  const auto before = paths.tables({}), after = paths.tables(withdrawn);
  std::vector<RouteTable> out;
  out.reserve(vertices_.size());
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    // Devices that share their ports before and after share what both have.
    const bool shared = v > 0 && before[v].ports() == before[v - 1].ports() &&
                        after[v].ports() == after[v - 1].ports();
    out.emplace_back(before[v].groups(),
                     shared ? out.back().ports() : common(*before[v].ports(), *after[v].ports()),
                     vertices_[v].node);
  }
  return out;
}

}  // namespace horae::fabric
