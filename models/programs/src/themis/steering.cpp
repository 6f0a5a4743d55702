#include "steering.hpp"

namespace horae::programs::themis {

using dataplane::Gress;
using dataplane::HashSpec;
using dataplane::Needs;
using dataplane::RegisterSpec;

Steering::Steering(dataplane::Pipeline& pipeline, const ThemisConfig& config,
                   const dataplane::Object& routes, const dataplane::Gateway& is_data,
                   const dataplane::Object* index, const std::vector<PathTier>& tiers)
    : function_(config.hash),
      pathmap_(pipeline, Gress::ingress, "pathmap",
               RegisterSpec{.width = 16, .entries = config.paths, .reads = {"path_index"}},
               index != nullptr ? Needs{matches(*index), guarded_by(is_data)}
                                : Needs{guarded_by(is_data)}),
      set_port_(pipeline, Gress::ingress, "set_source_port", {}, Needs{uses(pathmap_.array)}),
      hash_(pipeline, Gress::ingress, "uplink_hash",
            HashSpec{.input_bits = 104, .output_bits = LinearHash::bits},
            Needs{matches(set_port_)}),
      choose_(pipeline, Gress::ingress, "choose_uplink", {}, Needs{uses(hash_), uses(routes)}) {
  const auto map = path_map(tiers, config.paths);
  for (std::size_t i = 0; i < map.size(); ++i) pathmap_.array.write(i, map[i]);
}

}  // namespace horae::programs::themis
