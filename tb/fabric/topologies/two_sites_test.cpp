// [two_sites]: devices, links and their values, sites, the order of ports.
#include "recorded_network.hpp"

namespace horae::fabric::two_sites_test {
namespace {

using test::generated;
using Names = std::vector<std::string>;

constexpr const char* profiles = "host = \"end\"\ntor = \"low\"\nleaf = \"mid\"\nedge = \"out\"\n";
const std::string small = std::string(profiles) +
                          "tors = 2\nleaves = 3\nhosts_per_tor = 2\nlong_links = 2\n"
                          "edge_rate = \"200 Gbps\"\nlong_delay = \"7 us\"\n";

TEST(TwoSites, HostsOfBothSitesThenEachKindOfSwitch) {
  const auto net = generated("two_sites", small).network;
  Names order;
  for (const auto& d : net.devices) order.push_back(d.name);
  EXPECT_EQ(order,
            (Names{"h0",      "h1",      "h2",      "h3",      "h4",     "h5",      "h6",
                   "h7",      "tor0_0",  "tor0_1",  "tor1_0",  "tor1_1", "leaf0_0", "leaf0_1",
                   "leaf0_2", "leaf1_0", "leaf1_1", "leaf1_2", "edge0",  "edge1"}));
  EXPECT_EQ(net.of("out"), (Names{"edge0", "edge1"}));
  for (const auto& d : net.devices) {
    const bool host = d.name[0] == 'h';
    const unsigned site =
        host ? (d.name >= "h4" ? 1 : 0) : d.name[d.name.find_first_of("01")] - '0';
    EXPECT_EQ(d.site, site) << d.name;
  }
}

TEST(TwoSites, PortsFaceDownBeforeTheyFaceUp) {
  const auto net = generated("two_sites", small).network;
  EXPECT_EQ(net.ports("tor1_0"), (Names{"h4", "h5", "leaf1_0", "leaf1_1", "leaf1_2"}));
  EXPECT_EQ(net.ports("leaf0_2"), (Names{"tor0_0", "tor0_1", "edge0"}));
  EXPECT_EQ(net.ports("edge0"), (Names{"leaf0_0", "leaf0_1", "leaf0_2", "edge1", "edge1"}));
  EXPECT_EQ(net.ports("edge1"), (Names{"leaf1_0", "leaf1_1", "leaf1_2", "edge0", "edge0"}));
}

// Links below the leaves are as all links of the platform; the edges' have values of their own.
TEST(TwoSites, LinksOfTheEdgesHaveRatesAndDelays) {
  const auto net = generated("two_sites", small).network;
  EXPECT_EQ(net.links.size(), 2u * (4 + 2 * 3 + 3) + 2);
  for (const auto& link : net.links) {
    const bool is_long = link.from == "edge0";
    const bool up = link.to.starts_with("edge") && !is_long;
    EXPECT_EQ(link.values.rate.value_or(BitRate(0)), is_long ? 1600_Gbps
                                                     : up    ? 200_Gbps
                                                             : BitRate(0))
        << link.from << " - " << link.to;
    EXPECT_EQ(link.values.delay.value_or(0_ps), is_long ? 7_us : up ? 1_us : 0_ps);
  }
}

TEST(TwoSites, TheFarEdgeMayBeAnother) {
  const auto net = generated("two_sites", small + "far_edge = \"low\"\n").network;
  EXPECT_EQ(net.of("out"), (Names{"edge0"}));
  EXPECT_EQ(net.of("low").back(), "edge1");
}

// The long-haul paper's: 4 ToRs and 4 leaves in each, 32 hosts, one link of 500 us.
TEST(TwoSites, DefaultsAreThePapers) {
  const auto [net, config] = generated("two_sites", profiles);
  EXPECT_EQ(net.of("end").size(), 32u);
  EXPECT_EQ(config.dump(),
            R"({"tors":4,"leaves":4,"hosts_per_tor":4,"long_links":1,"edge_rate":"400 Gbps",)"
            R"("edge_delay":"1 us","long_rate":"1.6 Tbps","long_delay":"500 us","host":"end",)"
            R"("tor":"low","leaf":"mid","edge":"out"})");
}

TEST(TwoSites, RefusesWhatItsTableMayNotSay) {
  EXPECT_EQ(test::refusal("two_sites", std::string(profiles) + "long_rate = \"2 Tbps\"\n"),
            "p.toml:6:13: long_rate = 2 Tbps is above the maximum 1.6 Tbps");
  EXPECT_EQ(test::refusal("two_sites", "host = \"end\"\ntor = \"low\"\nleaf = \"mid\"\n"),
            "p.toml:1:1: missing key 'edge' in [two_sites]: profile of the edge switches");
}

}  // namespace
}  // namespace horae::fabric::two_sites_test
