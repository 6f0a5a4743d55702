#include "horae/core/registry.hpp"

#include <utility>

#include "horae/fabric/plugin.hpp"
#include "horae/fabric/topology_kind.hpp"

namespace horae::fabric {

// Each is in a source of its name.
TopologyKind leaf_spine();
TopologyKind fat_tree();
TopologyKind jellyfish();
TopologyKind two_sites();
TopologyKind ns3_topology();
TopologyKind htsim_topology();

namespace {
Registry<TopologyKind>& topology_registry() {
  static Registry<TopologyKind> all("topology", {leaf_spine(), fat_tree(), jellyfish(), two_sites(),
                                                 ns3_topology(), htsim_topology()});
  return all;
}
}  // namespace

const std::vector<TopologyKind>& topology_kinds() { return topology_registry().all(); }
void add_topology_kind(TopologyKind kind) { topology_registry().add(std::move(kind)); }

}  // namespace horae::fabric
