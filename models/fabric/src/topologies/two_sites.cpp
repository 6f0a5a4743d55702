// [two_sites]: two data centres of two tiers each, and long links between their edge switches.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <vector>

#include "configured_topology.hpp"

namespace horae::fabric {
namespace {

/// Site s has ToRs tor<s>_0.., leaves leaf<s>_0.. and one edge switch edge<s>; hosts are h0..,
/// those of site 0 first. Every ToR to every leaf of its site, every leaf to the edge, the edges to
/// each other. Ports of a ToR: its hosts, then the leaves; of a leaf: the ToRs, then the edge; of
/// an edge: the leaves, then the long links.
struct TwoSitesConfig {
  std::uint32_t tors = 4;
  std::uint32_t leaves = 4;
  std::uint32_t hosts_per_tor = 4;
  std::uint32_t long_links = 1;
  BitRate edge_rate = 400_Gbps;
  Picoseconds edge_delay = 1_us;
  BitRate long_rate = 1600_Gbps;
  Picoseconds long_delay = 500_us;
  Located<std::string> host;
  Located<std::string> tor;
  Located<std::string> leaf;
  Located<std::string> edge;
  std::optional<Located<std::string>> far_edge;

  static const Schema<TwoSitesConfig>& schema();
  void check(const Section& /*table*/) const {}
  void generate(NetworkBuilder& network, const Section& table) const;
};

const Schema<TwoSitesConfig>& TwoSitesConfig::schema() {
  using T = TwoSitesConfig;
  static const std::string paper = "long-haul paper, section VII-A: ";
  static const std::string code =
      "no value in the long-haul paper; its authors' simulator (main branch, d941dc1): ";
  static const Schema<T> s =
      Schema<T>("two_sites",
                "Two generated data centres: hosts h0.., tor<site>_<i>, leaf<site>_<i>, edge<site>")
          .field("tors", &T::tors,
                 {.doc = "ToRs of a site", .min = 1, .max = 1024, .source = paper + "4"})
          .field("leaves", &T::leaves,
                 {.doc = "leaves of a site", .min = 1, .max = 1024, .source = paper + "4"})
          .field("hosts_per_tor", &T::hosts_per_tor,
                 {.doc = "end points of a ToR",
                  .min = 1,
                  .max = 1024,
                  .source = paper + "32 servers in all"})
          .field(
              "long_links", &T::long_links,
              {.doc = "links between the edge switches", .min = 1, .max = 64, .source = code + "1"})
          .field("edge_rate", &T::edge_rate,
                 {.doc = "rate of a link between a leaf and the edge; those below are as "
                         "[link_default] says",
                  .min = 1_Gbps,
                  .max = 1600_Gbps,
                  .source = code + "400 Gbps"})
          .field("edge_delay", &T::edge_delay,
                 {.doc = "delay of such a link",
                  .min = 1_ns,
                  .max = 1000_ms,
                  .source = code + "1 us; paper: an RTT of 8 us within a site"})
          .field("long_rate", &T::long_rate,
                 {.doc = "rate of each long link",
                  .min = 1_Gbps,
                  .max = 1600_Gbps,
                  .source = code + "1600 Gbps"})
          .field("long_delay", &T::long_delay,
                 {.doc = "delay of a long link",
                  .min = 1_ns,
                  .max = 1000_ms,
                  .source = paper + "500 us, about 100 km; 1 us in the comparison \"short\""})
          .required("host", &T::host, {.doc = "profile of the end points"})
          .required("tor", &T::tor, {.doc = "profile of the ToRs"})
          .required("leaf", &T::leaf, {.doc = "profile of the leaves"})
          .required("edge", &T::edge, {.doc = "profile of the edge switches"})
          .field("far_edge", &T::far_edge,
                 {.doc = "profile of edge1, if it is another than that of edge0"});
  return s;
}

void TwoSitesConfig::generate(NetworkBuilder& network, const Section& /*table*/) const {
  constexpr unsigned sites = 2;
  // All devices of one kind, then the next: so hosts of both sites are numbered through.
  const auto add = [&](const char* pattern, std::uint32_t count,
                       const Located<std::string>& profile) {
    std::array<std::vector<unsigned>, sites> out;
    for (unsigned site = 0; site < sites; ++site) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::string name = fmt::format(fmt::runtime(pattern), site, i);
        out[site].push_back(network.add_device(name, profile));
        network.place(out[site].back(), site);
      }
    }
    return out;
  };
  std::array<std::vector<unsigned>, sites> hosts;
  const std::uint32_t of_site = tors * hosts_per_tor;
  for (std::uint32_t i = 0; i < sites * of_site; ++i) {
    hosts[i / of_site].push_back(network.add_device(fmt::format("h{}", i), host));
    network.place(hosts[i / of_site].back(), i / of_site);
  }
  const auto all_tors = add("tor{}_{}", tors, tor);
  const auto all_leaves = add("leaf{}_{}", leaves, leaf);
  std::array<unsigned, sites> edges{};
  for (unsigned site = 0; site < sites; ++site) {
    edges[site] =
        network.add_device(fmt::format("edge{}", site), site == 1 && far_edge ? *far_edge : edge);
    network.place(edges[site], site);
  }
  for (unsigned site = 0; site < sites; ++site) {
    for (std::size_t i = 0; i < hosts[site].size(); ++i)
      network.add_link(hosts[site][i], all_tors[site][i / hosts_per_tor], host.where);
    for (const unsigned from : all_tors[site]) {
      for (const unsigned to : all_leaves[site]) network.add_link(from, to, tor.where);
    }
    for (const unsigned from : all_leaves[site])
      network.add_link(from, edges[site], leaf.where, {edge_rate, edge_delay});
  }
  for (std::uint32_t i = 0; i < long_links; ++i)
    network.add_link(edges[0], edges[1], edge.where, {long_rate, long_delay});
}

}  // namespace

TopologyKind two_sites() { return topology_kind<TwoSitesConfig>(); }

}  // namespace horae::fabric
