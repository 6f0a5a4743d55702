// For plug-ins: one more generated network, one more kind of module on a link or of end point, one
// more block with AXI4-Stream pins.
#pragma once

#include "horae/fabric/end_point.hpp"
#include "horae/fabric/middlebox.hpp"
#include "horae/fabric/module_kind.hpp"
#include "horae/fabric/modules/axi_stream_signals.hpp"
#include "horae/fabric/modules/stream_block.hpp"
#include "horae/fabric/topology_kind.hpp"

namespace horae::fabric {

/// Before the registry is first read; InputError for a name that is taken (Registry::add).
void add_topology_kind(TopologyKind kind);
void add_module_kind(ModuleKind kind);

}  // namespace horae::fabric
