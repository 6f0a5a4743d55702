#include "horae/fabric/topology.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <iterator>

namespace horae::fabric {

unsigned Topology::add_switch(std::string name) {
  vertices_.push_back({.name = std::move(name)});
  return static_cast<unsigned>(vertices_.size()) - 1;
}

unsigned Topology::add_endpoint(std::string name) {
  vertices_.push_back({.name = std::move(name), .node = endpoints_++});
  return static_cast<unsigned>(vertices_.size()) - 1;
}

unsigned Topology::add_edge(unsigned a, unsigned b) {
  edges_.push_back({a, vertices_[a].ports++, b, 0});
  edges_.back().port_b = vertices_[b].ports++;
  return static_cast<unsigned>(edges_.size()) - 1;
}

int Topology::find(const std::string& name) const {
  const auto it = std::find_if(vertices_.begin(), vertices_.end(),
                               [&](const Vertex& v) { return v.name == name; });
  return it == vertices_.end() ? -1 : static_cast<int>(it - vertices_.begin());
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

std::vector<RouteTable> Topology::routes_without(const std::vector<bool>& withdrawn) const {
  const auto before = routes({});
  const auto after = routes(withdrawn);
  std::vector<RouteTable> out(vertices_.size());
  std::vector<std::uint16_t> both;
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    for (NodeId node = 0; node < endpoints_; ++node) {
      const auto a = before[v].towards(node), b = after[v].towards(node);
      both.clear();
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
      out[v].set(node, both);
    }
  }
  return out;
}

std::vector<RouteTable> Topology::routes(const std::vector<bool>& withdrawn) const {
  const auto in_use = [&](const Edge& e) {
    const auto i = static_cast<std::size_t>(&e - edges_.data());
    return i >= withdrawn.size() || !withdrawn[i];
  };
  // A search from a destination follows links backwards. End points do not forward, so edges leave
  // switches and, for its own search, the destination.
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Graph backwards(vertices_.size());
  const auto add_out_edges = [&](auto&& leaves) {
    for (const auto& e : edges_) {
      if (!in_use(e)) continue;
      if (leaves(e.a)) boost::add_edge(e.a, e.b, backwards);
      if (leaves(e.b)) boost::add_edge(e.b, e.a, backwards);
    }
  };
  add_out_edges([&](unsigned v) { return vertices_[v].node == no_node; });
  constexpr int unreachable = -1;
  std::vector<RouteTable> routes(vertices_.size());
  std::vector<std::vector<std::uint16_t>> ports(vertices_.size());
  for (unsigned v = 0; v < vertices_.size(); ++v) {
    if (vertices_[v].node == no_node) continue;
    std::vector<int> distance(vertices_.size(), unreachable);
    distance[v] = 0;
    add_out_edges([v](unsigned u) { return u == v; });
    boost::breadth_first_search(backwards, v,
                                boost::visitor(boost::make_bfs_visitor(boost::record_distances(
                                    distance.data(), boost::on_tree_edge()))));
    boost::clear_out_edges(v, backwards);
    for (auto& p : ports) p.clear();
    for (const auto& e : edges_) {
      if (!in_use(e)) continue;
      // A device forwards over an edge if the other end is one link nearer to the destination.
      const auto forwards = [&](unsigned u) { return u == v || vertices_[u].node == no_node; };
      if (distance[e.a] > 0 && distance[e.b] == distance[e.a] - 1 && forwards(e.b)) {
        ports[e.a].push_back(static_cast<std::uint16_t>(e.port_a));
      }
      if (distance[e.b] > 0 && distance[e.a] == distance[e.b] - 1 && forwards(e.a)) {
        ports[e.b].push_back(static_cast<std::uint16_t>(e.port_b));
      }
    }
    for (unsigned u = 0; u < vertices_.size(); ++u) {
      std::sort(ports[u].begin(), ports[u].end());
      routes[u].set(vertices_[v].node, ports[u]);
    }
  }
  return routes;
}

}  // namespace horae::fabric
