// [leaf_spine]: a two-tier Clos.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "configured_topology.hpp"

namespace horae::fabric {
namespace {

/// Hosts h0.., leaves leaf0.., spines spine0.., every leaf to every spine. Ports of a leaf: its
/// hosts first, then the spines.
struct LeafSpineConfig {
  std::uint32_t leaves = 4;
  std::uint32_t spines = 4;
  std::uint32_t hosts_per_leaf = 4;
  std::optional<BitRate> host_rate;  ///< absent: as all links
  Located<std::string> host;
  Located<std::string> leaf;
  Located<std::string> spine;

  static const Schema<LeafSpineConfig>& schema();
  void check(const Section& /*table*/) const {}
  void generate(NetworkBuilder& network, const Section& table) const;
};

const Schema<LeafSpineConfig>& LeafSpineConfig::schema() {
  static const Schema<LeafSpineConfig> s =
      Schema<LeafSpineConfig>("leaf_spine",
                              "A generated two-tier Clos: hosts h0.., leaf0.., spine0..")
          .field("leaves", &LeafSpineConfig::leaves,
                 {.doc = "leaf switches", .min = 1, .max = 1024})
          .field("spines", &LeafSpineConfig::spines,
                 {.doc = "spine switches", .min = 1, .max = 1024})
          .field("hosts_per_leaf", &LeafSpineConfig::hosts_per_leaf,
                 {.doc = "end points of a leaf", .min = 1, .max = 1024})
          .field("host_rate", &LeafSpineConfig::host_rate,
                 {.doc = "rate of the end points' links; absent: that of [link_default]",
                  .min = 1_Gbps,
                  .max = 1600_Gbps})
          .required("host", &LeafSpineConfig::host, {.doc = "profile of the end points"})
          .required("leaf", &LeafSpineConfig::leaf, {.doc = "profile of the leaves"})
          .required("spine", &LeafSpineConfig::spine, {.doc = "profile of the spines"});
  return s;
}

void LeafSpineConfig::generate(NetworkBuilder& network, const Section& /*table*/) const {
  std::vector<unsigned> all_leaves, all_spines, hosts;
  for (std::uint32_t i = 0; i < leaves * hosts_per_leaf; ++i)
    hosts.push_back(network.add_device(fmt::format("h{}", i), host));
  for (std::uint32_t i = 0; i < leaves; ++i)
    all_leaves.push_back(network.add_device(fmt::format("leaf{}", i), leaf));
  for (std::uint32_t i = 0; i < spines; ++i)
    all_spines.push_back(network.add_device(fmt::format("spine{}", i), spine));
  for (std::size_t i = 0; i < hosts.size(); ++i)
    network.add_link(hosts[i], all_leaves[i / hosts_per_leaf], host.where, {.rate = host_rate});
  for (const unsigned from : all_leaves) {
    for (const unsigned to : all_spines) network.add_link(from, to, leaf.where);
  }
}

}  // namespace

TopologyKind leaf_spine() { return topology_kind<LeafSpineConfig>(); }

}  // namespace horae::fabric
