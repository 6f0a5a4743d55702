// [htsim_topology]: what is read of a .topo file, the network of it, and how a bad one is refused.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "recorded_network.hpp"

namespace horae::fabric::htsim_topology_test {
namespace {

using Names = std::vector<std::string>;

class TopologyFile {
 public:
  explicit TopologyFile(const std::string& text, const std::string& more = "core = \"high\"\n")
      : more_(more) {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    path_ = std::filesystem::path(::mkdtemp(pattern.data())) / "t.topo";
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TopologyFile() { std::filesystem::remove_all(path_.parent_path()); }
  TopologyFile(const TopologyFile&) = delete;
  TopologyFile& operator=(const TopologyFile&) = delete;

  test::RecordedNetwork read() const { return test::generated("htsim_topology", table()).network; }
  std::string note() const {
    return test::generated("htsim_topology", table()).config.value("note", "");
  }
  std::string refusal() const {
    const std::string why = test::refusal("htsim_topology", table());
    const std::string folder = path_.parent_path().string() + "/";
    return why.starts_with(folder) ? why.substr(folder.size()) : why;
  }

 private:
  std::string table() const {
    return fmt::format("file = \"{}\"\nhost = \"end\"\ntor = \"low\"\naggregation = \"middle\"\n{}",
                       path_.string(), more_);
  }
  std::string more_;
  std::filesystem::path path_;
};

// As sim/datacenter/topologies/leaf_spine_tiny.topo of csg-htsim.
const std::string two_tiers =
    "Nodes 32\nTiers 2\nPodsize 32\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 8\nRadix_Up 2\n"
    "Downlink_Latency_ns 1000\nSwitch_Latency_ns 0\nOversubscribed 4\n\nTier 1\n"
    "Downlink_speed_Gbps 100\nRadix_Down 4\nDownlink_Latency_ns 500\nSwitch_Latency_ns 0\n";

TEST(HtsimTopology, TwoTiersAreALeafSpine) {
  const auto net = TopologyFile(two_tiers, "").read();
  EXPECT_EQ(net.of("end").size(), 32u);
  EXPECT_EQ(net.of("low").size(), 4u);
  EXPECT_EQ(net.of("middle"), (Names{"agg0", "agg1"}));
  EXPECT_EQ(net.ports("h9"), (Names{"tor1"}));
  EXPECT_EQ(net.ports("tor1"),
            (Names{"h8", "h9", "h10", "h11", "h12", "h13", "h14", "h15", "agg0", "agg1"}));
  EXPECT_EQ(net.ports("agg1"), (Names{"tor0", "tor1", "tor2", "tor3"}));
  for (const auto& link : net.links) {
    EXPECT_EQ(*link.values.rate, 100_Gbps);
    EXPECT_EQ(*link.values.delay, link.from[0] == 'h' ? 1_us : 500_ns);
  }
}

std::string three_tiers(const std::string& change = "", const std::string& to = "") {
  std::string text =
      "nodes 16\ntiers 3\npodsize 8\ntier 0\ndownlink_speed_gbps 100\nradix_down 4\nradix_up 2\n"
      "downlink_latency_ns 1000\ntier 1\ndownlink_speed_gbps 200\noversubscribed 2\nradix_down 4\n"
      "radix_up 4\nbundle 2\ndownlink_latency_ns 1000\ntier 2\ndownlink_speed_gbps 100\n"
      "radix_down 4\nbundle 2\ndownlink_latency_ns 2000\n";
  if (const auto at = text.find(change); !change.empty() && at != std::string::npos)
    text.replace(at, change.size(), to);
  return text;
}

// Two pods of eight hosts, two ToRs each with one aggregation switch by two links; that one has two
// links to each of two cores.
TEST(HtsimTopology, ThreeTiersWithBundles) {
  const auto net = TopologyFile(three_tiers()).read();
  EXPECT_EQ(net.of("end").size(), 16u);
  EXPECT_EQ(net.of("low").size(), 4u);
  EXPECT_EQ(net.of("middle"), (Names{"agg0", "agg1"}));
  EXPECT_EQ(net.of("high"), (Names{"core0", "core1"}));
  EXPECT_EQ(net.ports("tor2"), (Names{"h8", "h9", "h10", "h11", "agg1", "agg1"}));
  EXPECT_EQ(net.ports("agg0"),
            (Names{"tor0", "tor0", "tor1", "tor1", "core0", "core0", "core1", "core1"}));
  EXPECT_EQ(*net.links.back().values.delay, 2_us);
  EXPECT_EQ(*net.links[16].values.rate, 200_Gbps);
}

// Bundles of one tier are not those of the next, and a bundle may be one link.
TEST(HtsimTopology, EachTierHasItsBundles) {
  for (const char* one : {"", "bundle 1\n"}) {
    const auto net =
        TopologyFile(three_tiers("radix_down 4\nbundle 2\ndownlink_latency_ns 2000",
                                 std::string("radix_down 2\n") + one + "downlink_latency_ns 2000"))
            .read();
    EXPECT_EQ(net.of("high"), (Names{"core0", "core1", "core2", "core3"}));
    EXPECT_EQ(net.ports("agg0"),
              (Names{"tor0", "tor0", "tor1", "tor1", "core0", "core1", "core2", "core3"}));
  }
}

TEST(HtsimTopology, WhatDoesNotFitIsRefusedAtItsLine) {
  const auto changed = [](const std::string& from, const std::string& to) {
    return TopologyFile(three_tiers(from, to)).refusal();
  };
  EXPECT_EQ(TopologyFile("").refusal(), "t.topo: an empty file; expected 'Nodes N' first");
  EXPECT_EQ(changed("nodes 16\n", ""), "t.topo: no line 'Nodes N'; expected one");
  EXPECT_EQ(changed("nodes 16", "nodes 18"),
            "t.topo:1:1: Nodes = 18 is no multiple of Podsize = 8 (line 3)");
  EXPECT_EQ(changed("downlink_speed_gbps 200\n", ""),
            "t.topo:9:1: no line 'Downlink_speed_Gbps N'; expected one");
  EXPECT_EQ(changed("radix_up 2", "radix_upp 2"),
            "t.topo:7:1: unknown word 'radix_upp', did you mean 'Radix_Up'?");
  EXPECT_EQ(changed("radix_up 2", "radix_up 3"),
            "t.topo:7:1: Radix_Up = 3 is no multiple of Bundle "
            "2 of tier 1");
  EXPECT_EQ(changed("oversubscribed 2", "oversubscribed 3"),
            "t.topo:11:1: tier 1 has 800 Gbps down and 400 Gbps up, and Oversubscribed 3; expected "
            "that many times as much down as up");
  EXPECT_EQ(changed("tier 2", "tier 1"), "t.topo:16:1: tier 1 is on line 9 already");
  EXPECT_EQ(changed("tiers 3", "tiers 4"),
            "t.topo:2:7: Tiers = '4'; expected a whole number from 2 "
            "to 3");
  EXPECT_EQ(changed("radix_down 4\nbundle 2\ndown", "radix_down 5\nbundle 2\ndown"),
            "t.topo:18:1: Radix_Down of tier 2 = 5; expected 4, links to one switch of tier 1 in "
            "each pod");
  EXPECT_NE(
      TopologyFile(three_tiers(), "").refusal().find("three tiers; expected a profile 'core'"),
      std::string::npos);
}

TEST(HtsimTopology, MoreSwitchesOrLinksThanThereCanBeAreRefused) {
  const std::string wide =
      "Nodes 100000\nTiers 2\nPodsize 100000\nTier 0\nDownlink_speed_Gbps 400\nRadix_Down 100\n"
      "Radix_Up 4000\nDownlink_Latency_ns 1000\nTier 1\nDownlink_speed_Gbps 10\n"
      "Radix_Down 1000\nDownlink_Latency_ns 500\n";
  EXPECT_EQ(TopologyFile(wide, "").refusal(),
            "t.topo:2:1: 5000 switches and 4100000 links; expected at most 131072 and 1048576");
}

TEST(HtsimTopology, ATierBeyondTheLastIsNoted) {
  EXPECT_EQ(TopologyFile(two_tiers, "").note(), "");
  const auto note = TopologyFile(two_tiers + "Tier 2\nRadix_Down 4\n", "").note();
  EXPECT_TRUE(note.ends_with("t.topo:18: what is said of tier 2 is not used: Tiers is 2 (line 2)"))
      << note;
}

TEST(HtsimTopology, ValuesOfSwitchesAreThoseOfTheirProfiles) {
  const std::string text = three_tiers("tier 1", "switch_latency_ns 300\nqueue_up 64\ntier 1");
  EXPECT_EQ(TopologyFile(text).refusal(),
            "t.topo:9:19: Switch_Latency_ns 300 is of the switches; expected it in their profile, "
            "and switch_values = \"profile\"");
  EXPECT_EQ(
      TopologyFile(text, "core = \"high\"\nswitch_values = \"profile\"\n").read().links.size(),
      TopologyFile(three_tiers()).read().links.size());
}

}  // namespace
}  // namespace horae::fabric::htsim_topology_test
