// Load balancers: what each one promises about where packets go.
#include "horae/policy/balance/load_balancer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/params/document.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy::load_balancer_test {
namespace {

/// Ports with the depths the test says.
class Ports final : public PortView {
 public:
  explicit Ports(std::vector<std::int64_t> depths = {}) : depths_(std::move(depths)) {}
  Bytes depth(unsigned choice) const override { return Bytes(depths_.at(choice)); }

 private:
  std::vector<std::int64_t> depths_;
};

Packet flow(NodeId src, NodeId dst, std::uint16_t entropy = 0xc000, std::uint32_t qp = 1) {
  Packet p;
  p.src = src;
  p.dst = dst;
  p.entropy = entropy;
  p.dest_qp = Qpn(qp);
  return p;
}

using Counts = std::vector<int>;

/// Pearson's statistic against equal shares.
double chi_square(const Counts& counts) {
  double total = 0;
  for (const int c : counts) total += c;
  const double expected = total / static_cast<double>(counts.size());
  double sum = 0;
  for (const int c : counts) sum += (c - expected) * (c - expected) / expected;
  return sum;
}
// Quantiles of the chi-square distribution at p = 0.001, by degrees of freedom.
constexpr double limit_1 = 10.83;
constexpr double limit_2 = 13.82;
constexpr double limit_6 = 22.46;
constexpr double limit_7 = 24.32;
constexpr double limit_15 = 37.70;

std::unique_ptr<LoadBalancer> make(std::string_view name, std::uint64_t seed = 1,
                                   std::string_view path = "tor0.balance") {
  return make_load_balancer(name, seed, path);
}

// Every policy.

TEST(LoadBalancers, StayWithinTheChoicesWhateverTheirNumber) {
  const Ports ports(std::vector<std::int64_t>(64, 0));
  for (const auto& entry : load_balancers()) {
    const auto lb = entry.make(1, "x", {});
    for (int i = 0; i < 5000; ++i) {
      // The number of choices changes from packet to packet, as with groups of different sizes.
      const unsigned choices = 2 + static_cast<unsigned>(i * 7 % 63);
      const auto n = static_cast<std::uint32_t>(i);
      ASSERT_LT(lb->choose(flow(n, n % 5), choices, ports), choices) << entry.name;
    }
  }
}

TEST(LoadBalancers, NamesAreFoundAndDifferent) {
  std::set<std::string_view> names;
  for (const auto& entry : load_balancers()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_FALSE(entry.doc.empty());
    EXPECT_NE(make(entry.name), nullptr);
  }
}

TEST(LoadBalancers, ThoseThatCompareQueuesNeedTheirDepths) {
  const std::set<std::string_view> compare = {"adaptive", "drill", "po2"};
  for (const auto& entry : load_balancers()) {
    EXPECT_EQ(make(entry.name)->needs().queue_depth, compare.count(entry.name) != 0) << entry.name;
  }
}

TEST(LoadBalancers, UnknownNameSaysTheNearest) {
  try {
    make("sprai");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "unknown load balancer 'sprai', did you mean 'spray'?");
  }
}

// ECMP.

TEST(Ecmp, OneFlowOnePath) {
  const auto lb = make("ecmp");
  for (NodeId src = 0; src < 200; ++src) {
    Packet p = flow(src, 7);
    const unsigned path = lb->choose(p, 8, Ports());
    for (std::uint32_t i = 0; i < 20; ++i) {
      // Nothing but the flow counts.
      p.psn = Psn(i);
      p.id = i;
      p.payload = static_cast<std::uint16_t>(100 * i);
      p.opcode = i % 2 ? Opcode::write_first : Opcode::write_last;
      p.ingress_port = static_cast<std::uint16_t>(i);
      p.retransmission = i % 3 == 0;
      p.ecn = i % 5 == 0 ? Ecn::ce : Ecn::ect0;
      ASSERT_EQ(lb->choose(p, 8, Ports()), path);
    }
  }
}

TEST(Ecmp, SpreadsFlowsEvenlyWhateverTellsThemApart) {
  // 10^4 flows that differ in one or two fields, with strides that a careless hash would fold.
  const std::vector<std::pair<const char*, Packet (*)(std::uint32_t, std::uint32_t)>> families = {
      {"sources", [](auto a, auto b) { return flow(100 * a + b, 7); }},
      {"pairs", [](auto a, auto b) { return flow(a, 1000 + b); }},
      {"ports", [](auto a, auto b) { return flow(1, 2, static_cast<std::uint16_t>(100 * a + b)); }},
      {"queue pairs", [](auto a, auto b) { return flow(1, 2, 0xc000, 100 * a + b); }},
      {"sources and ports",
       [](auto a, auto b) { return flow(a, 7, static_cast<std::uint16_t>(b)); }},
      {"destinations and queue pairs", [](auto a, auto b) { return flow(1, a, 0xc000, b); }},
      {"sources by 256 and ports",
       [](auto a, auto b) { return flow(256 * a, 7, static_cast<std::uint16_t>(b)); }},
      {"destinations by 256 and queue pairs",
       [](auto a, auto b) { return flow(1, 256 * a, 0xc000, b); }},
      {"ports by 256 and queue pairs",
       [](auto a, auto b) { return flow(1, 2, static_cast<std::uint16_t>(256 * a), b << 16); }},
  };
  for (const auto& [name, make_flow] : families) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      const auto lb = make("ecmp", seed);
      for (const auto& [choices, limit] :
           {std::pair{2u, limit_1}, {3u, limit_2}, {7u, limit_6}, {8u, limit_7}, {16u, limit_15}}) {
        Counts counts(choices);
        for (std::uint32_t a = 0; a < 100; ++a) {
          for (std::uint32_t b = 0; b < 100; ++b) {
            ++counts[lb->choose(make_flow(a, b), choices, Ports())];
          }
        }
        EXPECT_LT(chi_square(counts), limit) << name << ", " << choices << " paths, seed " << seed;
      }
    }
  }
}

TEST(Ecmp, DevicesChooseIndependently) {
  const auto tor = make("ecmp", 1, "tor0.balance");
  const auto spine = make("ecmp", 1, "spine0.balance");
  Counts joint(16);
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    const Packet p = flow(i % 100, 200 + i / 100);
    ++joint[tor->choose(p, 4, Ports()) * 4 + spine->choose(p, 4, Ports())];
  }
  EXPECT_LT(chi_square(joint), limit_15);
}

TEST(Ecmp, EveryFieldOfTheFlowCounts) {
  const std::uint32_t base = flow_hash(flow(1, 2, 3, 4), 5);
  EXPECT_NE(flow_hash(flow(9, 2, 3, 4), 5), base);
  EXPECT_NE(flow_hash(flow(1, 9, 3, 4), 5), base);
  EXPECT_NE(flow_hash(flow(1, 2, 9, 4), 5), base);
  EXPECT_NE(flow_hash(flow(1, 2, 3, 9), 5), base);
  EXPECT_NE(flow_hash(flow(1, 2, 3, 4), 9), base);
}

// Spraying.

TEST(Spray, IsUniformAndIgnoresTheFlow) {
  const auto lb = make("spray");
  for (const auto& [choices, limit] : {std::pair{2u, limit_1}, {7u, limit_6}, {16u, limit_15}}) {
    Counts counts(choices);
    for (int i = 0; i < 100'000; ++i) ++counts[lb->choose(flow(1, 2), choices, Ports())];
    EXPECT_LT(chi_square(counts), limit) << choices;
  }
}

TEST(Spray, SuccessivePacketsAreIndependent) {
  const auto lb = make("spray");
  Counts pairs(16);
  unsigned previous = 0;
  for (int i = 0; i < 100'000; ++i) {
    const unsigned choice = lb->choose(flow(1, 2), 4, Ports());
    ++pairs[previous * 4 + choice];
    previous = choice;
  }
  EXPECT_LT(chi_square(pairs), limit_15);
}

TEST(Spray, SeedAndPathNameTheStream) {
  const auto draw = [](std::uint64_t seed, std::string_view path) {
    const auto lb = make("spray", seed, path);
    std::vector<unsigned> out;
    for (int i = 0; i < 64; ++i) out.push_back(lb->choose(flow(1, 2), 8, Ports()));
    return out;
  };
  EXPECT_EQ(draw(1, "tor0"), draw(1, "tor0"));
  EXPECT_NE(draw(1, "tor0"), draw(1, "tor1"));
  EXPECT_NE(draw(1, "tor0"), draw(2, "tor0"));
}

// Round robin.

TEST(RoundRobin, IsExactlyEvenForEachDestination) {
  const auto lb = make("round_robin");
  RandomStream random(1, "destinations");
  std::map<NodeId, Counts> counts;
  std::map<NodeId, int> packets;
  for (int i = 0; i < 20'000; ++i) {
    const NodeId dst = random.below(10);
    auto& c = counts.try_emplace(dst, 5).first->second;
    ++c[lb->choose(flow(random.below(100), dst), 5, Ports())];
    ++packets[dst];
    // Even at every moment, not only in the end.
    const auto [low, high] = std::minmax_element(c.begin(), c.end());
    ASSERT_LE(*high - *low, packets[dst] % 5 == 0 ? 0 : 1);
  }
}

TEST(RoundRobin, TakesThePortsInTurn) {
  const auto lb = make("round_robin");
  std::vector<unsigned> turns;
  for (int i = 0; i < 7; ++i) turns.push_back(lb->choose(flow(1, 2), 3, Ports()));
  EXPECT_EQ(turns, (std::vector<unsigned>{0, 1, 2, 0, 1, 2, 0}));
}

// One turn for all destinations: any row of four takes four ports, in orders that differ; small
// packets are not in it.
TEST(RoundRobin, SharesOneTurnIfAsked) {
  const auto document = Document::parse("[s]\nturn = \"switch\"\n", "p.toml");
  const auto parameters = parameters_of(load_balancers()).read(document.root().child("s"));
  const auto lb = make_load_balancer("round_robin", 1, "x", parameters);
  std::set<std::vector<unsigned>> orders;
  for (int round = 0; round < 200; ++round) {
    std::vector<unsigned> order;
    for (NodeId dst = 0; dst < 4; ++dst) {
      Packet data = flow(1, dst), ack = flow(2, dst);
      data.frame = 4130;
      ack.frame = 64;
      order.push_back(lb->choose(data, 4, Ports()));
      EXPECT_EQ(lb->choose(ack, 4, Ports()), lb->choose(ack, 4, Ports()));
    }
    EXPECT_EQ(std::set<unsigned>(order.begin(), order.end()).size(), 4u);
    orders.insert(order);
  }
  EXPECT_EQ(orders.size(), 24u);
}

// Adaptive.

TEST(Adaptive, TakesTheLeastDepth) {
  const auto lb = make("adaptive");
  RandomStream random(1, "depths");
  for (int i = 0; i < 5000; ++i) {
    std::vector<std::int64_t> depths(2 + random.below(15));
    for (auto& d : depths) d = random.below(i % 2 ? 4 : 100'000);
    const unsigned choice =
        lb->choose(flow(1, 2), static_cast<unsigned>(depths.size()), Ports(depths));
    ASSERT_EQ(depths.at(choice), *std::min_element(depths.begin(), depths.end()));
  }
}

TEST(Adaptive, LooksAtTheCandidatesOnly) {
  const auto lb = make("adaptive");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(lb->choose(flow(1, 2), 2, Ports({5, 3, 0, 0})), 1u);
}

TEST(Adaptive, BreaksTiesUniformly) {
  const auto lb = make("adaptive");
  // Empty ports, equally full ones, and ties beside one another, where "the first from a random
  // start" would favour the one that follows the full ports.
  for (const std::vector<std::int64_t>& depths :
       std::vector<std::vector<std::int64_t>>{{0, 0, 0, 0, 0, 0, 0, 0},
                                              {9, 9, 9, 9, 9, 9, 9, 9},
                                              {0, 0, 8, 8, 8, 8, 8, 8},
                                              {7, 7, 7, 3, 3, 7, 7, 7},
                                              {0, 5, 5, 5, 5, 5, 0, 5}}) {
    Counts counts(8);
    for (int i = 0; i < 20'000; ++i) ++counts[lb->choose(flow(1, 2), 8, Ports(depths))];
    std::erase(counts, 0);
    EXPECT_EQ(
        static_cast<long>(counts.size()),
        std::count(depths.begin(), depths.end(), *std::min_element(depths.begin(), depths.end())));
    EXPECT_LT(chi_square(counts), counts.size() == 2 ? limit_1 : limit_7)
        << testing::PrintToString(depths);
  }
}

TEST(Adaptive, TiesDifferBetweenDevices) {
  const auto draw = [](std::string_view path) {
    const auto lb = make("adaptive", 1, path);
    std::vector<unsigned> out;
    for (int i = 0; i < 64; ++i) {
      out.push_back(lb->choose(flow(1, 2), 8, Ports(std::vector<std::int64_t>(8, 0))));
    }
    return out;
  };
  EXPECT_EQ(draw("tor0"), draw("tor0"));
  EXPECT_NE(draw("tor0"), draw("tor1"));
}

// The power of two choices.

// Among n ports with different depths, the one with r ports below it is taken if it is drawn with
// one of the n-1-r above it: 2 (n-1-r) of n (n-1) pairs. The deepest is never taken.
TEST(Po2, TakesEachPortAsOftenAsItWinsItsPairs) {
  const auto lb = make("po2");
  const std::vector<std::int64_t> depths = {40, 0, 70, 10, 60, 20, 50, 30};
  constexpr int packets = 56'000;
  Counts counts(8);
  for (int i = 0; i < packets; ++i) ++counts[lb->choose(flow(1, 2), 8, Ports(depths))];
  double sum = 0;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const double expected = packets * 2.0 * static_cast<double>(7 - depths[i] / 10) / 56;
    if (expected == 0) {
      EXPECT_EQ(counts[i], 0);
    } else {
      sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
  }
  EXPECT_LT(sum, limit_6);  // seven ports that can be taken
}

TEST(Po2, OfTwoPortsItTakesTheShorterQueue) {
  const auto lb = make("po2");
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(lb->choose(flow(1, 2), 2, Ports({5, 3})), 1u);
    ASSERT_EQ(lb->choose(flow(1, 2), 2, Ports({3, 5})), 0u);
  }
}

TEST(Po2, TiesAndSuccessivePacketsAreRandom) {
  const auto lb = make("po2");
  Counts pairs(16);
  unsigned previous = 0;
  for (int i = 0; i < 50'000; ++i) {
    const unsigned choice = lb->choose(flow(1, 2), 4, Ports({9, 9, 9, 9}));
    ++pairs[previous * 4 + choice];
    previous = choice;
  }
  EXPECT_LT(chi_square(pairs), limit_15);
}

// DRILL.

// The least of two draws of n and of what was the least before: the shortest queue is found with
// probability 2/n a packet and never left, so after t packets it is missed in (1 - 2/n)^t of cases.
TEST(Drill, FindsTheShortestQueueAndStays) {
  constexpr unsigned n = 8;
  constexpr int cases = 4000, most = 6;
  const Ports ports({40, 1, 70, 10, 60, 20, 50, 30});
  const auto lb = make("drill");
  Counts missed(most + 1);
  for (NodeId dst = 0; dst < cases; ++dst) {
    bool found = false;
    for (int t = 1; t <= most; ++t) {
      const bool least = lb->choose(flow(1, dst), n, ports) == 1;
      EXPECT_TRUE(least || !found);
      found = found || least;
      missed[static_cast<std::size_t>(t)] += found ? 0 : 1;
    }
  }
  double share = 1;
  for (int t = 1; t <= most; ++t) {
    share *= 1 - 2.0 / n;
    const double deviation = std::sqrt(cases * share * (1 - share));
    EXPECT_NEAR(missed[static_cast<std::size_t>(t)], cases * share, 4 * deviation) << t;
  }
}

TEST(Drill, WhatItRemembersWinsTies) {
  const auto lb = make("drill");
  const Ports equal(std::vector<std::int64_t>(8, 7));
  Counts first(8);
  for (NodeId dst = 0; dst < 4000; ++dst) {
    const unsigned choice = lb->choose(flow(1, dst), 8, equal);
    ++first[choice];
    for (int i = 0; i < 5; ++i) ASSERT_EQ(lb->choose(flow(9, dst), 8, equal), choice);
  }
  EXPECT_LT(chi_square(first), limit_7);  // without a memory the draw decides
}

TEST(Drill, RemembersPerDestinationAndForgetsPortsThatAreGone) {
  const auto lb = make("drill");
  std::vector<std::int64_t> depths(8, 100);
  depths[7] = 0;
  while (lb->choose(flow(1, 5), 8, Ports(depths)) != 7) {
  }
  // Towards another destination the shortest queue is found anew, in a quarter of the cases.
  int found = 0;
  for (NodeId dst = 100; dst < 500; ++dst) {
    found += lb->choose(flow(1, dst), 8, Ports(depths)) == 7 ? 1 : 0;
  }
  EXPECT_NEAR(found, 100, 40);
  // Seven candidates left, or four: the eighth is not asked about, and Ports would refuse it.
  ASSERT_LT(lb->choose(flow(1, 5), 7, Ports({1, 2, 3, 4, 5, 6, 7})), 7u);
  while (lb->choose(flow(1, 5), 8, Ports(depths)) != 7) {
  }
  for (int i = 0; i < 100; ++i) {
    ASSERT_LT(lb->choose(flow(1, 5), 4, Ports({1, 2, 3, 4})), 4u);
  }
}

// A tie is given up only for less: the memory holds on to a port while others are as full.
TEST(Drill, LeavesAPortForAShorterQueueOnly) {
  const auto lb = make("drill");
  RandomStream random(1, "drill.depths");
  std::vector<std::int64_t> depths(8, 0);
  unsigned before = lb->choose(flow(1, 2), 8, Ports(depths));
  for (int i = 0; i < 20'000; ++i) {
    depths[random.below(8)] = random.below(5);
    const unsigned now = lb->choose(flow(1, 2), 8, Ports(depths));
    if (now != before) {
      ASSERT_LT(depths[now], depths[before]);
    }
    before = now;
  }
}

TEST(Drill, SeedAndPathNameTheStream) {
  for (const char* name : {"drill", "po2"}) {
    const auto draw = [&](std::uint64_t seed, std::string_view path) {
      const auto lb = make(name, seed, path);
      std::vector<unsigned> out;
      for (NodeId i = 0; i < 64; ++i) {
        out.push_back(lb->choose(flow(1, i), 8, Ports(std::vector<std::int64_t>(8, 0))));
      }
      return out;
    };
    EXPECT_EQ(draw(1, "tor0"), draw(1, "tor0"));
    EXPECT_NE(draw(1, "tor0"), draw(1, "tor1"));
    EXPECT_NE(draw(1, "tor0"), draw(2, "tor0"));
  }
}

TEST(Adaptive, TiesGoToTheLowestPortIfAsked) {
  const auto document = Document::parse("[s]\ntie = \"lowest\"\n", "p.toml");
  const auto parameters = parameters_of(load_balancers()).read(document.root().child("s"));
  const auto lowest = make_load_balancer("adaptive", 1, "x", parameters);
  const auto random = make("adaptive");
  const Ports level({5, 3, 9, 3, 3});
  Counts counts(5);
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(lowest->choose(flow(0, 1), 5, level), 1u);
    ++counts[random->choose(flow(0, 1), 5, level)];
  }
  EXPECT_EQ(lowest->choose(flow(0, 1), 3, Ports({5, 5, 4})), 2u);
  EXPECT_EQ(counts[0] + counts[2], 0);
  for (const unsigned i : {1u, 3u, 4u}) EXPECT_GT(counts[i], 60);
}

// Depths of one step tie; a depth that is on a step has reached it.
TEST(Adaptive, ComparesStepsIfAsked) {
  const auto document =
      Document::parse("[s]\ntie = \"lowest\"\nsteps = [\"10 B\", \"20 B\"]\n", "p");
  const auto parameters = parameters_of(load_balancers()).read(document.root().child("s"));
  const auto lb = make_load_balancer("adaptive", 1, "x", parameters);
  Packet data = flow(0, 1);
  data.frame = 4130;
  EXPECT_EQ(lb->choose(data, 3, Ports({9, 0, 5})), 0u);
  EXPECT_EQ(lb->choose(data, 3, Ports({10, 9, 5})), 1u);
  EXPECT_EQ(lb->choose(data, 3, Ports({99, 20, 19})), 2u);
  EXPECT_EQ(lb->choose(data, 3, Ports({99, 20, 21})), 0u);
  std::set<unsigned> of_acks;
  for (NodeId dst = 1; dst < 30; ++dst) {
    Packet ack = flow(0, dst);
    ack.frame = 64;
    of_acks.insert(lb->choose(ack, 3, Ports({10, 0, 10})));
  }
  EXPECT_EQ(of_acks.size(), 3u);
}

TEST(Pinning, PinnedFlowsKeepTheirPortAndDisturbNoOthers) {
  const auto plain = make("spray");
  const auto mixed = pinning(make("spray"), 1, "tor0.pinned");
  Packet pinned = flow(3, 4);
  pinned.pinned = true;
  const unsigned port = mixed->choose(pinned, 8, Ports());
  std::set<unsigned> others;
  for (std::uint16_t i = 0; i < 200; ++i) {
    EXPECT_EQ(mixed->choose(pinned, 8, Ports()), port);
    EXPECT_EQ(mixed->choose(flow(3, 4), 8, Ports()), plain->choose(flow(3, 4), 8, Ports()));
    Packet other = flow(3, 5, static_cast<std::uint16_t>(0xc000 + i));
    other.pinned = true;
    others.insert(mixed->choose(other, 8, Ports()));
  }
  EXPECT_EQ(others.size(), 8u);
}

// Answers are left to the hash, and stay in order; data is balanced as without.
TEST(Pinning, ResponsesKeepTheirPort) {
  const auto plain = make("spray");
  const auto mixed = pinning(make("spray"), 1, "tor0.responses", Pinned::responses);
  Packet ack = flow(3, 4), cnp = ack;
  ack.opcode = Opcode::acknowledge;
  cnp.opcode = Opcode::cnp;
  const unsigned port = mixed->choose(ack, 8, Ports());
  std::set<unsigned> of_data;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(mixed->choose(ack, 8, Ports()), port);
    EXPECT_EQ(mixed->choose(cnp, 8, Ports()), port);
    const unsigned of = mixed->choose(flow(3, 4), 8, Ports());
    EXPECT_EQ(of, plain->choose(flow(3, 4), 8, Ports()));
    of_data.insert(of);
  }
  EXPECT_EQ(of_data.size(), 8u);
}

}  // namespace
}  // namespace horae::policy::load_balancer_test
