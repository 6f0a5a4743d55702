#include "horae/flows/traffic_kind.hpp"

namespace horae::flows {

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

const std::vector<TrafficKind>& traffic_kinds() {
  static const std::vector<TrafficKind> all = {messages_kind(), packets_kind(), collective_kind(),
                                               flows_kind(),    incast_kind(),  flow_list_kind(),
                                               pipeline_kind(), batch_kind(),   goal_kind()};
  return all;
}

}  // namespace horae::flows
