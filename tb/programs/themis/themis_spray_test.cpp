// Themis-S: which path a packet takes (packet-spraying paper 4.1 and 4.4).
#include <cmath>
#include <map>
#include <set>

#include "themis_parts.hpp"

namespace horae::programs::themis_spray_test {
namespace {

using namespace test;

constexpr unsigned first_uplink = 8;

// A sender at port 0, of pipeline 0, and its responses from the uplink of the same pipeline.
struct Source : Tor {
  explicit Source(const Setup& setup = {}, const Routes& table = routes) : Tor(setup, 0, table) {
    program->connect(connection(near_node, far_node));
  }
  unsigned path(std::uint32_t psn, std::uint16_t entropy = 0xc001) {
    const Outcome o = ingress(data(near_node, far_node, psn, entropy), near_port);
    EXPECT_EQ(o.verdict, Verdict::forward);
    return o.port - first_uplink;
  }
  // A NACK comes from the network; it goes on to the sender.
  void hears(Packet p) {
    const Outcome o = ingress(p, first_uplink);
    EXPECT_EQ(o.verdict, Verdict::forward);
    EXPECT_EQ(o.port, near_port);
  }
};

// Within five standard deviations.
bool plausible(double successes, double trials, double p) {
  return std::abs(successes - trials * p) <= 5 * std::sqrt(trials * p * (1 - p));
}

// Eq. 1, with N = `paths` steps over n ports.
TEST(ThemisSpray, ThePsnChoosesThePath) {
  for (const std::uint32_t paths : {1u, 2u, 4u, 8u, 128u}) {
    Source tor({.paths = paths});
    const unsigned base = tor.path(0);
    ASSERT_LT(base, 4u);
    for (std::uint32_t psn = 0; psn < 1000; ++psn)
      EXPECT_EQ(tor.path(psn), (psn % paths + base) % 4) << paths << ": " << psn;
    for (std::uint32_t psn = 0xffff00; psn < 0x1000100; ++psn)  // PSNs come around
      EXPECT_EQ(tor.path(psn), (Psn(psn).value() % paths + base) % 4) << paths << ": " << psn;
    EXPECT_EQ(tor.count("rerouted"), 0u);
  }
}

TEST(ThemisSpray, PathsAreTakenEvenly) {
  Source tor({.paths = 128});
  std::map<unsigned, int> taken;
  for (std::uint32_t psn = 777; psn < 777 + 4096; ++psn) ++taken[tor.path(psn)];
  EXPECT_EQ(taken, (std::map<unsigned, int>{{0, 1024}, {1, 1024}, {2, 1024}, {3, 1024}}));
}

// Any number of ports; the same PSN mod N is the same path (Eq. 3).
TEST(ThemisSpray, PortsNeedNotBeAPowerOfTwo) {
  const Routes three = {{{near_node, {0}, true}, {far_node, {8, 9, 10}}},
                        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  Source tor({.paths = 8}, three);
  const unsigned base = tor.path(0);
  for (std::uint32_t psn = 0; psn < 200; ++psn) {
    EXPECT_EQ(tor.path(psn), (psn % 8 + base) % 3) << psn;
    EXPECT_EQ(tor.path(psn), tor.path(psn + 8 * psn)) << psn;
  }
}

TEST(ThemisSpray, TheBasePathIsThatOfTheFlow) {
  Source tor, again({.seed = 2});
  std::map<unsigned, int> bases;
  for (unsigned flow = 0; flow < 4000; ++flow) {
    const auto entropy = static_cast<std::uint16_t>(0xc000 + flow);
    const unsigned base = tor.path(0, entropy);
    EXPECT_EQ(tor.path(0, entropy), base);
    EXPECT_EQ(again.path(0, entropy), base);  // a hash, not a draw
    EXPECT_EQ(tor.path(1, entropy), (base + 1) % 4);
    ++bases[base];
  }
  ASSERT_EQ(bases.size(), 4u);
  for (const auto& [base, n] : bases) EXPECT_TRUE(plausible(n, 4000, 0.25)) << base << ": " << n;
}

// A packet that is not data of a known queue pair keeps to one path.
TEST(ThemisSpray, ResponsesAndOthersFollowTheirFlow) {
  for (const bool source : {true, false}) {
    Tor tor({.source = source, .destination = false});
    tor.program->connect(connection(far_node, near_node));
    std::set<unsigned> taken;
    for (unsigned flow = 0; flow < 100; ++flow) {
      const auto entropy = static_cast<std::uint16_t>(0xc000 + flow);
      std::set<unsigned> of_flow;
      for (std::uint32_t psn = 0; psn < 20; ++psn) {
        of_flow.insert(tor.ingress(ack(near_node, far_node, psn, entropy), near_port).port);
        of_flow.insert(tor.ingress(nack(near_node, far_node, psn, entropy), near_port).port);
        of_flow.insert(tor.ingress(data(near_node, far_node, psn, entropy), near_port).port);
        Packet cnp = ack(near_node, far_node, psn, entropy);
        cnp.opcode = Opcode::cnp;
        of_flow.insert(tor.ingress(cnp, near_port).port);
      }
      EXPECT_EQ(of_flow.size(), 1u) << flow;
      taken.insert(*of_flow.begin());
    }
    EXPECT_EQ(taken, (std::set<unsigned>{8, 9, 10, 11}));
  }
  // Responses of the queue pair that sprays its own data.
  Source tor;
  std::set<unsigned> of_flow;
  for (std::uint32_t psn = 0; psn < 20; ++psn) {
    Packet p = ack(near_node, far_node, psn);
    p.dest_qp = Qpn(0x77);
    of_flow.insert(tor.ingress(p, first_uplink).port);
  }
  EXPECT_EQ(of_flow.size(), 1u);
}

// State is where the sender's port is.
TEST(ThemisSpray, APipelineSpraysItsOwnSendersOnly) {
  Tor other({}, 1);
  other.program->connect(connection(near_node, far_node));
  std::set<unsigned> taken;
  for (std::uint32_t psn = 0; psn < 20; ++psn)
    taken.insert(other.ingress(data(near_node, far_node, psn), other_port).port);
  EXPECT_EQ(taken.size(), 1u);
  other.program->connect(connection(near_other, far_node));
  taken.clear();
  for (std::uint32_t psn = 0; psn < 20; ++psn)
    taken.insert(other.ingress(data(near_other, far_node, psn), other_port).port);
  EXPECT_EQ(taken.size(), 4u);
}

TEST(ThemisSpray, ARetransmissionTakesAnyOtherPath) {
  std::map<unsigned, int> steps;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Source tor({.seed = seed});
    const unsigned base = tor.path(0);
    tor.hears(nack(far_node, near_node, 9));
    for (std::uint32_t psn = 5; psn < 14; ++psn) {
      const unsigned step = (tor.path(psn) + 4 - (psn + base) % 4) % 4;
      if (psn == 9)
        ++steps[step];
      else
        EXPECT_EQ(step, 0u) << psn;  // only the one asked for, not others of its path
    }
    EXPECT_EQ(tor.count("rerouted"), 1u);
  }
  EXPECT_EQ(steps.size(), 3u);
  EXPECT_FALSE(steps.contains(0));
  for (const auto& [step, n] : steps) EXPECT_TRUE(plausible(n, 300, 1.0 / 3)) << step;
}

TEST(ThemisSpray, OnlyTheLastNackOfItsOwnQueuePairCounts) {
  Source tor;
  tor.program->connect({near_node, far_node, Qpn(0x56), Qpn(0x78), 0xc001, Psn(0)});
  const unsigned base = tor.path(0);
  const auto moved = [&](std::uint32_t psn) { return tor.path(psn) != (psn + base) % 4; };
  tor.hears(ack(far_node, near_node, 4));
  EXPECT_FALSE(moved(4));
  Packet of_another = nack(far_node, near_node, 4);
  of_another.dest_qp = Qpn(0x56);
  tor.hears(of_another);
  EXPECT_FALSE(moved(4));
  tor.hears(nack(far_node, near_node, 4));
  EXPECT_TRUE(moved(4));
  EXPECT_TRUE(moved(4));  // sent again, it is again the packet asked for
  tor.hears(nack(far_node, near_node, 6));
  EXPECT_FALSE(moved(4));
  EXPECT_TRUE(moved(6));
  EXPECT_FALSE(moved(0));
}

// The signal is the reserved bit of a NACK.
TEST(ThemisSpray, ASignalledPathIsAvoidedForSoManyPackets) {
  for (const std::uint32_t window : {1u, 5u, 100u}) {
    Source tor({.avoidance_window = window});
    const unsigned base = tor.path(0);
    Packet signal = nack(far_node, near_node, 6);
    signal.ack_request = true;
    tor.hears(signal);
    std::vector<std::uint32_t> moved;
    for (std::uint32_t psn = 7; psn < 7 + 4 * (window + 10); ++psn) {
      const unsigned policy = (psn + base) % 4;
      if (tor.path(psn) != policy) moved.push_back(psn);
    }
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 1; i <= window; ++i) expected.push_back(6 + 4 * i);
    EXPECT_EQ(moved, expected);
    EXPECT_EQ(tor.count("rerouted"), window);
  }
}

TEST(ThemisSpray, ASignalStartsTheWindowAnew) {
  Source tor({.avoidance_window = 5});
  const unsigned base = tor.path(0);
  Packet signal = nack(far_node, near_node, 6);
  signal.ack_request = true;
  std::uint32_t psn = 6;
  const auto moved = [&](int packets) {
    int n = 0;
    for (int i = 0; i < packets; ++i) {
      psn += 4;
      n += tor.path(psn) != (psn + base) % 4 ? 1 : 0;
    }
    return n;
  };
  EXPECT_EQ(moved(3), 0);
  tor.hears(signal);
  EXPECT_EQ(moved(3), 3);
  tor.hears(nack(far_node, near_node, 2));  // a plain NACK is no signal
  EXPECT_EQ(moved(1), 1);
  tor.hears(signal);
  EXPECT_EQ(moved(20), 5);
}

TEST(ThemisSpray, OneWayIsNeverLeft) {
  const Routes single = {{{near_node, {0}, true}, {far_node, {8}}}, {0, 0, 0, 0, 0, 0, 0, 0, 0}};
  Source tor({}, single);
  tor.hears(nack(far_node, near_node, 2));
  for (std::uint32_t psn = 0; psn < 8; ++psn) EXPECT_EQ(tor.path(psn), 0u);
  EXPECT_EQ(tor.count("rerouted"), 0u);
}

TEST(ThemisSpray, AnUnknownDestinationIsDropped) {
  Source tor;
  EXPECT_TRUE(tor.ingress(data(near_node, 99, 0), near_port).dropped());
  EXPECT_TRUE(tor.ingress(nack(near_node, 99, 0), near_port).dropped());
}

}  // namespace
}  // namespace horae::programs::themis_spray_test
