// Facts about the network for NICs that choose entropy values.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "horae/config/platform.hpp"
#include "horae/workload/ideal_times.hpp"

namespace horae::elaboration {

class Steering {
 public:
  explicit Steering(const config::PlatformConfig& platform);

  /// The profile with whether switches trim, and with its round trip, where it is needed and not
  /// given: the longest one of the profile's first device to any other NIC.
  rnic::RnicConfig told(const rnic::RnicConfig& nic, unsigned device);

 private:
  const config::PlatformConfig& platform_;
  bool trims_;
  std::optional<workload::IdealTimes> times_;
  std::map<std::string, Picoseconds> longest_;  ///< by profile
};

}  // namespace horae::elaboration
