// Demand of traffic on the memory of its NICs' chips.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/rnic/nic_budget.hpp"

namespace horae::workload {

/// Queue pairs of a NIC that follow a key of the user's: `times` of them for each one of its value.
struct QueuePairShare {
  std::string key;  ///< as `--set` takes it
  std::uint32_t qps = 0;
  std::uint32_t times = 0;
};

/// Queue pairs by device of the platform, as its traffic tables ask for them.
class NicDemands {
 public:
  explicit NicDemands(std::size_t devices) : nics_(devices) {}

  /// Queue pairs of a group. Groups that are alike are one.
  void add(unsigned device, rnic::QueuePairGroup group);
  void share(unsigned device, QueuePairShare share);

  const std::vector<rnic::QueuePairGroup>& groups(std::size_t device) const {
    return nics_[device].groups;
  }
  const std::vector<QueuePairShare>& shares(std::size_t device) const {
    return nics_[device].shares;
  }

 private:
  struct Nic {
    std::vector<rnic::QueuePairGroup> groups;
    std::vector<QueuePairShare> shares;
  };
  std::vector<Nic> nics_;
};

}  // namespace horae::workload
