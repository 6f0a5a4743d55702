#include "horae/workload/nic_demands.hpp"

#include <utility>

namespace horae::workload {

void NicDemands::add(unsigned device, rnic::QueuePairGroup group) {
  if (group.queue_pairs == 0) return;
  auto& groups = nics_[device].groups;
  for (auto& there : groups) {
    if (there.outstanding != group.outstanding || there.memory != group.memory ||
        there.regions != group.regions || there.unreliable != group.unreliable ||
        there.requests != group.requests || there.answers != group.answers)
      continue;
    there.queue_pairs += group.queue_pairs;
    return;
  }
  groups.push_back(group);
}

void NicDemands::share(unsigned device, QueuePairShare share) {
  nics_[device].shares.push_back(std::move(share));
}

}  // namespace horae::workload
