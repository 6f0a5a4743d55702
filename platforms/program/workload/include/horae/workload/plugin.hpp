// For plug-ins: one more kind of traffic.
#pragma once

#include "horae/workload/traffic_kind.hpp"

namespace horae::workload {

/// Before the registry is first read; InputError for a name that is taken (Registry::add).
void add_traffic_kind(TrafficKind kind);

}  // namespace horae::workload
