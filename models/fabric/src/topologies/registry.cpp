#include "horae/fabric/topology_kind.hpp"

namespace horae::fabric {

// Each is in a source of its name.
TopologyKind leaf_spine();
TopologyKind fat_tree();
TopologyKind jellyfish();

const std::vector<TopologyKind>& topology_kinds() {
  static const std::vector<TopologyKind> all = {leaf_spine(), fat_tree(), jellyfish()};
  return all;
}

}  // namespace horae::fabric
