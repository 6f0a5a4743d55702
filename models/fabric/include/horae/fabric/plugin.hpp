// For plug-ins: one more generated network.
#pragma once

#include "horae/fabric/topology_kind.hpp"

namespace horae::fabric {

/// Before anybody asks what there is; InputError for a name that is taken (Registry::add).
void add_topology_kind(TopologyKind kind);

}  // namespace horae::fabric
