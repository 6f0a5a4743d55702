// Several paths between two switches, longer ones included.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "horae/core/header_extension.hpp"
#include "horae/fabric/topology.hpp"

namespace horae::fabric {

/// The number of the path that the first switch chose for a packet.
inline constexpr HeaderExtension path_number{.feature = "the path's number",
                                             .between = "switches",
                                             .acknowledgements = true,
                                             .metadata = 0xffff};

/// The k shortest loopless paths (Yen, Management Science 17(11), 1971; by number of links;
/// computed by igraph) between every two switches that have end points, as Jellyfish routes (Singla
/// et al., NSDI 2012, section 5). Which of several equally long ones are among the k is random, by
/// source switch. The first switch chooses a path for a packet and writes its number into it; every
/// switch on the way looks up its next hop by the packet's source, destination and that number. All
/// switches share one table.
class PathTable {
 public:
  struct Hop {
    std::uint16_t vertex = 0;  ///< of the topology
    std::uint16_t port = 0;    ///< it leaves this device by
  };

  /// `withdrawn` edges (by index, true: withdrawn) are not used.
  PathTable(const Topology& topology, unsigned k, std::uint64_t seed,
            const std::vector<bool>& withdrawn = {});

  /// Vertex of the switch that an end point is joined to.
  unsigned home(NodeId node) const { return homes_[home_[node]]; }
  /// The ports by which the paths between the switches of two end points leave the first one,
  /// shortest first; none where both have the same switch, or where no path is left.
  std::span<const std::uint16_t> first_ports(NodeId src, NodeId dst) const {
    const Range range = pairs_[pair(src, dst)];
    return {first_ports_.data() + range.begin, range.count};
  }
  /// The port by which path number `path` leaves a device; none if it does not lead through it.
  std::optional<std::uint16_t> port(NodeId src, NodeId dst, unsigned path, unsigned vertex) const {
    for (const Hop& hop : hops(src, dst, path)) {
      if (hop.vertex == vertex) return hop.port;
    }
    return std::nullopt;
  }
  /// A path, switch by switch without the last; empty if there is none of that number.
  std::span<const Hop> hops(NodeId src, NodeId dst, unsigned path) const {
    const Range range = pairs_[pair(src, dst)];
    if (path >= range.count) return {};
    const std::size_t i = range.begin + path;
    return {hops_.data() + first_hop_[i], first_hop_[i + 1] - first_hop_[i]};
  }

 private:
  struct Range {
    std::uint32_t begin = 0, count = 0;
  };
  std::size_t pair(NodeId src, NodeId dst) const { return home_[src] * homes_.size() + home_[dst]; }

  std::vector<std::uint32_t> home_;         ///< by node: index into homes_
  std::vector<unsigned> homes_;             ///< vertices of switches that have end points
  std::vector<Range> pairs_;                ///< by pair of homes: its paths
  std::vector<std::uint16_t> first_ports_;  ///< by path
  std::vector<std::uint32_t> first_hop_;    ///< by path, and an end
  std::vector<Hop> hops_;
};

}  // namespace horae::fabric
