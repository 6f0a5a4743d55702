// [ns3_topology]: what is read of topology.txt, and how a bad line is refused.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

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

  Generated read() const { return test::generated("ns3_topology", table()); }
  /// Without the folder.
  std::string refusal() const {
    const std::string why = test::refusal("ns3_topology", table());
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
      {"4 1\n", "list:1:1: 2 words; expected 3: the numbers of nodes, switches and links"},
      {"4 5 3\n", "list:1:3: switches = '5'; expected a whole number from 0 to 4"},
      {"4 1 1\n", "list:1:1: 1 switches are announced; the file names 0"},
      {"4 1 1\n7\n", "list:2:1: switch = '7'; expected a whole number from 0 to 3"},
      {"4 2 1\n0\n0\n", "list:3:1: switch 0 is named twice"},
      {"4 1 1\n0 1\n",
       "list:2:3: more than the 1 switches that are announced; expected links on a "
       "line of their own"},
      {"2 1 2\n0\n0 1 1Gbps 1us 0\n", "list:1:1: 2 links are announced; the file has 1"},
      {"2 1 1\n0\n0 1 1Gbps 1us\n", "list:3:1: 4 words; expected 5: src dst rate delay error_rate"},
      {"2 1 1\n0\n0 0 1Gbps 1us 0\n", "list:3:3: a link from 0 to itself; expected another node"},
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

TEST(Ns3Topology, TheConfigurationHasAHashOfTheFile) {
  const std::string one = TopologyFile(star).read().config.at("content");
  EXPECT_EQ(TopologyFile(star).read().config.at("content"), one);
  EXPECT_NE(TopologyFile(star + "\n").read().config.at("content"), one);
}

}  // namespace
}  // namespace horae::fabric::ns3_topology_test
