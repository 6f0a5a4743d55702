// [leaf_spine]: devices, links and the order of ports.
#include "recorded_network.hpp"

namespace horae::fabric::leaf_spine_test {
namespace {

using test::generated;
using Names = std::vector<std::string>;

constexpr const char* profiles = "host = \"end\"\nleaf = \"low\"\nspine = \"high\"\n";
const std::string small = std::string(profiles) + "leaves = 2\nspines = 3\nhosts_per_leaf = 2\n";

TEST(LeafSpine, HostsThenLeavesThenSpines) {
  const auto [net, config] = generated("leaf_spine", small);
  Names order;
  for (const auto& d : net.devices) order.push_back(d.name);
  EXPECT_EQ(order, (Names{"h0", "h1", "h2", "h3", "leaf0", "leaf1", "spine0", "spine1", "spine2"}));
  EXPECT_EQ(net.of("end").size(), 4u);
  EXPECT_EQ(net.of("low"), (Names{"leaf0", "leaf1"}));
  EXPECT_EQ(net.of("high"), (Names{"spine0", "spine1", "spine2"}));
}

TEST(LeafSpine, PortsOfALeafAreItsHostsThenEverySpine) {
  const auto net = generated("leaf_spine", small).network;
  EXPECT_EQ(net.links.size(), 4u + 2 * 3);
  EXPECT_EQ(net.ports("leaf0"), (Names{"h0", "h1", "spine0", "spine1", "spine2"}));
  EXPECT_EQ(net.ports("leaf1"), (Names{"h2", "h3", "spine0", "spine1", "spine2"}));
  EXPECT_EQ(net.ports("spine1"), (Names{"leaf0", "leaf1"}));
  EXPECT_EQ(net.ports("h3"), (Names{"leaf1"}));
}

TEST(LeafSpine, LinksPointAtTheProfileOfTheirLowerEnd) {
  for (const auto& link : generated("leaf_spine", small).network.links)
    EXPECT_EQ(link.line, link.from[0] == 'h' ? 2u : 3u) << link.from << " - " << link.to;
}

TEST(LeafSpine, HostsMayHaveARateOfTheirOwn) {
  for (const auto& link :
       generated("leaf_spine", small + "host_rate = \"100 Gbps\"\n").network.links)
    EXPECT_EQ(link.values.rate.value_or(BitRate(0)), link.from[0] == 'h' ? 100_Gbps : BitRate(0));
}

// Copies side by side: port n of a host leads to plane n, and nothing joins two planes.
TEST(LeafSpine, PlanesAreCopiesOfLeavesAndSpines) {
  const auto net = generated("leaf_spine", small + "planes = 3\n").network;
  EXPECT_EQ(net.of("end").size(), 4u);
  EXPECT_EQ(net.links.size(), 3 * (4u + 2 * 3));
  EXPECT_EQ(net.ports("h3"), (Names{"p0_leaf1", "p1_leaf1", "p2_leaf1"}));
  EXPECT_EQ(net.ports("p1_leaf0"), (Names{"h0", "h1", "p1_spine0", "p1_spine1", "p1_spine2"}));
  EXPECT_EQ(net.ports("p2_spine1"), (Names{"p2_leaf0", "p2_leaf1"}));
}

TEST(LeafSpine, DefaultsAreInEffect) {
  const auto [net, config] = generated("leaf_spine", profiles);
  EXPECT_EQ(net.devices.size(), 16u + 4 + 4);
  EXPECT_EQ(config.dump(), R"({"leaves":4,"spines":4,"hosts_per_leaf":4,"host":"end",)"
                           R"("leaf":"low","spine":"high"})");
}

TEST(LeafSpine, RefusesWhatItsTableMayNotSay) {
  EXPECT_EQ(test::refusal("leaf_spine", std::string(profiles) + "spines = 0\n"),
            "p.toml:5:10: spines = 0 is below the minimum 1");
  EXPECT_EQ(test::refusal("leaf_spine", "host = \"end\"\nleaf = \"low\"\n"),
            "p.toml:1:1: missing key 'spine' in [leaf_spine]: profile of the spines");
}

}  // namespace
}  // namespace horae::fabric::leaf_spine_test
