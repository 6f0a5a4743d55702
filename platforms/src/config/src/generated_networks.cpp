#include "horae/config/generated_networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/fabric/jellyfish.hpp"
#include "horae/params/schema.hpp"

namespace horae::config {
namespace {

void generate_leaf_spine(NetworkReader& network, const LeafSpineConfig& c) {
  std::vector<unsigned> leaves, spines, hosts;
  for (std::uint32_t i = 0; i < c.leaves * c.hosts_per_leaf; ++i) {
    hosts.push_back(network.add_device(fmt::format("h{}", i), c.host, c.host.where));
  }
  for (std::uint32_t i = 0; i < c.leaves; ++i) {
    leaves.push_back(network.add_device(fmt::format("leaf{}", i), c.leaf, c.leaf.where));
  }
  for (std::uint32_t i = 0; i < c.spines; ++i) {
    spines.push_back(network.add_device(fmt::format("spine{}", i), c.spine, c.spine.where));
  }
  for (std::size_t i = 0; i < hosts.size(); ++i)
    network.add_link(hosts[i], leaves[i / c.hosts_per_leaf], {}, c.host.where);
  for (const unsigned leaf : leaves) {
    for (const unsigned spine : spines) network.add_link(leaf, spine, {}, c.leaf.where);
  }
}

void generate_fat_tree(NetworkReader& network, const FatTreeConfig& c) {
  const std::uint32_t half = c.k / 2;
  const std::uint32_t per_edge = c.hosts_per_edge == 0 ? half : c.hosts_per_edge;
  std::vector<unsigned> hosts, edges, aggregations, cores;
  for (std::uint32_t i = 0; i < c.k * half * per_edge; ++i)
    hosts.push_back(network.add_device(fmt::format("h{}", i), c.host, c.host.where));
  for (std::uint32_t i = 0; i < c.k * half; ++i) {
    const auto name = fmt::format("edge{}_{}", i / half, i % half);
    edges.push_back(network.add_device(name, c.edge, c.edge.where));
  }
  for (std::uint32_t i = 0; i < c.k * half; ++i) {
    const auto name = fmt::format("agg{}_{}", i / half, i % half);
    aggregations.push_back(network.add_device(name, c.aggregation, c.aggregation.where));
  }
  for (std::uint32_t i = 0; i < half * half; ++i)
    cores.push_back(network.add_device(fmt::format("core{}", i), c.core, c.core.where));
  for (std::size_t i = 0; i < hosts.size(); ++i)
    network.add_link(hosts[i], edges[i / per_edge], {}, c.host.where);
  for (std::uint32_t i = 0; i < c.k * half; ++i) {
    for (std::uint32_t j = 0; j < half; ++j)
      network.add_link(edges[i], aggregations[i / half * half + j], {}, c.edge.where);
  }
  for (std::uint32_t i = 0; i < c.k * half; ++i) {
    for (std::uint32_t j = 0; j < half; ++j)
      network.add_link(aggregations[i], cores[i % half * half + j], {}, c.aggregation.where);
  }
}

void generate_jellyfish(NetworkReader& network, const JellyfishConfig& c) {
  std::vector<unsigned> hosts, switches, free;
  for (std::uint32_t i = 0; i < c.hosts; ++i)
    hosts.push_back(network.add_device(fmt::format("h{}", i), c.host, c.host.where));
  for (std::uint32_t i = 0; i < c.switches; ++i)
    switches.push_back(network.add_device(fmt::format("s{}", i), c.sw, c.sw.where));
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < c.switches; ++i) {
    const std::uint32_t mine = c.hosts / c.switches + (i < c.hosts % c.switches ? 1 : 0);
    for (std::uint32_t j = 0; j < mine; ++j)
      network.add_link(hosts[next++], switches[i], {}, c.host.where);
    free.push_back(c.ports - std::min(mine, c.ports));
  }
  for (const auto& [a, b] : fabric::random_links(free, RandomStream(c.seed, "jellyfish")))
    network.add_link(switches[a], switches[b], {}, c.sw.where);
}

}  // namespace

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
          .required("host", &LeafSpineConfig::host, {.doc = "profile of the end points"})
          .required("leaf", &LeafSpineConfig::leaf, {.doc = "profile of the leaves"})
          .required("spine", &LeafSpineConfig::spine, {.doc = "profile of the spines"});
  return s;
}

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
          .required("host", &FatTreeConfig::host, {.doc = "profile of the end points"})
          .required("edge", &FatTreeConfig::edge, {.doc = "profile of the edge switches"})
          .required("aggregation", &FatTreeConfig::aggregation,
                    {.doc = "profile of the aggregation switches"})
          .required("core", &FatTreeConfig::core, {.doc = "profile of the core switches"});
  return s;
}

const Schema<JellyfishConfig>& JellyfishConfig::schema() {
  static const Schema<JellyfishConfig> s =
      Schema<JellyfishConfig>("jellyfish", "A generated random graph: hosts h0.., switches s0..")
          .field("switches", &JellyfishConfig::switches,
                 {.doc = "switches",
                  .min = 2,
                  .max = 4096,
                  .source = "80: as many as an 8-ary fat-tree has; Eunomia, section 5.3"})
          .field("ports", &JellyfishConfig::ports,
                 {.doc = "ports of a switch; those without a host go to other switches",
                  .min = 1,
                  .max = 1024})
          .field("hosts", &JellyfishConfig::hosts,
                 {.doc = "end points of all switches together; the first switches have one more "
                         "where they cannot be spread evenly",
                  .min = 1,
                  .max = 65536,
                  .source = "128: as many as an 8-ary fat-tree has; Eunomia, section 5.3"})
          .field("seed", &JellyfishConfig::seed, {.doc = "seed of the graph"})
          .required("host", &JellyfishConfig::host, {.doc = "profile of the end points"})
          .required("switch", &JellyfishConfig::sw, {.doc = "profile of the switches"});
  return s;
}

void generate_networks(const Section& root, NetworkReader& network,
                       nlohmann::ordered_json& effective) {
  if (root.has("leaf_spine")) {
    const auto config = root.child("leaf_spine").read<LeafSpineConfig>();
    generate_leaf_spine(network, config);
    effective["leaf_spine"] = LeafSpineConfig::schema().dump(config);
  }
  if (root.has("fat_tree")) {
    const Section section = root.child("fat_tree");
    const auto config = section.read<FatTreeConfig>();
    if (config.k % 2 != 0)
      throw section.error("k", fmt::format("k = {} is odd; a fat-tree has an even k", config.k));
    generate_fat_tree(network, config);
    effective["fat_tree"] = FatTreeConfig::schema().dump(config);
  }
  if (root.has("jellyfish")) {
    const Section section = root.child("jellyfish");
    const auto config = section.read<JellyfishConfig>();
    const std::uint32_t most = (config.hosts + config.switches - 1) / config.switches;
    if (most >= config.ports) {
      throw section.error("ports", fmt::format("ports = {} leaves no port to another switch beside "
                                               "{} hosts",
                                               config.ports, most));
    }
    const std::uint32_t links = config.ports - config.hosts / config.switches;
    if (links >= config.switches) {
      throw section.error("ports",
                          fmt::format("ports = {} gives a switch {} links to the {} others; "
                                      "two switches have one link at most",
                                      config.ports, links, config.switches - 1));
    }
    check_at(section, "ports", [&] { generate_jellyfish(network, config); });
    effective["jellyfish"] = JellyfishConfig::schema().dump(config);
  }
}

}  // namespace horae::config
