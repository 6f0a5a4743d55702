#include "horae/fabric/topology_kind.hpp"

namespace horae::fabric {

// Each is in a source of its name.
TopologyKind leaf_spine();
TopologyKind fat_tree();
TopologyKind jellyfish();
TopologyKind two_sites();
TopologyKind ns3_topology();
TopologyKind htsim_topology();

const std::vector<TopologyKind>& topology_kinds() {
  static const std::vector<TopologyKind> all = {leaf_spine(), fat_tree(),     jellyfish(),
                                                two_sites(),  ns3_topology(), htsim_topology()};
  return all;
}

}  // namespace horae::fabric
