// [jellyfish]: devices, links and the order of ports.
#include "recorded_network.hpp"

namespace horae::fabric::jellyfish_test {
namespace {

using test::generated;
using Names = std::vector<std::string>;

const std::string profiles = "host = \"end\"\nswitch = \"plain\"\n";
const std::string small = profiles + "switches = 5\nports = 4\nhosts = 7\n";

TEST(Jellyfish, SpreadsItsHostsAndJoinsAllOtherPorts) {
  const auto net = generated("jellyfish", small).network;
  EXPECT_EQ(net.of("end"), (Names{"h0", "h1", "h2", "h3", "h4", "h5", "h6"}));
  EXPECT_EQ(net.of("plain"), (Names{"s0", "s1", "s2", "s3", "s4"}));
  std::size_t left = 0;
  for (const auto& name : net.of("plain")) left += 4 - net.ports(name).size();
  EXPECT_EQ(left, 1u);  // 5 x 4 - 7 is odd
}

TEST(Jellyfish, PortsOfASwitchAreItsHostsFirst) {
  const auto net = generated("jellyfish", small).network;
  const std::vector<Names> hosts = {{"h0", "h1"}, {"h2", "h3"}, {"h4"}, {"h5"}, {"h6"}};
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto& ports = net.ports("s" + std::to_string(i));
    ASSERT_GE(ports.size(), hosts[i].size());
    EXPECT_TRUE(std::equal(hosts[i].begin(), hosts[i].end(), ports.begin())) << "s" << i;
    for (std::size_t j = hosts[i].size(); j < ports.size(); ++j)
      EXPECT_EQ(ports[j][0], 's') << "s" << i << " port " << j;
  }
}

TEST(Jellyfish, ASeedIsAGraph) {
  const auto peers = [](const std::string& more) {
    std::vector<Names> out;
    for (const auto& d : generated("jellyfish", profiles + more).network.devices)
      out.push_back(d.ports);
    return out;
  };
  EXPECT_EQ(peers(""), peers("seed = 1"));
  EXPECT_NE(peers(""), peers("seed = 2"));
}

// The graph of a seed is part of a platform's results.
TEST(Jellyfish, TheGraphOfASeedStays) {
  const auto net = generated("jellyfish", small).network;
  std::string text;
  for (const auto& link : net.links) {
    if (link.from[0] == 's') text += link.from + "-" + link.to + " ";
  }
  EXPECT_EQ(text, "s3-s2 s2-s0 s2-s1 s3-s0 s1-s4 s3-s4 ");
}

TEST(Jellyfish, LinksPointAtTheProfileOfTheirFirstEnd) {
  for (const auto& link : generated("jellyfish", small).network.links)
    EXPECT_EQ(link.line, link.from[0] == 'h' ? 2u : 3u) << link.from << " - " << link.to;
}

TEST(Jellyfish, DefaultsAreInEffect) {
  const auto [net, config] = generated("jellyfish", profiles);
  EXPECT_EQ(net.devices.size(), 128u + 80);
  EXPECT_EQ(config.dump(),
            R"({"switches":80,"ports":8,"hosts":128,"seed":1,"host":"end","switch":"plain"})");
}

TEST(Jellyfish, RefusesWhatNoGraphHas) {
  EXPECT_EQ(test::refusal("jellyfish", profiles + "hosts = 640"),
            "p.toml:1:1: ports = 8 leaves no port to another switch beside 8 hosts");
  EXPECT_EQ(test::refusal("jellyfish", profiles + "switches = 5\nhosts = 5\nports = 8"),
            "p.toml:6:9: ports = 8 gives a switch 7 links to the 4 others; two switches have one "
            "link at most");
  // Every switch has one port to another, which joins two of them at most.
  EXPECT_EQ(test::refusal("jellyfish", profiles + "switches = 4\nhosts = 4\nports = 2"),
            "p.toml:6:9: no connected graph of these switches was found: too few ports between "
            "them, or more than there are other switches");
}

// A builder's refusal keeps its place.
TEST(Jellyfish, ABadProfileIsNotBlamedOnThePorts) {
  struct Refusing final : NetworkBuilder {
    unsigned add_device(const std::string&, const Located<std::string>& profile) override {
      throw input_error(profile.where, "unknown profile");
    }
    void add_link(unsigned, unsigned, const Location&, const LinkValues&) override {}
    void place(unsigned, unsigned) override {}
    void number(unsigned /*device*/, std::uint32_t /*node*/) override {}
    void scale_up(unsigned, unsigned, std::uint32_t) override {}
  };
  const auto document = Document::parse("[jellyfish]\n" + small, "p.toml");
  const auto& kind = find_named(topology_kinds(), "topology", "jellyfish");
  Refusing builder;
  try {
    kind.read(document.root().child("jellyfish"))->generate(builder);
    FAIL() << "not refused";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "p.toml:2:8: unknown profile");
  }
}

}  // namespace
}  // namespace horae::fabric::jellyfish_test
