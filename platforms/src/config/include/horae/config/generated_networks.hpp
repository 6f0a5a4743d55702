// Generated networks: [leaf_spine], [fat_tree], [jellyfish].
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "horae/config/network_reader.hpp"
#include "horae/params/located.hpp"

namespace horae::config {

/// A generated two-tier Clos: hosts h0.., leaves leaf0.., spines spine0.., every leaf to every
/// spine.
struct LeafSpineConfig {
  std::uint32_t leaves = 4;
  std::uint32_t spines = 4;
  std::uint32_t hosts_per_leaf = 4;
  Located<std::string> host;
  Located<std::string> leaf;
  Located<std::string> spine;
  static const Schema<LeafSpineConfig>& schema();
};

/// A generated three-tier fat-tree (Al-Fares, Loukissas, Vahdat, "A Scalable, Commodity Data Center
/// Network Architecture", SIGCOMM 2008): k pods of k/2 edge and k/2 aggregation switches, (k/2)^2
/// cores; hosts h0.., edge<pod>_<i>, agg<pod>_<i>, core<i>. Aggregation switch i of every pod has
/// the cores i*k/2 to i*k/2 + k/2 - 1. Ports of a switch: those down first.
struct FatTreeConfig {
  std::uint32_t k = 4;
  std::uint32_t hosts_per_edge = 0;  ///< 0: k/2
  Located<std::string> host;
  Located<std::string> edge;
  Located<std::string> aggregation;
  Located<std::string> core;
  static const Schema<FatTreeConfig>& schema();
};

/// A generated random graph of switches (Jellyfish: Singla et al., NSDI 2012): hosts h0.. in the
/// order of their switches s0.., spread as evenly as they go, and all other ports joined at random
/// (fabric::random_links). Ports of a switch: hosts first.
struct JellyfishConfig {
  std::uint32_t switches = 80;
  std::uint32_t ports = 8;
  std::uint32_t hosts = 128;
  std::uint32_t seed = 1;
  Located<std::string> host;
  Located<std::string> sw;
  static const Schema<JellyfishConfig>& schema();
};

/// Adds the networks that the document asks for, and what is in effect of them to `effective`.
/// InputError where one cannot be built.
void generate_networks(const Section& root, NetworkReader& network,
                       nlohmann::ordered_json& effective);

}  // namespace horae::config
