// [jellyfish]: a random graph of switches.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "configured_topology.hpp"
#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/fabric/random_links.hpp"

namespace horae::fabric {
namespace {

/// Singla et al., NSDI 2012: hosts h0.. in the order of their switches s0.., spread as evenly as
/// they go, and all other ports joined at random (random_links). Ports of a switch: hosts first.
struct JellyfishConfig {
  std::uint32_t switches = 80;
  std::uint32_t ports = 8;
  std::uint32_t hosts = 128;
  std::uint32_t seed = 1;
  Located<std::string> host;
  Located<std::string> sw;

  static const Schema<JellyfishConfig>& schema();
  void check(const Section& table) const;
  void generate(NetworkBuilder& network, const Section& table) const;
};

const Schema<JellyfishConfig>& JellyfishConfig::schema() {
  static const Schema<JellyfishConfig> s =
      Schema<JellyfishConfig>("jellyfish", "A generated random graph: hosts h0.., switches s0..")
          .field("switches", &JellyfishConfig::switches,
                 {.doc = "number of switches in the graph",
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

void JellyfishConfig::check(const Section& table) const {
  const std::uint32_t most = (hosts + switches - 1) / switches;
  if (most >= ports) {
    throw table.error("ports", fmt::format("ports = {} leaves no port to another switch beside "
                                           "{} hosts",
                                           ports, most));
  }
  const std::uint32_t links = ports - hosts / switches;
  if (links >= switches) {
    throw table.error("ports", fmt::format("ports = {} gives a switch {} links to the {} others; "
                                           "two switches have one link at most",
                                           ports, links, switches - 1));
  }
}

void JellyfishConfig::generate(NetworkBuilder& network, const Section& table) const {
  std::vector<unsigned> all_hosts, all_switches, free;
  for (std::uint32_t i = 0; i < hosts; ++i)
    all_hosts.push_back(network.add_device(fmt::format("h{}", i), host));
  for (std::uint32_t i = 0; i < switches; ++i)
    all_switches.push_back(network.add_device(fmt::format("s{}", i), sw));
  std::size_t next = 0;
  for (std::uint32_t i = 0; i < switches; ++i) {
    const std::uint32_t mine = hosts / switches + (i < hosts % switches ? 1 : 0);
    for (std::uint32_t j = 0; j < mine; ++j)
      network.add_link(all_hosts[next++], all_switches[i], host.where);
    free.push_back(ports - mine);
  }
  std::vector<std::pair<unsigned, unsigned>> links;
  try {
    links = random_links(free, RandomStream(seed, "jellyfish"));
  } catch (const InputError& e) {
    throw table.error("ports", e.what());
  }
  for (const auto& [a, b] : links) network.add_link(all_switches[a], all_switches[b], sw.where);
}

}  // namespace

TopologyKind jellyfish() { return topology_kind<JellyfishConfig>(); }

}  // namespace horae::fabric
