// Destination to equal-cost ports.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "horae/core/packet.hpp"

namespace horae::fabric {

/// Forwarding state of a switch: for every node, the ports on its shortest paths, ascending.
class RouteTable {
 public:
  /// Sets the ports towards `node` (none: unreachable).
  void set(NodeId node, const std::vector<std::uint16_t>& ports) {
    if (node >= first_.size()) first_.resize(node + 1);
    first_[node] = {static_cast<std::uint32_t>(ports_.size()),
                    static_cast<std::uint32_t>(ports.size())};
    ports_.insert(ports_.end(), ports.begin(), ports.end());
  }
  /// The ports towards `node`; empty if there is no route.
  std::span<const std::uint16_t> towards(NodeId node) const {
    if (node >= first_.size()) return {};
    const Range range = first_.data()[node];
    return {ports_.data() + range.begin, range.count};
  }

 private:
  struct Range {
    std::uint32_t begin = 0, count = 0;
  };
  std::vector<Range> first_;
  std::vector<std::uint16_t> ports_;
};

}  // namespace horae::fabric
