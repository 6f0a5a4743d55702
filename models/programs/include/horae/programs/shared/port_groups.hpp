// The sets of ports that routes lead to.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "horae/programs/program.hpp"

namespace horae::programs {

/// Ports of a destination: `count` members from `first`.
struct PortGroup {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
};

/// Routes as two tables hold them: a group for each node, and the ports of the groups, every set of
/// ports once.
class PortGroups {
 public:
  explicit PortGroups(const Routes& routes);

  const std::vector<std::pair<NodeId, PortGroup>>& nodes() const { return nodes_; }
  /// By member number.
  const std::vector<std::uint16_t>& ports() const { return ports_; }

  /// InputError when the program's tables are too small for them.
  void check_sizes(const std::string& pipeline, std::size_t route_entries,
                   std::size_t member_entries) const;

 private:
  std::vector<std::pair<NodeId, PortGroup>> nodes_;
  std::vector<std::uint16_t> ports_;
};

}  // namespace horae::programs
