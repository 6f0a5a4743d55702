// [ns3_topology]: what is read of topology.txt, and how a bad line is refused.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "packed_bytes.hpp"
#include "recorded_network.hpp"

namespace horae::fabric::ns3_topology_test {
namespace {

using test::Generated;
using Names = std::vector<std::string>;

/// The file "list", the table that names it, and the network.
class TopologyFile {
 public:
  explicit TopologyFile(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    path_ = std::filesystem::path(::mkdtemp(pattern.data())) / "list";
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TopologyFile() { std::filesystem::remove_all(path_.parent_path()); }
  TopologyFile(const TopologyFile&) = delete;
  TopologyFile& operator=(const TopologyFile&) = delete;

  Generated read(const std::string& more = "") const {
    return test::generated("ns3_topology", table() + more);
  }
  /// Without the folder.
  std::string refusal(const std::string& more = "") const {
    const std::string why = test::refusal("ns3_topology", table() + more);
    const std::string folder = path_.parent_path().string() + "/";
    return why.starts_with(folder) ? why.substr(folder.size()) : why;
  }

 private:
  std::string table() const {
    return fmt::format("file = \"{}\"\nhost = \"end\"\nswitch = \"plain\"\n", path_.string());
  }
  std::filesystem::path path_;
};

// Node 0 is the switch, as in HPCC's mix/topology.txt.
const std::string star =
    "4 1 3\n0\n1 0 100Gbps 0.001ms 0\n0 2 25Gbps 2us 0.01\n3 0 400Gbps 1500ns 1e-3\n";

TEST(Ns3Topology, DevicesAndLinksAreThoseOfTheFile) {
  const auto net = TopologyFile(star).read().network;
  EXPECT_EQ(net.of("end"), (Names{"h1", "h2", "h3"}));
  EXPECT_EQ(net.of("plain"), (Names{"s0"}));
  EXPECT_EQ(net.ports("s0"), (Names{"h1", "h2", "h3"}));
  for (const auto& device : net.devices) {
    EXPECT_EQ(device.number.has_value(), device.profile == "end");
    if (device.number) {
      EXPECT_EQ(device.name, fmt::format("h{}", *device.number));
    }
  }
  ASSERT_EQ(net.links.size(), 3u);
  EXPECT_EQ(*net.links[0].values.rate, 100_Gbps);
  EXPECT_EQ(*net.links[0].values.delay, 1_us);
  EXPECT_EQ(*net.links[0].values.loss, 0.0);
  EXPECT_EQ(*net.links[1].values.rate, 25_Gbps);
  EXPECT_EQ(*net.links[1].values.loss, 0.01);
  EXPECT_EQ(*net.links[2].values.delay, 1500_ns);
  EXPECT_EQ(*net.links[2].values.loss, 0.001);
  EXPECT_EQ(net.links[2].line, 5u);
}

TEST(Ns3Topology, WhatFollowsTheAnnouncedLinksIsNotRead) {
  const auto [net, config] =
      TopologyFile(star + "0 9 1Gbps 1s 0\n\nFirst line: total node #\n").read();
  EXPECT_EQ(net.links.size(), 3u);
  EXPECT_TRUE(config.at("note").get<std::string>().ends_with(
      ":6: the 3 links that the first line announces are read, and nothing from here on, as in "
      "ns-3"))
      << config.at("note");
  EXPECT_FALSE(TopologyFile(star).read().config.contains("note"));
}

// simulation/mix/fat.txt of HPCC: 320 hosts at 20 switches, four more of these in each of five
// pods, and 16 above; it is written in this order.
TEST(Ns3Topology, HpccsFatTreeHasItsPorts) {
  std::string text = "376 56 480\n";
  for (int s = 320; s < 376; ++s) text += fmt::format("{} ", s);
  text += "\n";
  for (int h = 0; h < 320; ++h)
    text += fmt::format("{} {} 100Gbps 1000ns 0.000000\n", h, 320 + h / 16);
  for (int t = 0; t < 20; ++t) {
    for (int a = 0; a < 4; ++a)
      text += fmt::format("{} {} 400Gbps 1000ns 0.000000\n", 320 + t, 340 + t / 4 * 4 + a);
  }
  for (int a = 0; a < 20; ++a) {
    for (int c = 0; c < 4; ++c)
      text += fmt::format("{} {} 400Gbps 1000ns 0.000000\n", 340 + a, 360 + a % 4 * 4 + c);
  }
  const auto packed = testing::zstd_of({text.begin(), text.end()});
  const auto net = TopologyFile({packed.begin(), packed.end()}).read().network;
  EXPECT_EQ(net.of("end").size(), 320u);
  EXPECT_EQ(net.links.size(), 480u);
  EXPECT_EQ(net.ports("h17"), (Names{"s321"}));
  EXPECT_EQ(net.ports("s321").size(), 20u);
  EXPECT_EQ(net.ports("s345"),
            (Names{"s324", "s325", "s326", "s327", "s364", "s365", "s366", "s367"}));
  EXPECT_EQ(net.ports("s360").size(), 5u);
}

TEST(Ns3Topology, BadLinesAreRefusedAtTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "list: an empty file; expected numbers of nodes, switches and links"},
      {"4 1\n",
       "list:1:1: 2 words; expected 3: the numbers of nodes, switches and links; or 6, as SimAI: "
       "nodes, GPUs per server, NVSwitches, switches, links and the type of GPU"},
      {"4 5 3\n", "list:1:3: switches = '5'; expected a whole number from 0 to 4"},
      {"4 1 1\n", "list:1:1: 1 switches are announced; the file names 0"},
      {"4 1 1\n7\n", "list:2:1: switch = '7'; expected a whole number from 0 to 3"},
      {"4 2 1\n0\n0\n", "list:3:1: switch 0 is named twice"},
      {"4 1 1\n0 1\n",
       "list:2:3: more than the 1 switches that are announced; expected links on a "
       "line of their own"},
      {"2 1 2\n0\n0 1 1Gbps 1us 0\n", "list:1:1: 2 links are announced; the file has 1"},
      {"2 1 1\n0\n0 1 1Gbps 1us\n", "list:3:1: 4 words; expected 5: src dst rate delay error_rate"},
      {"2 1 1\n0\n0 0 1Gbps 1us 0\n", "list:1:1: node 1 has no link; expected one"},
      {"2 1 1\n0\n1 1 1Gbps 1us 0\n",
       "list:3:3: a link from host 1 to itself; expected another node, or one of the switches"},
      {"2 1 1\n0\n0 2 1Gbps 1us 0\n", "list:3:3: dst = '2'; expected a whole number from 0 to 1"},
      {"2 1 1\n0\n0 1 1Gps 1us 0\n", "list:3:5: rate = '1Gps'; expected from 1 Gbps to 1.6 Tbps"},
      {"2 1 1\n0\n0 1 9Tbps 1us 0\n", "list:3:5: rate = '9Tbps'; expected from 1 Gbps to 1.6 Tbps"},
      {"2 1 1\n0\n0 1 1Gbps -1us 0\n", "list:3:11: delay = '-1us'; expected from 1 ns to 1 s"},
      {"2 1 1\n0\n0 1 1Gbps 1us 1.5\n",
       "list:3:15: error_rate = '1.5'; expected a share of packets from 0 to 1"},
      {"2 1 1\n0\n0 1 1Gbps 1us nan\n",
       "list:3:15: error_rate = 'nan'; expected a share of packets from 0 to 1"},
      {"3 1 1\n0\n0 1 1Gbps 1us 0\n", "list:1:1: node 2 has no link; expected one"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(TopologyFile(text).refusal(), expected);
}

// Two servers of two GPUs; NVSwitches 4 and 5, ToRs 6 and 7.
const std::string simai =
    "8 2 2 2 9 H800\n4 5 6 7\n0 4 2880Gbps 0.000025ms 0\n0 6 400Gbps 0.0005ms 0\n"
    "1 4 2880Gbps 0.000025ms 0\n1 7 400Gbps 0.0005ms 0\n2 5 2880Gbps 0.000025ms 0\n"
    "2 6 400Gbps 0.0005ms 0\n3 5 2880Gbps 0.000025ms 0\n3 7 400Gbps 0.0005ms 0\n"
    "6 7 800Gbps 0.0005ms 0\n";
const std::string scale_up = "scale_up_host = \"gpu\"\nscale_up_switch = \"nvswitch\"\n";

TEST(Ns3Topology, NvSwitchesOfSimAiAreANetworkOfTheirOwn) {
  const auto net = TopologyFile(simai).read(scale_up).network;
  EXPECT_EQ(net.of("end"), (Names{"h0", "h1", "h2", "h3"}));
  EXPECT_EQ(net.of("plain"), (Names{"s6", "s7"}));
  EXPECT_EQ(net.of("gpu"), (Names{"g0", "g1", "g2", "g3"}));
  EXPECT_EQ(net.of("nvswitch"), (Names{"nv4", "nv5"}));
  EXPECT_EQ(net.ports("h1"), (Names{"s7"}));
  EXPECT_EQ(net.ports("g1"), (Names{"nv4"}));
  EXPECT_EQ(net.ports("nv5"), (Names{"g2", "g3"}));
  EXPECT_EQ(net.ports("s6"), (Names{"h0", "h2", "s7"}));
  EXPECT_EQ(*net.links[0].values.rate, 2880_Gbps);
  EXPECT_EQ(*net.links[0].values.delay, 25_ns);
  Names of;
  for (const auto& d : net.devices) {
    if (!d.scale_up.empty()) of.push_back(d.name + " " + d.scale_up);
    EXPECT_EQ(d.number.has_value(), d.profile == "end");
  }
  EXPECT_EQ(of, (Names{"h0 0 g0", "h1 0 g1", "h2 2 g2", "h3 2 g3"}));
}

// NVLinks join GPUs to one domain, however many servers and NVSwitches it has.
TEST(Ns3Topology, ADomainIsWhatNvLinksJoin) {
  std::string text = simai + "4 5 2880Gbps 25ns 0\n";
  text.replace(0, 14, "8 2 2 2 10 H800");
  const auto net = TopologyFile(text).read(scale_up).network;
  for (const auto& d : net.devices) {
    if (d.profile == "end") {
      EXPECT_EQ(d.scale_up, "0 g" + d.name.substr(1));
    }
  }
}

TEST(Ns3Topology, BadFilesOfSimAiAreRefused) {
  const auto refused = [](const std::string& text, const std::string& more,
                          const std::string& why) {
    EXPECT_EQ(TopologyFile(text).refusal(more), why);
  };
  refused(simai, "",
          "p.toml:2:8: NVSwitches in the file; expected 'scale_up_host', the profile of GPUs' ends "
          "of NVLinks");
  refused(simai, "scale_up_host = \"gpu\"\n",
          "p.toml:2:8: NVSwitches in the file; expected 'scale_up_switch', the profile of "
          "NVSwitches");
  refused(star, scale_up, "p.toml:5:17: scale_up_host without NVSwitches in the file");
  refused(simai, scale_up + "switches = [{profile = \"core\", names = [\"s4\"]}]",
          "p.toml:7:41: node 4 is an NVSwitch, which scale_up_switch is of; expected a switch");
  refused("3 1 1 1 1 A100\n1 2\n1 2 1Gbps 1us 0\n", scale_up,
          "list:3:3: a link from node 1 to node 2, one of them an NVSwitch; expected a GPU or "
          "another NVSwitch at its other end");
  refused("2 1 1 0 1 A100\n1\n0 1 1Gbps 1us 0\n", scale_up,
          "list:1:1: node 0 has links to NVSwitches alone; expected one of its NIC");
  refused("2 1 1 0 1 A100\n1\n0 1 15Tbps 1us 0\n", scale_up,
          "list:3:5: rate = '15Tbps'; expected from 1 Gbps to 14.4 Tbps");
  refused("2 0 1 0 1 A100\n", scale_up,
          "list:1:3: gpus_per_server = '0'; expected a whole number from 1 to 2");
}

// Switch 3 has three links, switch 4 two, switch 5 two and one to itself.
const std::string tree =
    "6 3 6\n3 4 5\n0 3 1Gbps 1us 0\n1 3 1Gbps 1us 0\n2 4 1Gbps 1us 0\n3 5 1Gbps 1us 0\n"
    "4 5 1Gbps 1us 0\n5 5 1Gbps 1us 0\n";

TEST(Ns3Topology, ALinkOfASwitchToItselfTakesTwoOfItsPorts) {
  const auto net = TopologyFile(tree).read().network;
  EXPECT_EQ(net.ports("s5"), (Names{"s3", "s4", "s5", "s5"}));
  EXPECT_EQ(net.links.back().from, "s5");
  EXPECT_EQ(net.links.back().to, "s5");
}

TEST(Ns3Topology, SwitchesHaveProfilesByNameAndByNumberOfLinks) {
  const auto profiles = [](const std::string& tables) {
    const auto net = TopologyFile(tree).read(tables).network;
    EXPECT_EQ(net.of("end"), (Names{"h0", "h1", "h2"}));
    std::map<std::string, std::string> out;
    for (const auto& d : net.devices) out[d.name] = d.profile;
    return out["s3"] + ' ' + out["s4"] + ' ' + out["s5"];
  };
  EXPECT_EQ(profiles(""), "plain plain plain");
  EXPECT_EQ(profiles("switches = [{profile = \"core\", names = [\"s5\"]}]"), "plain plain core");
  EXPECT_EQ(profiles("switches = [{profile = \"edge\", names = [\"s0-s4\"]}]"), "edge edge plain");
  EXPECT_EQ(profiles("switches = [{profile = \"core\", links = 4}]"), "plain plain core");
  EXPECT_EQ(profiles("switches = [{profile = \"core\", links = 4}, {profile = \"one\", links = 3}, "
                     "{profile = \"tor\", names = [\"s3\"]}]"),
            "tor plain core");
}

TEST(Ns3Topology, TheConfigurationHasTheProfilesOfSwitches) {
  const auto config =
      TopologyFile(tree).read("switches = [{profile = \"core\", names = [\"s5\"]}]").config;
  EXPECT_EQ(config.at("switches").at(0).at("names").at(0), "s5");
}

TEST(Ns3Topology, BadTablesOfSwitchesAreRefused) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{profile = \"c\"}", "switches with a profile; expected one of 'names' and 'links'"},
      {"{profile = \"c\", names = [\"s5\"], links = 4}",
       "switches with a profile; expected one of 'names' and 'links'"},
      {"{profile = \"c\", names = [\"s6\"]}",
       "'s6' names no switches; expected 's7', or 's7-s9', of the nodes 0 to 5"},
      {"{profile = \"c\", names = [\"s5-s4\"]}",
       "'s5-s4' names no switches; expected 's7', or 's7-s9', of the nodes 0 to 5"},
      {"{profile = \"c\", names = [\"leaf\"]}",
       "'leaf' names no switches; expected 's7', or 's7-s9', of the nodes 0 to 5"},
      {"{profile = \"c\", names = [\"s0\"]}", "node 0 is a host; expected a switch"},
      {"{profile = \"c\", names = [\"s0-s2\"]}", "nodes 0 to 2 are hosts; expected switches"},
      {"{profile = \"c\", names = [\"s3-s4\", \"s4\"]}", "switch s4 is named twice"},
      {"{profile = \"c\", links = 7}", "no switch has 7 links; they have 2, 3, 4"},
      {"{profile = \"c\", links = 4}, {profile = \"d\", links = 4}",
       "switches of 4 links have two tables"},
  };
  for (const auto& [table, expected] : cases) {
    const std::string why = TopologyFile(tree).refusal("switches = [" + table + "]");
    EXPECT_TRUE(why.starts_with("p.toml:5:") && why.ends_with(": " + expected)) << why;
  }
}

TEST(Ns3Topology, TheConfigurationHasAHashOfTheFile) {
  const std::string one = TopologyFile(star).read().config.at("content");
  EXPECT_EQ(TopologyFile(star).read().config.at("content"), one);
  EXPECT_NE(TopologyFile(star + "\n").read().config.at("content"), one);
}

}  // namespace
}  // namespace horae::fabric::ns3_topology_test
