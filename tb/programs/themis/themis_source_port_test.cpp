// Themis with path_control = "source_port": the PathMap's change of the UDP source port puts a
// packet on its path, here and at the next tier (packet-spraying paper 4.1, Figure 4).
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "horae/core/linear_hash.hpp"
#include "themis_parts.hpp"

namespace horae::programs::themis_source_port_test {
namespace {

using namespace test;

constexpr unsigned first_uplink = 8, uplinks = 4, cores = 4, all = uplinks * cores;
const LinearHash tor_hash({.offset = 0, .seed = 9}), agg_hash({.offset = 4, .seed = 0x4321});

Routes with_tiers(Routes table) {
  table.path_tiers = {PathTier::of("tor", tor_hash, uplinks), PathTier::of("agg", agg_hash, cores)};
  return table;
}

std::string text(const Setup& setup) {
  return setup.text() + "path_control = \"source_port\"\nhash = { offset = 0, seed = 9 }\n";
}

/// An uplink, and what an aggregation switch behind it chooses.
using Path = std::pair<unsigned, unsigned>;

/// A sender at port 0, behind two tiers that choose.
struct Source : PassDriver {
  explicit Source(const Setup& setup = {.paths = all}, const Routes& table = with_tiers(routes))
      : PassDriver(*read_themis(text(setup)), table, 0, setup.seed) {
    program->connect(connection(near_node, far_node));
  }
  Outcome ingress(const Packet& p, unsigned port) { return PassDriver::ingress(1_us, p, port); }
  Path path(std::uint32_t psn, std::uint16_t entropy = 0xc001) {
    const Outcome o = ingress(data(near_node, far_node, psn, entropy), near_port);
    EXPECT_EQ(o.verdict, Verdict::forward);
    EXPECT_GE(o.packet.entropy, 0xc000);  // still of the range for RoCEv2
    return path_of(o);
  }
  static Path path_of(const Outcome& o) {
    return {o.port - first_uplink, LinearHash::choice(agg_hash.of(o.packet), cores)};
  }
  void hears(const Packet& p) { EXPECT_EQ(ingress(p, first_uplink).port, near_port); }
};

// Eq. 1 and 3, relative to the path of the flow's own header.
TEST(ThemisSourcePort, ThePsnChoosesThePathThroughAllTiers) {
  Source tor;
  std::set<Path> bases;
  for (unsigned flow = 0; flow < 200; ++flow) {
    const auto entropy = static_cast<std::uint16_t>(0xc000 + 53 * flow);
    Packet plain = data(near_node, far_node, 0, entropy);
    const Path base = {LinearHash::choice(tor_hash.of(plain), uplinks),
                       LinearHash::choice(agg_hash.of(plain), cores)};
    bases.insert(base);
    std::set<Path> taken;
    for (std::uint32_t psn = 0xffffff - 40; psn < 0x1000000 + 40; ++psn) {
      const std::uint32_t index = psn % all;
      const Path path = tor.path(psn, entropy);
      EXPECT_EQ(path, Path(base.first ^ (index % uplinks), base.second ^ (index / uplinks)));
      taken.insert(path);
    }
    EXPECT_EQ(taken.size(), all);
  }
  EXPECT_EQ(bases.size(), all);  // flows begin everywhere
  EXPECT_EQ(tor.count("rerouted"), 0u);
}

// A destination that fewer switches choose for: indexes share paths, and the same index is the same
// path still.
TEST(ThemisSourcePort, IndexesBeyondThePathsShareThem) {
  Source tor;
  std::map<unsigned, std::set<std::uint32_t>> indexes;  // of an uplink: all there is within a pod
  for (std::uint32_t psn = 0; psn < 320; ++psn) indexes[tor.path(psn).first].insert(psn % all);
  ASSERT_EQ(indexes.size(), uplinks);
  for (const auto& [uplink, of] : indexes) EXPECT_EQ(of.size(), all / uplinks) << uplink;
}

TEST(ThemisSourcePort, WhatIsNotSprayedKeepsItsHeader) {
  Source tor;
  tor.program->connect(connection(far_node, near_node));
  std::set<unsigned> uplinks_taken;
  for (unsigned flow = 0; flow < 200; ++flow) {
    const auto entropy = static_cast<std::uint16_t>(0xc000 + flow);
    std::vector<Packet> others = {ack(near_node, far_node, flow, entropy),
                                  nack(near_node, far_node, flow, entropy),
                                  data(near_node, far_other, flow, entropy)};  // no queue pair here
    for (const Packet& p : others) {
      const Outcome o = tor.ingress(p, near_port);
      EXPECT_EQ(o.packet.entropy, entropy);
    }
    const Outcome o = tor.ingress(others[2], near_port);
    EXPECT_EQ(o.port - first_uplink, LinearHash::choice(tor_hash.of(others[2]), uplinks));
    uplinks_taken.insert(o.port);
  }
  EXPECT_EQ(uplinks_taken.size(), uplinks);
}

TEST(ThemisSourcePort, ARetransmissionTakesAnotherUplink) {
  std::map<Path, int> steps;
  constexpr int runs = 1200;
  for (std::uint64_t seed = 1; seed <= runs; ++seed) {
    Source tor({.paths = all, .seed = seed});
    const Path before = tor.path(9);
    tor.hears(nack(far_node, near_node, 9));
    const Path other = tor.path(25);  // of the same path, and not asked for
    EXPECT_EQ(other, before);
    const Path after = tor.path(9);
    EXPECT_NE(after.first, before.first);
    ++steps[{after.first ^ before.first, after.second ^ before.second}];
    EXPECT_EQ(tor.count("rerouted"), 1u);
  }
  // Each of 3 other uplinks and 4 cores as often: mean 100, within five standard deviations.
  EXPECT_EQ(steps.size(), 12u);
  for (const auto& [step, n] : steps) EXPECT_NEAR(n, 100, 48) << step.first << ", " << step.second;
}

TEST(ThemisSourcePort, ASignalledPathIsAvoidedForSoManyPackets) {
  Source tor({.paths = all, .avoidance_window = 5});
  std::map<std::uint32_t, Path> policy;
  for (std::uint32_t psn = 0; psn < all; ++psn) policy[psn] = tor.path(psn);
  Packet signal = nack(far_node, near_node, 6);
  signal.ack_request = true;
  tor.hears(signal);
  std::vector<std::uint32_t> moved;
  for (std::uint32_t psn = 7; psn < 300; ++psn) {
    if (tor.path(psn) != policy[psn % all]) moved.push_back(psn);
  }
  EXPECT_EQ(moved, (std::vector<std::uint32_t>{22, 38, 54, 70, 86}));
}

// One uplink: the next tier's choice is all there is to change.
TEST(ThemisSourcePort, WithOneUplinkTheNextTierChooses) {
  Routes single = {{{near_node, {0}, true}, {far_node, {8}}}, {0, 0, 0, 0, 0, 0, 0, 0, 0}};
  single.path_tiers = {PathTier::of("agg", agg_hash, cores)};
  Source tor({.paths = cores}, single);
  std::map<std::uint32_t, unsigned> policy;
  for (std::uint32_t psn = 0; psn < cores; ++psn) policy[psn] = tor.path(psn).second;
  EXPECT_EQ(std::set<unsigned>({policy[0], policy[1], policy[2], policy[3]}).size(), cores);
  tor.hears(nack(far_node, near_node, 2));
  EXPECT_NE(tor.path(2).second, policy[2]);
}

// Themis-D compares PSNs mod N only: headers changed on the way are nothing to it.
TEST(ThemisSourcePort, ANackIsValidAfterALaterPacketOfItsPathOnly) {
  Source sender;
  Tor far(*read_themis(text({.paths = all, .window = 64})), 0, with_tiers(routes));
  far.program->connect(connection(far_node, near_node));
  const auto arrives = [&](std::uint32_t psn) {
    Packet p = sender.ingress(data(near_node, far_node, psn), near_port).packet;
    p.src = far_node;  // seen from the receiver's ToR
    p.dst = near_node;
    return far.egress(p, near_port);
  };
  const auto asks = [&](std::uint32_t psn) {
    return far.egress(nack(near_node, far_node, psn), 8);
  };
  arrives(0);
  for (std::uint32_t psn = 2; psn < 17; ++psn) {  // 1 is late; none of these came by its path
    EXPECT_FALSE(arrives(psn).copy) << psn;
    EXPECT_EQ(asks(1).verdict, Verdict::drop) << psn;
  }
  EXPECT_TRUE(arrives(17).copy);  // the path of 1: lost, so the NACK kept back goes
  EXPECT_EQ(asks(1).verdict, Verdict::undecided);
}

TEST(ThemisSourcePort, RoutesThatAreNotDescribedAreRefused) {
  const auto refusal = [](const Routes& table) {
    return refusal_of([&] { PassDriver(*read_themis(text({.paths = all})), table); });
  };
  EXPECT_EQ(refusal(with_tiers(routes)), "accepted");
  EXPECT_EQ(refusal(routes),
            "tor.pipe0: path_control = \"source_port\" with 4 ports to node 10; the hash described "
            "is of 1");
  Routes three = with_tiers(routes);
  three.entries[2].ports = {8, 9, 10};
  EXPECT_EQ(refusal(three),
            "tor.pipe0: path_control = \"source_port\" with 3 ports to node 10; the hash described "
            "is of 4");
}

}  // namespace
}  // namespace horae::programs::themis_source_port_test
