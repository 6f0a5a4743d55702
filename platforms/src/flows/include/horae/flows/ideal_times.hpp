// How long a message would take in an idle network.
#pragma once

#include <vector>

#include "horae/config/platform.hpp"

namespace horae::flows {

/// Completion times without anybody else: from posting to the last acknowledgement, on a shortest
/// path, at line rate, with no window, rate or host memory in the way.
class IdealTimes {
 public:
  explicit IdealTimes(const config::PlatformConfig& platform);
  /// Of a message between two NICs (device indices), as `sim.ideal` has it.
  Picoseconds completion(unsigned from, unsigned to, Bytes bytes) const;
  /// Of one packet of the sender's MTU and its acknowledgement.
  Picoseconds round_trip(unsigned from, unsigned to) const;

 private:
  struct Hop {
    BitRate rate{};
    Picoseconds before{};  ///< from the last bit received (or the decision) to the first bit sent
    Picoseconds delay{};
  };
  std::vector<Hop> path(unsigned from, unsigned to) const;
  Picoseconds in_idle_network(unsigned from, unsigned to, Bytes bytes) const;
  Picoseconds by_base_rtt(unsigned from, unsigned to, Bytes bytes) const;

  const config::PlatformConfig& platform_;
  std::vector<fabric::RouteTable> routes_;
  std::vector<std::vector<std::size_t>> links_;  ///< by device and port: the link there
};

}  // namespace horae::flows
