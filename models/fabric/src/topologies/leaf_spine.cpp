// [leaf_spine]: a two-tier Clos.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "configured_topology.hpp"

namespace horae::fabric {
namespace {

/// Hosts h0.., leaves leaf0.., spines spine0.., every leaf to every spine. Ports of a leaf: its
/// hosts first, then the spines. With several planes there are as many networks of leaves and
/// spines side by side, p0_leaf0.., and port n of each host leads to plane n.
struct LeafSpineConfig {
  std::uint32_t leaves = 4;
  std::uint32_t spines = 4;
  std::uint32_t hosts_per_leaf = 4;
  std::optional<BitRate> host_rate;     ///< absent: as all links
  std::optional<std::uint32_t> planes;  ///< absent: one
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
                 {.doc = "number of leaf switches", .min = 1, .max = 1024})
          .field("spines", &LeafSpineConfig::spines,
                 {.doc = "number of spine switches", .min = 1, .max = 1024})
          .field("hosts_per_leaf", &LeafSpineConfig::hosts_per_leaf,
                 {.doc = "end points of a leaf", .min = 1, .max = 1024})
          .field("host_rate", &LeafSpineConfig::host_rate,
                 {.doc = "rate of the end points' links; absent: that of [link_default]",
                  .min = 1_Gbps,
                  .max = 1600_Gbps})
          .field("planes", &LeafSpineConfig::planes,
                 {.doc = "copies of leaves and spines, p0_leaf0.., each with a port of every NIC "
                         "(`ports` of its profile); absent: one, leaf0..",
                  .min = 1,
                  .max = 16,
                  .source = "8 of 100 Gbps: MRC (Araujo et al., arXiv:2605.04333)"})
          .required("host", &LeafSpineConfig::host, {.doc = "profile of the end points"})
          .required("leaf", &LeafSpineConfig::leaf, {.doc = "profile of the leaves"})
          .required("spine", &LeafSpineConfig::spine, {.doc = "profile of the spines"});
  return s;
}

void LeafSpineConfig::generate(NetworkBuilder& network, const Section& /*table*/) const {
  std::vector<unsigned> hosts;
  for (std::uint32_t i = 0; i < leaves * hosts_per_leaf; ++i)
    hosts.push_back(network.add_device(fmt::format("h{}", i), host));
  const std::uint32_t copies = planes.value_or(1);
  for (std::uint32_t plane = 0; plane < copies; ++plane) {
    const std::string of = copies == 1 ? "" : fmt::format("p{}_", plane);
    std::vector<unsigned> all_leaves, all_spines;
    for (std::uint32_t i = 0; i < leaves; ++i)
      all_leaves.push_back(network.add_device(fmt::format("{}leaf{}", of, i), leaf));
    for (std::uint32_t i = 0; i < spines; ++i)
      all_spines.push_back(network.add_device(fmt::format("{}spine{}", of, i), spine));
    for (std::size_t i = 0; i < hosts.size(); ++i)
      network.add_link(hosts[i], all_leaves[i / hosts_per_leaf], host.where, {.rate = host_rate});
    for (const unsigned from : all_leaves) {
      for (const unsigned to : all_spines) network.add_link(from, to, leaf.where);
    }
  }
}

}  // namespace

TopologyKind leaf_spine() { return topology_kind<LeafSpineConfig>(); }

}  // namespace horae::fabric
