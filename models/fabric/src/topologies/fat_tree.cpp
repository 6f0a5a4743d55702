// [fat_tree]: a three-tier fat-tree.
#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "configured_topology.hpp"

namespace horae::fabric {
namespace {

/// Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center Network Architecture", SIGCOMM
/// 2008: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 cores; hosts h0..,
/// edge<pod>_<i>, agg<pod>_<i>, core<i>. Aggregation switch i of every pod has the cores i*k/2 to
/// i*k/2 + k/2 - 1. Ports of a switch: those down first. With several planes there are as many
/// trees side by side, p0_edge0_0.., and port n of each host leads to plane n.
struct FatTreeConfig {
  std::uint32_t k = 4;
  std::uint32_t hosts_per_edge = 0;     ///< 0: k/2
  std::optional<std::uint32_t> planes;  ///< absent: one
  Located<std::string> host;
  Located<std::string> edge;
  Located<std::string> aggregation;
  Located<std::string> core;

  static const Schema<FatTreeConfig>& schema();
  void check(const Section& table) const;
  void generate(NetworkBuilder& network, const Section& table) const;
};

const Schema<FatTreeConfig>& FatTreeConfig::schema() {
  static const Schema<FatTreeConfig> s =
      Schema<FatTreeConfig>("fat_tree",
                            "A generated three-tier fat-tree: hosts h0.., edge<pod>_<i>, "
                            "agg<pod>_<i>, core0..")
          .field("k", &FatTreeConfig::k,
                 {.doc = "ports of a switch, even: k pods of k/2 edge and k/2 aggregation "
                         "switches, (k/2)^2 cores, k^3/4 hosts",
                  .min = 2,
                  .max = 64,
                  .source = "Al-Fares et al., SIGCOMM 2008"})
          .field("hosts_per_edge", &FatTreeConfig::hosts_per_edge,
                 {.doc = "end points of an edge switch; 0: k/2", .max = 1024})
          .field("planes", &FatTreeConfig::planes,
                 {.doc = "copies of all switches, p0_edge0_0.., each with a port of every NIC "
                         "(`ports` of its profile); absent: one, edge0_0..",
                  .min = 1,
                  .max = 16,
                  .source = "8 of 100 Gbps: MRC (Araujo et al., arXiv:2605.04333)"})
          .required("host", &FatTreeConfig::host, {.doc = "profile of the end points"})
          .required("edge", &FatTreeConfig::edge, {.doc = "profile of the edge switches"})
          .required("aggregation", &FatTreeConfig::aggregation,
                    {.doc = "profile of the aggregation switches"})
          .required("core", &FatTreeConfig::core, {.doc = "profile of the core switches"});
  return s;
}

void FatTreeConfig::check(const Section& table) const {
  if (k % 2 != 0) throw table.error("k", fmt::format("k = {} is odd; a fat-tree has an even k", k));
}

void FatTreeConfig::generate(NetworkBuilder& network, const Section& /*table*/) const {
  const std::uint32_t half = k / 2;
  const std::uint32_t per_edge = hosts_per_edge == 0 ? half : hosts_per_edge;
  std::vector<unsigned> hosts;
  for (std::uint32_t i = 0; i < k * half * per_edge; ++i)
    hosts.push_back(network.add_device(fmt::format("h{}", i), host));
  const std::uint32_t copies = planes.value_or(1);
  for (std::uint32_t plane = 0; plane < copies; ++plane) {
    const std::string of = copies == 1 ? "" : fmt::format("p{}_", plane);
    std::vector<unsigned> edges, aggregations, cores;
    for (std::uint32_t i = 0; i < k * half; ++i) {
      const auto name = fmt::format("{}edge{}_{}", of, i / half, i % half);
      edges.push_back(network.add_device(name, edge));
    }
    for (std::uint32_t i = 0; i < k * half; ++i) {
      const auto name = fmt::format("{}agg{}_{}", of, i / half, i % half);
      aggregations.push_back(network.add_device(name, aggregation));
    }
    for (std::uint32_t i = 0; i < half * half; ++i)
      cores.push_back(network.add_device(fmt::format("{}core{}", of, i), core));
    for (std::size_t i = 0; i < hosts.size(); ++i)
      network.add_link(hosts[i], edges[i / per_edge], host.where);
    for (std::uint32_t i = 0; i < k * half; ++i) {
      for (std::uint32_t j = 0; j < half; ++j)
        network.add_link(edges[i], aggregations[i / half * half + j], edge.where);
    }
    for (std::uint32_t i = 0; i < k * half; ++i) {
      for (std::uint32_t j = 0; j < half; ++j)
        network.add_link(aggregations[i], cores[i % half * half + j], aggregation.where);
    }
  }
}

}  // namespace

TopologyKind fat_tree() { return topology_kind<FatTreeConfig>(); }

}  // namespace horae::fabric
