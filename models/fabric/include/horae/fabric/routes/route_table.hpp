// Destination to equal-cost ports.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "horae/core/packet.hpp"

namespace horae::fabric {

/// End points that most devices forward to alike: those behind one switch are a group. All tables
/// of a network share one of these.
struct NodeGroups {
  struct Place {
    std::uint32_t group = 0;
    std::uint32_t member = 0;  ///< number within the group
  };
  std::vector<Place> places;  ///< by node
  std::uint32_t groups = 0;
};

/// Forwarding state of a switch: for every node, the ports on its shortest paths, ascending.
///
/// Ports are kept by group of nodes, so a table does not grow with the end points that are
/// elsewhere. Copies share what they point to.
class RouteTable {
 public:
  /// The ports towards a group: `count` from `begin`, or, of a group that is reached by a port for
  /// each member, `count` from `begin + member * stride`.
  struct Range {
    std::uint32_t begin = 0;
    std::uint16_t count = 0, stride = 0;
  };
  struct Ports {
    std::vector<Range> ranges;  ///< by group
    std::vector<std::uint16_t> ports;

    /// Appends the range of the next group; ports that are those of the group before are kept once.
    void add(std::span<const std::uint16_t> towards);
    /// Appends that of a group with a port for each member.
    void add_members(std::span<const std::uint16_t> towards);
  };

  RouteTable() = default;
  /// `self`: the device's own address, which it has no port towards; of a switch none.
  RouteTable(std::shared_ptr<const NodeGroups> groups, std::shared_ptr<const Ports> ports,
             NodeId self = no_self);

  /// Sets the ports towards `node` (none: unreachable). For tables made by hand: it takes as long
  /// as there are nodes.
  void set(NodeId node, const std::vector<std::uint16_t>& ports);

  /// The ports towards `node`; empty if there is no route.
  std::span<const std::uint16_t> towards(NodeId node) const {
    if (node >= nodes_ || node == self_) return {};
    const NodeGroups::Place place = places_[node];
    const Range range = ranges_[place.group];
    return {ports_ + range.begin + place.member * range.stride, range.count};
  }
  /// Whether there is a route to every node but itself.
  bool complete() const;

  const std::shared_ptr<const NodeGroups>& groups() const { return groups_of_; }
  const std::shared_ptr<const Ports>& ports() const { return ports_of_; }

 private:
  static constexpr NodeId no_self = ~NodeId{0};

  // Into what is shared, where a packet looks.
  const NodeGroups::Place* places_ = nullptr;
  const Range* ranges_ = nullptr;
  const std::uint16_t* ports_ = nullptr;
  NodeId nodes_ = 0;
  NodeId self_ = no_self;
  std::shared_ptr<const NodeGroups> groups_of_;
  std::shared_ptr<const Ports> ports_of_;
};

}  // namespace horae::fabric
