// [fat_tree]: what is generated.
#include <gtest/gtest.h>

#include "horae/core/packet.hpp"
#include "horae/core/units.hpp"
#include "program.hpp"

namespace horae::test::fat_tree_test {
namespace {

std::string fat_tree(const std::string& keys, const std::string& more) {
  return R"([platform]
name = "tree"
[sim]
duration = "100 us"
stop = "finished"
[end]
kind = "host"
[plain]
kind = "switch"
latency = "400 ns"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[fat_tree]
host = "end"
edge = "plain"
aggregation = "plain"
core = "plain"
)" + keys +
         more;
}

std::string packets(const std::string& from, const std::string& to, int count) {
  return fmt::format(
      "[[traffic]]\nkind = \"packets\"\npattern = \"pairs\"\nfrom = [\"{}\"]\nto = [\"{}\"]\n"
      "payload = \"1 KiB\"\ncount = {}\n",
      from, to, count);
}

std::uint64_t stat(const ordered_json& summary, const std::string& device, const std::string& port,
                   const std::string& name) {
  const auto& group = summary.at("statistics").at(device).at(port);
  return group.contains(name) ? group.at(name).at("value").get<std::uint64_t>() : 0;
}

// k^3/4 hosts, k^2/2 edge and as many aggregation switches, (k/2)^2 cores; every port has a link.
TEST(FatTree, HasTheSwitchesOfItsK) {
  for (const unsigned k : {2u, 4u, 6u}) {
    const Workplace place;
    place.write("p.toml", fat_tree(fmt::format("k = {}\n", k), packets("h0", "h1", 1)));
    const auto statistics = summary_of(place, "p.toml").at("statistics");
    std::map<std::string, unsigned> found;
    for (const auto& [name, device] : statistics.items()) {
      unsigned ports = 0;
      for (const auto& [key, value] : device.items()) ports += key.starts_with("port") ? 1 : 0;
      EXPECT_EQ(ports, name[0] == 'h' ? 1 : k) << name;
      ++found[name.substr(0, name.find_first_of("0123456789"))];
    }
    EXPECT_EQ(
        found,
        (std::map<std::string, unsigned>{
            {"h", k * k * k / 4}, {"edge", k * k / 2}, {"agg", k * k / 2}, {"core", k * k / 4}}));
  }
}

// Through one switch within a rack, three within a pod, five between pods.
TEST(FatTree, PathsAreAsLongAsTheyShouldBe) {
  for (const auto& [to, links] : std::map<std::string, int>{{"h1", 2}, {"h2", 4}, {"h15", 6}}) {
    const Workplace place;
    place.write("p.toml", fat_tree("k = 4\n", packets("h0", to, 1)));
    const auto summary = summary_of(place, "p.toml");
    EXPECT_EQ(summary.at("packet_hops").get<int>(), links) << to;
    EXPECT_EQ(summary.at("packets").at("delivered").get<int>(), 1) << to;
  }
}

// Aggregation switch i of each pod has the cores i*k/2 and up.
TEST(FatTree, CoresJoinTheSameAggregationSwitchOfEveryPod) {
  const Workplace place;
  place.write("p.toml", fat_tree("k = 4\nhosts_per_edge = 1\n", packets("h0", "h7", 1)));
  const auto summary = summary_of(place, "p.toml");
  EXPECT_FALSE(summary.at("statistics").contains("h8"));
  for (unsigned i = 0; i < 2; ++i) {
    if (stat(summary, "edge0_0", fmt::format("port{}", 1 + i), "tx_packets") == 0) continue;
    std::uint64_t up = 0;
    for (unsigned j = 0; j < 2; ++j) {
      const auto core = fmt::format("core{}", 2 * i + j);
      up += stat(summary, core, "port3", "tx_packets");
    }
    EXPECT_EQ(up, 1u);
    EXPECT_EQ(stat(summary, fmt::format("agg3_{}", i), "port1", "tx_packets"), 1u);
  }
}

// A NIC with a port on each of two planes: half of a message's packets go over each, at the same
// time, so what its bytes take is halved and what the way takes is not.
TEST(FatTree, TwoPlanesCarryHalfOfAMessageEach) {
  const auto fct = [](unsigned planes, bool counted) {
    const Workplace place;
    place.write("p.toml", fmt::format(R"([platform]
name = "planes"
[sim]
duration = "1 ms"
stop = "finished"
[end]
kind = "rnic"
mtu = "1000 B"
ports = {0}
transport = "spray_sr"
entropy = {{ scheme = "cycle" }}
reliability = {{ window = 4096 }}
[plain]
kind = "switch"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
[fat_tree]
k = 4
planes = {0}
host = "end"
edge = "plain"
aggregation = "plain"
core = "plain"
[[traffic]]
kind = "batch"
pattern = "pairs"
from = ["h0"]
to = ["h15"]
size = "2 MB"
)",
                                      planes));
    const auto summary = summary_of(place, "p.toml");
    EXPECT_EQ(summary.at("verdict"), "complete");
    if (counted) {
      EXPECT_EQ(stat(summary, "p0_edge3_1", "port1", "tx_packets"), 1000u);
      EXPECT_EQ(stat(summary, "p1_edge3_1", "port1", "tx_packets"), 1000u);
    }
    return summary.at("results").at("fct.max").at("value").get<double>();
  };
  // Nothing waits for another packet on ways of one length; the second port may begin a packet's
  // time after the first.
  const auto packet = to_microseconds(
      serialisation_time(l1_bytes(frame_bytes(Opcode::write_middle, 1000_B)), 100_Gbps));
  EXPECT_NEAR(fct(1, false) - fct(2, true), 1000 * packet, packet);
}

TEST(FatTree, AnImpairmentChangesTheGeneratedLink) {
  const Workplace place;
  place.write("p.toml", fat_tree("k = 2\n", packets("h0", "h1", 100) +
                                                "[[impairment]]\nbetween = [\"core0\", "
                                                "\"agg1_0\"]\nloss = 1.0\n"));
  const auto lossy = summary_of(place, "p.toml");
  EXPECT_EQ(stat(lossy, "core0", "port1", "lost"), 100u);
  EXPECT_EQ(lossy.at("packets").at("delivered").get<int>(), 0);
}

}  // namespace
}  // namespace horae::test::fat_tree_test
