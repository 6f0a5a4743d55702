#include <utility>

#include "horae/core/registry.hpp"
#include "horae/workload/plugin.hpp"
#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {

// One function of each source of kinds/ that is a kind.
TrafficKind messages_kind();
TrafficKind batch_kind();
TrafficKind packets_kind();
TrafficKind collective_kind();
TrafficKind flows_kind();
TrafficKind incast_kind();
TrafficKind flow_list_kind();
TrafficKind pipeline_kind();
TrafficKind goal_kind();

namespace {
Registry<TrafficKind>& kind_registry() {
  static Registry<TrafficKind> all(
      "kind of traffic",
      {messages_kind(), packets_kind(), collective_kind(), flows_kind(), incast_kind(),
       flow_list_kind(), pipeline_kind(), batch_kind(), goal_kind()});
  return all;
}
}  // namespace

const std::vector<TrafficKind>& traffic_kinds() { return kind_registry().all(); }
void add_traffic_kind(TrafficKind kind) { kind_registry().add(std::move(kind)); }

}  // namespace horae::workload
