#include "horae/workload/nic_demands.hpp"

#include <utility>

namespace horae::workload {

void NicDemands::add(unsigned device, std::uint32_t queue_pairs, std::uint32_t outstanding,
                     Bytes memory) {
  if (queue_pairs == 0) return;
  auto& groups = nics_[device].groups;
  for (auto& group : groups) {
    if (group.outstanding != outstanding || group.memory != memory) continue;
    group.queue_pairs += queue_pairs;
    return;
  }
  groups.push_back({queue_pairs, outstanding, memory});
}

void NicDemands::share(unsigned device, QueuePairShare share) {
  nics_[device].shares.push_back(std::move(share));
}

}  // namespace horae::workload
