#include "horae/fabric/topology_kind.hpp"

namespace horae::fabric {

// Each is in a source of its name.
TopologyKind leaf_spine();
TopologyKind fat_tree();
TopologyKind jellyfish();
TopologyKind two_sites();

const std::vector<TopologyKind>& topology_kinds() {
  static const std::vector<TopologyKind> all = {leaf_spine(), fat_tree(), jellyfish(), two_sites()};
  return all;
}

}  // namespace horae::fabric
