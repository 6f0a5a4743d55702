// [fat_tree]: devices, links and the order of ports.
#include "recorded_network.hpp"

namespace horae::fabric::fat_tree_test {
namespace {

using test::generated;
using Names = std::vector<std::string>;

const std::string profiles =
    "host = \"end\"\nedge = \"low\"\naggregation = \"middle\"\ncore = \"high\"\n";

TEST(FatTree, HasThePodsAndCoresOfItsK) {
  for (const std::size_t k : {2u, 4u, 6u}) {
    const auto net = generated("fat_tree", profiles + "k = " + std::to_string(k)).network;
    EXPECT_EQ(net.of("end").size(), k * k * k / 4);
    EXPECT_EQ(net.of("low").size(), k * k / 2);
    EXPECT_EQ(net.of("middle").size(), k * k / 2);
    EXPECT_EQ(net.of("high").size(), k * k / 4);
    for (const auto& d : net.devices)
      EXPECT_EQ(d.ports.size(), d.profile == "end" ? 1 : k) << d.name;
  }
}

TEST(FatTree, PortsAreThoseDownFirst) {
  const auto net = generated("fat_tree", profiles + "k = 4").network;
  EXPECT_EQ(net.devices.front().name, "h0");
  EXPECT_EQ(net.devices.back().name, "core3");
  EXPECT_EQ(net.ports("edge1_0"), (Names{"h4", "h5", "agg1_0", "agg1_1"}));
  EXPECT_EQ(net.ports("agg1_1"), (Names{"edge1_0", "edge1_1", "core2", "core3"}));
  EXPECT_EQ(net.ports("core2"), (Names{"agg0_1", "agg1_1", "agg2_1", "agg3_1"}));
}

TEST(FatTree, HostsOfAnEdgeSwitchMayBeMoreThanItsShare) {
  const auto net = generated("fat_tree", profiles + "k = 2\nhosts_per_edge = 3").network;
  EXPECT_EQ(net.of("end").size(), 6u);
  EXPECT_EQ(net.ports("edge1_0"), (Names{"h3", "h4", "h5", "agg1_0"}));
}

// Copies side by side: port n of a host leads to plane n, and nothing joins two planes.
TEST(FatTree, PlanesAreCopiesOfItsSwitches) {
  const auto net = generated("fat_tree", profiles + "k = 4\nplanes = 2\n").network;
  EXPECT_EQ(net.of("end").size(), 16u);
  EXPECT_EQ(net.devices.size(), 16u + 2 * 20);
  EXPECT_EQ(net.links.size(), 2 * 48u);
  EXPECT_EQ(net.ports("h5"), (Names{"p0_edge1_0", "p1_edge1_0"}));
  EXPECT_EQ(net.ports("p1_edge1_0"), (Names{"h4", "h5", "p1_agg1_0", "p1_agg1_1"}));
  EXPECT_EQ(net.ports("p0_core2"), (Names{"p0_agg0_1", "p0_agg1_1", "p0_agg2_1", "p0_agg3_1"}));
  for (const auto& link : net.links) {
    if (link.from[0] == 'p') {
      EXPECT_EQ(link.from.substr(0, 2), link.to.substr(0, 2));
    }
  }
  const auto one = generated("fat_tree", profiles + "k = 4\nplanes = 1\n").network;
  EXPECT_EQ(one.ports("core2"), (Names{"agg0_1", "agg1_1", "agg2_1", "agg3_1"}));
}

TEST(FatTree, LinksPointAtTheProfileOfTheirLowerEnd) {
  const std::map<char, std::uint32_t> lines = {{'h', 2}, {'e', 3}, {'a', 4}};
  for (const auto& link : generated("fat_tree", profiles).network.links)
    EXPECT_EQ(link.line, lines.at(link.from[0])) << link.from << " - " << link.to;
}

TEST(FatTree, DefaultsAreInEffect) {
  EXPECT_EQ(generated("fat_tree", profiles).config.dump(),
            R"({"k":4,"hosts_per_edge":0,"host":"end","edge":"low","aggregation":"middle",)"
            R"("core":"high"})");
}

TEST(FatTree, RefusesAnOddKAndAMissingTier) {
  EXPECT_EQ(test::refusal("fat_tree", profiles + "k = 5"),
            "p.toml:6:5: k = 5 is odd; a fat-tree has an even k");
  EXPECT_EQ(test::refusal("fat_tree", "host = \"end\"\nedge = \"low\"\naggregation = \"middle\"\n"),
            "p.toml:1:1: missing key 'core' in [fat_tree]: profile of the core switches");
}

}  // namespace
}  // namespace horae::fabric::fat_tree_test
