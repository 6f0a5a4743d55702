// Who is connected to whom, and the shortest-path routes that follow.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/fabric/routes/route_table.hpp"

namespace horae::fabric {

/// An undirected multigraph of devices. Ports are numbered per device in the order in which its
/// edges are added.
class Topology {
 public:
  static constexpr NodeId no_node = ~NodeId{0};

  struct Vertex {
    std::string name;
    NodeId node = no_node;  ///< address of an end point; no_node for a switch
    unsigned ports = 0;     ///< used so far
  };
  struct Edge {
    unsigned a = 0, port_a = 0, b = 0, port_b = 0;
  };

  /// Adds a switch; returns its index.
  unsigned add_switch(std::string name) { return add(std::move(name), no_node); }
  /// Adds an end point; node ids are given in this order, from 0.
  unsigned add_endpoint(std::string name) { return add(std::move(name), endpoints_++); }
  /// Joins two devices by their next free ports; returns the edge's index.
  unsigned add_edge(unsigned a, unsigned b);

  const std::vector<Vertex>& vertices() const { return vertices_; }
  const std::vector<Edge>& edges() const { return edges_; }
  /// Whether both ends of an edge are switches.
  bool between_switches(const Edge& e) const {
    return vertices_[e.a].node == no_node && vertices_[e.b].node == no_node;
  }
  /// The ports of a device that lead to switches, ascending, but for withdrawn edges.
  std::vector<std::uint16_t> switch_ports(unsigned vertex,
                                          const std::vector<bool>& withdrawn = {}) const;
  NodeId endpoints() const { return endpoints_; }
  /// Index of the device of that name, the first one of several, or -1.
  int find(const std::string& name) const;

  /// The routes of every device: towards each end point, all ports on shortest paths (fewest
  /// links), never through another end point. Indexed like vertices().
  std::vector<RouteTable> shortest_path_routes() const { return shortest_path_routes({}); }
  /// The same without some edges (by index, true: withdrawn), detours included: all that a full
  /// recomputation finds.
  std::vector<RouteTable> shortest_path_routes(const std::vector<bool>& withdrawn) const;
  /// Routes left when routing withdraws edges (by index, true: withdrawn): the ports that
  /// still are on a shortest path. No detours: a device whose ports are all gone has no route, as
  /// in a Clos where nothing that came down goes up again.
  std::vector<RouteTable> routes_without(const std::vector<bool>& withdrawn) const;

 private:
  unsigned add(std::string name, NodeId node);

  std::vector<Vertex> vertices_;
  std::vector<Edge> edges_;
  std::unordered_map<std::string, unsigned> by_name_;  ///< vertices
  NodeId endpoints_ = 0;
};

}  // namespace horae::fabric
