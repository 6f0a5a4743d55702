// Whether those that send still reach those they send to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/fabric/routes/route_table.hpp"

namespace horae::config {

/// The pairs of switches between which a platform's traffic goes, and the directions of links that
/// are still there. A path is a shortest one: routing does not learn of what fails.
class KeptPaths {
 public:
  /// A direction of a link: its edge, and whether it is the one from the edge's second device.
  struct Direction {
    std::size_t link = 0;
    bool backward = false;
  };

  /// `answers`: what comes back needs a path as well.
  KeptPaths(const PlatformConfig& platform, bool answers);

  /// Takes directions away, unless a pair has no path left then; returns whether it did.
  bool take(const std::vector<Direction>& directions);

 private:
  bool complete() const;
  /// Whether a path leads from `vertex` to the switch of node `to`; `known` by vertex: 0: not
  /// asked.
  bool leads(unsigned vertex, NodeId to, std::vector<std::int8_t>& known) const;

  const fabric::Topology& topology_;
  std::vector<fabric::RouteTable> routes_;
  std::vector<std::vector<Direction>> out_;  ///< by vertex and port
  std::vector<std::array<bool, 2>> gone_;    ///< by link: forward, backward
  /// By a node behind the receiver's switch: the senders' switches.
  std::map<NodeId, std::set<unsigned>> senders_;
};

}  // namespace horae::config
