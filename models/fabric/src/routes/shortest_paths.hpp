// Shortest paths of a topology, as route tables of its devices.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "horae/fabric/routes/route_table.hpp"
#include "horae/fabric/topology.hpp"

namespace horae::fabric {

/// Finds the routes of all devices of a topology. One search for each group of end points, over the
/// switches: an end point with one link has the routes of the switch at its other end.
class ShortestPaths {
 public:
  /// Groups are of end points whose only link is not among `withdrawn` (edges by index, true:
  /// withdrawn); every other end point is a group of its own.
  ShortestPaths(const Topology& topology, const std::vector<bool>& withdrawn);

  /// The routes without some edges, which have to be withdrawn ones or none. Indexed like the
  /// topology's vertices.
  std::vector<RouteTable> tables(const std::vector<bool>& without) const;

 private:
  static constexpr std::uint32_t no_group = ~std::uint32_t{0};
  static constexpr std::uint32_t no_home = ~std::uint32_t{0};
  struct Neighbour {
    unsigned vertex = 0;
    std::uint16_t port = 0;
  };
  /// Links of the vertices that searches go over, each vertex's by its ports.
  using Links = std::vector<std::vector<Neighbour>>;

  bool endpoint(unsigned v) const { return topology_.vertices()[v].node != Topology::no_node; }
  void group_end_points();
  Links links_without(const std::vector<bool>& without) const;
  /// Appends to each vertex's ports those towards the group whose search begins at `root`.
  void search(unsigned root, const Links& links, std::vector<RouteTable::Ports>& ports) const;

  const Topology& topology_;
  std::vector<std::uint32_t> home_;      ///< by vertex: of a grouped end point, its switch
  std::vector<std::uint32_t> group_of_;  ///< by vertex: the group whose search begins there
  std::vector<unsigned> roots_;          ///< by group
  /// By group of the end points of a switch, the switch's port of each member; empty: a group of
  /// one.
  std::vector<std::vector<std::uint16_t>> member_ports_;
  std::shared_ptr<const NodeGroups> groups_;
};

}  // namespace horae::fabric
