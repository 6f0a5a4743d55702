// CONGA: rates that ports measure, what leaves tell each other, which path a flowlet takes.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/policy/balance/load_balancer.hpp"

namespace horae::policy::conga_test {
namespace {

struct Ports final : PortView {
  Bytes depth(unsigned) const override { return {}; }
  Picoseconds now() const override { return time; }
  Picoseconds time{};
};

/// Nodes 0 and 1 are of switch 10, nodes 2 and 3 of switch 20; ports 0 and 1 lead to end points,
/// where the switch has some, all others to switches.
BalancePlace place(std::uint32_t home, unsigned ports) {
  BalancePlace out{.home = home, .home_of = {10, 10, 20, 20}};
  out.rates.assign(ports, 100_Gbps);
  for (unsigned i = 0; i < ports; ++i)
    out.to_switch.push_back(home == BalancePlace::none || i >= 2);
  return out;
}

std::unique_ptr<LoadBalancer> conga(std::uint32_t home, unsigned ports = 4) {
  auto made = make_load_balancer("conga", 1, "leaf" + std::to_string(home) + ".balance");
  made->begin(place(home, ports));
  return made;
}

Packet packet(NodeId src, NodeId dst, std::uint32_t flow = 0) {
  Packet p;
  p.src = src;
  p.dst = dst;
  p.dest_qp = Qpn(flow);
  p.entropy = static_cast<std::uint16_t>(0xc000 + flow % 97);
  p.frame = 1230;  // 100 ns at 100 Gbps with preamble and gap
  return p;
}

/// Congestion in the header of a packet between switches (bits 4 to 6), and its uplink (0 to 3).
unsigned congestion(const Packet& p) { return p.metadata >> 4 & 7u; }
unsigned uplink(const Packet& p) { return p.metadata & 15u; }

/// Sends by port `port` at a share of its rate, for so long; the level that the last one has.
unsigned level_after(LoadBalancer& leaf, unsigned port, double share, Picoseconds from,
                     Picoseconds time) {
  const auto gap = Picoseconds(static_cast<std::int64_t>(100'000 / share));
  unsigned level = 0;
  for (Picoseconds t = from; t < from + time; t += gap) {
    Packet p = packet(0, 2);
    leaf.leaves(p, port, t);
    level = congestion(p);
  }
  return level;
}

// A port has something between 7/8 and all of rate x tau, so a share s reads as the level of
// something in [7/8 s, s]: exactly s in eighths, or one level less.
TEST(Conga, APortMeasuresItsShareInEighths) {
  for (const double share : {0.1, 0.25, 0.45, 0.6, 0.85}) {
    const auto leaf = conga(10);
    const unsigned level = level_after(*leaf, 2, share, 0_ns, 4_ms);
    EXPECT_LE(level, share * 8) << share;
    EXPECT_GE(level, share * 7 - 1) << share;
  }
  const auto leaf = conga(10);
  EXPECT_EQ(level_after(*leaf, 2, 1.0, 0_ns, 4_ms), 7u);
  // Nothing for 10 tau: (7/8)^80 of it is left.
  EXPECT_EQ(level_after(*leaf, 2, 1.0, 6_ms, 100_ns), 0u);
}

TEST(Conga, APacketHasTheBusiestLinkOfItsPath) {
  const auto leaf = conga(10), spine = conga(BalancePlace::none);
  level_after(*leaf, 2, 0.45, 0_ns, 4_ms);
  level_after(*spine, 1, 1.0, 0_ns, 4_ms);
  level_after(*spine, 3, 0.1, 0_ns, 4_ms);
  Packet p = packet(0, 2);
  leaf->leaves(p, 2, 4_ms);
  EXPECT_EQ(uplink(p), 0u);
  EXPECT_EQ(congestion(p), 3u);
  Packet busy = p, idle = p;
  spine->comes(busy, 4_ms);
  spine->leaves(busy, 1, 4_ms);
  EXPECT_EQ(congestion(busy), 7u);
  spine->leaves(idle, 3, 4_ms);
  EXPECT_EQ(congestion(idle), 3u);
}

/// A packet of `from`'s nodes by uplink `port` over a spine that writes `level`, to the other leaf.
Packet carry(LoadBalancer& from, LoadBalancer& to, NodeId src, NodeId dst, unsigned port,
             unsigned level, Picoseconds t) {
  Packet p = packet(src, dst);
  from.leaves(p, port, t);
  p.metadata = static_cast<std::uint16_t>((p.metadata & ~(7u << 4)) | level << 4);
  to.comes(p, t);
  EXPECT_EQ(p.metadata, 0) << "no end point sees the header";
  return p;
}

// Uplink 0 is said to be at level 6, by a packet the other way. New flows take uplink 1, until
// what was heard is old.
TEST(Conga, FlowsGoByWhatTheOtherLeafReports) {
  const auto a = conga(10), b = conga(20);
  carry(*a, *b, 0, 2, 2, 6, 1_us);
  const auto taken = [&](Picoseconds t, std::uint32_t flows) {
    std::map<unsigned, int> counts;
    Ports ports;
    ports.time = t;
    struct Up final : PortView {
      Bytes depth(unsigned) const override { return {}; }
      Picoseconds now() const override { return at; }
      unsigned port(unsigned choice) const override { return choice + 2; }
      Picoseconds at{};
    } up;
    up.at = t;
    for (std::uint32_t n = 0; n < flows; ++n)
      ++counts[a->choose(packet(0, 2, n + static_cast<std::uint32_t>(t.count() % 9973)), 2, up)];
    return counts;
  };
  const auto before = taken(2_us, 200);
  EXPECT_EQ(before.size(), 2u) << "nothing was heard yet";
  carry(*b, *a, 2, 0, 2, 0, 3_us);
  EXPECT_EQ(taken(1_ms, 200).count(0), 0u);
  // 10 ms later it counts as one less, and after six times that as none.
  EXPECT_EQ(taken(51_ms, 200).count(0), 0u);
  EXPECT_EQ(taken(61_ms, 200).size(), 2u);
}

// All 2 paths of the other leaf are told, those that changed first, in turn.
TEST(Conga, FeedbackGoesInTurnAndWhatChangedFirst) {
  const auto a = conga(10), b = conga(20);
  carry(*a, *b, 0, 2, 2, 2, 1_us);
  carry(*a, *b, 0, 2, 3, 5, 1_us);
  const auto told = [&] {
    Packet p = packet(2, 0);
    b->leaves(p, 2, 2_us);
    EXPECT_NE(p.metadata >> 15 & 1, 0);
    return std::pair(p.metadata >> 7 & 15, p.metadata >> 11 & 7);
  };
  EXPECT_EQ(told(), std::pair(0, 2));
  EXPECT_EQ(told(), std::pair(1, 5));
  EXPECT_EQ(told(), std::pair(0, 2));
  carry(*a, *b, 0, 2, 2, 7, 3_us);
  EXPECT_EQ(told(), std::pair(0, 7));
  EXPECT_EQ(told(), std::pair(1, 5));
}

TEST(Conga, AFlowletMovesOnlyToABetterPath) {
  const auto leaf = conga(10);
  struct Up final : PortView {
    Bytes depth(unsigned) const override { return {}; }
    Picoseconds now() const override { return at; }
    unsigned port(unsigned choice) const override { return choice + 2; }
    Picoseconds at{};
  } up;
  const unsigned first = leaf->choose(packet(0, 2), 2, up);
  for (int i = 0; i < 50; ++i) {
    up.at += 500_us;
    ASSERT_EQ(leaf->choose(packet(0, 2), 2, up), first) << "both are idle";
  }
  level_after(*leaf, first + 2, 1.0, up.at, 500_us - 1_ns);
  up.at += 500_us - 1_ns;
  EXPECT_EQ(leaf->choose(packet(0, 2), 2, up), first) << "no gap";
  level_after(*leaf, first + 2, 1.0, up.at, 500_us);
  up.at += 500_us;
  EXPECT_EQ(leaf->choose(packet(0, 2), 2, up), 1 - first);
}

TEST(Conga, MoreThanSixteenUplinksAreOneLine) {
  EXPECT_NO_THROW(conga(10, 18));
  EXPECT_NO_THROW(conga(BalancePlace::none, 64));
  try {
    conga(10, 19);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()),
              "conga: 17 links to other switches at a switch with end points; expected at most 16, "
              "as paths have a number of 4 bits");
  }
}

}  // namespace
}  // namespace horae::policy::conga_test
