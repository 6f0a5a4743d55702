// The forwarding program without a chip: where packets go and which NACKs do not.
#include "horae/programs/forward/forward.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/params/schema.hpp"
#include "pass_driver.hpp"

namespace horae::programs::forward_test {
namespace {

using dataplane::Verdict;

constexpr int dropped = -1;
constexpr NodeId near_node = 1, far_node = 2;
const Routes routes{{{near_node, {7}}, {far_node, {10, 11, 12, 13}}}};

std::unique_ptr<ProgramFactory> factory(const std::string& parameters) {
  return test::read_by_name("forward", parameters);
}

// One copy of the program on one pipeline.
struct Copy : test::PassDriver {
  explicit Copy(const std::string& parameters, unsigned index = 0, const Routes& table = routes,
                std::uint64_t seed = 1)
      : PassDriver(*factory(parameters), table, index, seed) {}

  /// The egress port of a packet, or `dropped`.
  int operator()(const Packet& p) {
    const test::Outcome o = ingress(1_us, p, 0);
    EXPECT_NE(o.verdict, Verdict::undecided);
    return o.verdict == Verdict::forward ? static_cast<int>(o.port) : dropped;
  }
};

Packet data(NodeId dst, std::uint32_t psn, std::uint16_t entropy = 0xc000, NodeId src = 0) {
  Packet p;
  p.src = src;
  p.dst = dst;
  p.psn = Psn(psn);
  p.entropy = entropy;
  p.opcode = Opcode::write_middle;
  return p;
}
Packet ack(NodeId dst, std::uint32_t psn, std::uint16_t entropy = 0xc000) {
  Packet p = data(dst, psn, entropy);
  p.opcode = Opcode::acknowledge;
  p.syndrome = syndrome::ack;
  return p;
}
Packet nack(NodeId dst, std::uint32_t psn, std::uint16_t entropy = 0xc000) {
  Packet p = ack(dst, psn, entropy);
  p.syndrome = syndrome::nak_psn_sequence;
  return p;
}

std::string refusal(const std::string& parameters) {
  return test::refusal_of([&] { factory(parameters); });
}

// Within five standard deviations.
bool plausible(double successes, double trials, double p) {
  return std::abs(successes - trials * p) <= 5 * std::sqrt(trials * p * (1 - p));
}

TEST(Forward, NacksAreDroppedTheFirstKOfEveryN) {
  struct Row {
    unsigned k, n;
  };
  for (const auto& [k, n] :
       {Row{0, 1}, Row{1, 1}, Row{0, 4}, Row{1, 2}, Row{3, 4}, Row{5, 7}, Row{255, 256}}) {
    Copy copy("nack_drop = " + std::to_string(k) + "\nnack_of = " + std::to_string(n));
    std::uint64_t gone = 0;
    for (unsigned i = 0; i < 3 * n + 1; ++i) {
      // Data and ACKs in between are no NACKs: neither dropped nor counted.
      EXPECT_EQ(copy(data(near_node, i)), 7);
      EXPECT_EQ(copy(ack(near_node, i)), 7);
      const bool drops = i % n < k;
      EXPECT_EQ(copy(nack(near_node, i)), drops ? dropped : 7) << k << " of " << n << ": " << i;
      gone += drops ? 1 : 0;
    }
    EXPECT_EQ(copy.count("nacks_seen"), 3 * n + 1);
    EXPECT_EQ(copy.count("nacks_dropped"), gone);
  }
}

TEST(Forward, RandomFilteringIsBinomial) {
  struct Row {
    unsigned k, n;
  };
  for (const auto& [k, n] : {Row{1, 2}, Row{1, 100}, Row{255, 256}}) {
    Copy copy("nack_filter = \"random\"\nnack_drop = " + std::to_string(k) +
              "\nnack_of = " + std::to_string(n));
    const int trials = 40000;
    int gone = 0, pairs = 0;
    bool before = false;
    for (int i = 0; i < trials; ++i) {
      EXPECT_EQ(copy(ack(near_node, 1)), 7);
      EXPECT_EQ(copy(data(near_node, 1)), 7);
      const bool now = copy(nack(near_node, 1)) == dropped;
      gone += now ? 1 : 0;
      pairs += now && before ? 1 : 0;  // each by itself: a drop says nothing about the next
      before = now;
    }
    const double p = static_cast<double>(k) / n;
    EXPECT_TRUE(plausible(gone, trials, p)) << gone << " at " << p;
    // Overlapping pairs are not independent: their variance is at most three times as large.
    EXPECT_NEAR(pairs, trials * p * p, 5 * std::sqrt(3 * trials * p * p * (1 - p * p)));
    EXPECT_EQ(copy.count("nacks_dropped"), static_cast<std::uint64_t>(gone));
  }
  for (const auto& [k, expected] : {std::pair{0, 7}, std::pair{4, dropped}}) {
    Copy copy("nack_filter = \"random\"\nnack_of = 4\nnack_drop = " + std::to_string(k));
    for (int i = 0; i < 1000; ++i) EXPECT_EQ(copy(nack(near_node, 1)), expected);
  }
}

TEST(Forward, ARandomPathIsUniformPerPacket) {
  Copy copy("path_choice = \"random\"");
  const int trials = 40000;
  std::map<int, int> taken;
  std::map<std::pair<int, int>, int> in_sequence;
  int before = 10;
  for (int i = 0; i < trials; ++i) {
    const int port = copy(data(far_node, 5));
    ++taken[port];
    ++in_sequence[{before, port}];
    before = port;
  }
  ASSERT_EQ(taken.size(), 4u);
  ASSERT_EQ(in_sequence.size(), 16u);
  for (const auto& [port, n] : taken) {
    EXPECT_TRUE(port >= 10 && port <= 13) << port;
    EXPECT_TRUE(plausible(n, trials, 0.25)) << port << ": " << n;
  }
  for (const auto& [two, n] : in_sequence) EXPECT_TRUE(plausible(n, trials, 1.0 / 16)) << n;
}

TEST(Forward, RoundRobinTakesPathsInTurn) {
  Copy copy("path_choice = \"round_robin\"");
  for (int i = 0; i < 12; ++i) {
    // Destinations with a single path and responses take no turn.
    EXPECT_EQ(copy(data(near_node, 0)), 7);
    copy(ack(far_node, 0));
    EXPECT_EQ(copy(data(far_node, 100, 0xc000, static_cast<NodeId>(i))), 10 + i % 4);
  }
}

TEST(Forward, RoundRobinOverUnequalGroupsStaysWithinThem) {
  Copy copy("path_choice = \"round_robin\"", 0, Routes{{{1, {4, 5}}, {2, {10, 11, 12}}}});
  std::vector<int> taken;
  for (const NodeId dst : {2, 2, 2, 1, 1, 2, 1}) taken.push_back(copy(data(dst, 0)));
  // One turn for all: after 12 it is at 3, which for two paths starts again.
  EXPECT_EQ(taken, (std::vector<int>{10, 11, 12, 4, 5, 12, 4}));
}

TEST(Forward, ThePsnChoosesModuloThePaths) {
  Copy copy("path_choice = \"psn\"");
  for (const std::uint32_t psn : {0u, 1u, 2u, 3u, 4u, 1000001u, 0xffffffu}) {
    EXPECT_EQ(copy(data(far_node, psn)), 10 + static_cast<int>(psn % 4));
    EXPECT_EQ(copy(data(far_node, psn, 0xffff, 9)), 10 + static_cast<int>(psn % 4));
  }
}

TEST(Forward, EcmpIsConstantPerFlowAndSpreadsFlows) {
  Copy copy("path_choice = \"ecmp\"");
  std::map<int, int> taken;
  const int flows = 4000;
  for (int f = 0; f < flows; ++f) {
    const auto entropy = static_cast<std::uint16_t>(0xc000 + f);
    const int port = copy(data(far_node, 0, entropy));
    for (std::uint32_t psn = 1; psn < 5; ++psn) EXPECT_EQ(copy(data(far_node, psn, entropy)), port);
    EXPECT_EQ(copy(ack(far_node, 3, entropy)), port);  // the hash does not look at the opcode
    ++taken[port];
  }
  ASSERT_EQ(taken.size(), 4u);
  for (const auto& [port, n] : taken) EXPECT_TRUE(plausible(n, flows, 0.25)) << port << ": " << n;
  // So does each other field alone: neighbouring sources, neighbouring destinations.
  Routes many;
  for (NodeId node = 0; node < 1000; ++node) many.entries.push_back({node, {10, 11, 12, 13}});
  Copy wide("path_choice = \"ecmp\"", 0, many);
  std::map<int, int> of_sources, of_destinations;
  for (NodeId node = 0; node < 1000; ++node) {
    ++of_sources[wide(data(0, 0, 0xc000, node))];
    ++of_destinations[wide(data(node, 0))];
  }
  // Nor do fields cover each other up: here destination and entropy change together.
  std::map<int, int> of_both;
  for (NodeId n = 0; n < 1000; ++n) ++of_both[wide(data(n, 0, static_cast<std::uint16_t>(n)))];
  for (const auto& spread : {of_sources, of_destinations, of_both}) {
    for (int port = 10; port <= 13; ++port) {
      EXPECT_TRUE(spread.contains(port) && plausible(spread.at(port), 1000, 0.25)) << port;
    }
  }
}

TEST(Forward, ResponsesGoByFlowUnlessSprayed) {
  for (const std::string choice : {"random", "round_robin", "psn"}) {
    Copy by_flow("path_choice = \"" + choice + "\"");
    Copy ecmp("path_choice = \"ecmp\"");
    Copy sprayed("path_choice = \"" + choice + "\"\nspray_responses = true");
    std::set<int> acks, nacks;
    for (std::uint32_t i = 0; i < 200; ++i) {
      const auto entropy = static_cast<std::uint16_t>(0xc000 + i);
      EXPECT_EQ(by_flow(ack(far_node, i, entropy)), ecmp(ack(far_node, i, entropy))) << choice;
      EXPECT_EQ(by_flow(nack(far_node, i, entropy)), ecmp(nack(far_node, i, entropy))) << choice;
      acks.insert(sprayed(ack(far_node, i)));
    }
    for (std::uint32_t i = 0; i < 200; ++i) nacks.insert(sprayed(nack(far_node, i)));
    EXPECT_EQ(acks, (std::set<int>{10, 11, 12, 13})) << choice;
    EXPECT_EQ(nacks, (std::set<int>{10, 11, 12, 13})) << choice;
  }
}

TEST(Forward, AnUnknownDestinationIsDropped) {
  Copy copy("nack_drop = 1\nnack_of = 2", 0, Routes{{{1, {7}}, {3, {}}}});
  EXPECT_EQ(copy(data(99, 0)), dropped);
  EXPECT_EQ(copy(data(3, 0)), dropped);  // known, but nothing leads there
  EXPECT_EQ(copy(nack(99, 0)), dropped);
  EXPECT_EQ(copy.count("nacks_dropped"), 0u);  // not the filter's doing
  EXPECT_EQ(copy(nack(1, 0)), dropped);
  EXPECT_EQ(copy(nack(1, 0)), 7);
}

TEST(Forward, PipelinesShareNothing) {
  const std::string parameters = "path_choice = \"round_robin\"\nnack_drop = 1\nnack_of = 2";
  Copy a(parameters, 0), b(parameters, 1);
  EXPECT_EQ(a(nack(near_node, 0)), dropped);
  EXPECT_EQ(b(nack(near_node, 0)), dropped);
  EXPECT_EQ(a(nack(near_node, 0)), 7);
  EXPECT_EQ(b(nack(near_node, 0)), 7);
  EXPECT_EQ(a(data(far_node, 0)), 10);
  EXPECT_EQ(a(data(far_node, 0)), 11);
  EXPECT_EQ(b(data(far_node, 0)), 10);
  EXPECT_EQ(b.count("nacks_seen"), 2u);
  // Nor do they draw the same numbers, though one seed makes the run repeatable.
  const auto draws = [](unsigned pipeline, std::uint64_t seed) {
    Copy copy("path_choice = \"random\"", pipeline, routes, seed);
    std::vector<int> ports;
    for (int i = 0; i < 30; ++i) ports.push_back(copy(data(far_node, 0)));
    return ports;
  };
  EXPECT_EQ(draws(0, 1), draws(0, 1));
  EXPECT_NE(draws(0, 1), draws(1, 1));
  EXPECT_NE(draws(0, 1), draws(0, 2));
}

TEST(Forward, EgressLeavesThePacketAlone) {
  Copy copy("nack_drop = 1\nnack_of = 1");
  EXPECT_EQ(copy.egress(1_us, nack(near_node, 0), 7).verdict, Verdict::undecided);
}

TEST(Forward, BadParametersAreRefused) {
  EXPECT_EQ(refusal(""), "accepted");
  EXPECT_EQ(refusal("nack_drop = 256\nnack_of = 256"), "accepted");
  const auto contains = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  contains(refusal("nack_drop = 3\nnack_of = 2"), "nack_drop = 3 is above nack_of = 2");
  contains(refusal("nack_drop = 3\nnack_of = 2"), "test.toml:2");
  contains(refusal("nack_drop = 2"), "nack_drop = 2 is above nack_of = 1");
  contains(refusal("nack_of = 0"), "nack_of");
  contains(refusal("nack_drop = -1"), "nack_drop");
  contains(refusal("trim_class = 5"),
           "trim_class is of trimmed packets; expected a 'trim' beside it");
  contains(refusal("trim = \"43 B\""), "trim = 43 B is below the minimum 44 B");
  contains(refusal("trim = \"62 B\""), "trim = 62 B: mirror sessions cut at multiples of 4 B");
  contains(refusal("path_choice = \"randon\""), "'random'");
  contains(refusal("nack_filter = \"always\""), "nack_filter");
  contains(refusal("route_entries = 0"), "route_entries");
  contains(refusal("nack_dorp = 1"), "'nack_drop'");
  const std::string unknown = test::refusal_of([] { test::read_by_name("foward", ""); });
  contains(unknown, "unknown program 'foward'");
  contains(unknown, "'forward'");
}

TEST(Forward, MoreRoutesThanTheTableHoldsAreAnError) {
  EXPECT_THROW(Copy("route_entries = 1"), InputError);
  EXPECT_NO_THROW(Copy("route_entries = 2"));
}

// Ingress bridges the port; a deflected packet becomes a short copy for it, in the class of
// control, and the copy says what it is. Everything else passes.
TEST(Forward, DeflectedDataIsCutForItsPort) {
  Copy copy("trim = \"64 B\"\npath_choice = \"round_robin\"");
  Packet p = data(far_node, 5);
  p.payload = 4096;
  p.frame = 4170;
  const test::Outcome in = copy.ingress(1_us, p, 0);
  EXPECT_EQ(in.packet.metadata, in.port);
  EXPECT_TRUE(copy.egress(1_us, in.packet, in.port).passes());

  Packet refused = in.packet;
  refused.deflected = true;
  const test::Outcome out = copy.egress(1_us, refused, dataplane::loopback_port);
  EXPECT_TRUE(out.dropped());
  ASSERT_TRUE(out.copy);
  EXPECT_EQ(out.copy->egress_port, in.port);
  EXPECT_EQ(out.copy->length, 64);
  EXPECT_EQ(out.copy->traffic_class, 7);

  const Packet cut = test::mirrored(refused, *out.copy);
  const test::Outcome leaves = copy.egress(1_us, cut, in.port);
  EXPECT_TRUE(leaves.passes());
  EXPECT_TRUE(leaves.packet.trimmed);
  EXPECT_FALSE(leaves.packet.deflected);
  EXPECT_EQ(leaves.packet.payload, 0);
  EXPECT_EQ(leaves.packet.frame, 64);
  EXPECT_EQ(leaves.packet.psn, p.psn);
  EXPECT_EQ(copy.count("trimmed"), 1u);
}

TEST(Forward, TheConfigurationTellsAllParameters) {
  const auto config =
      factory(
          "nack_drop = 255\nnack_of = 256\npath_choice = \"adaptive\"\ndepth_ports = 16\n"
          "ghost_period = \"1 us\"\ntrim = \"64 B\"\ntrim_class = 6\ntelemetry = true")
          ->config();
  EXPECT_EQ(config["name"], "forward");
  EXPECT_EQ(config["nack_drop"], 255);
  EXPECT_EQ(config["nack_of"], 256);
  EXPECT_EQ(config["path_choice"], "adaptive");
  EXPECT_EQ(config["depth_ports"], 16);
  EXPECT_EQ(config["ghost_period"], "1 us");
  EXPECT_EQ(config["trim"], "64 B");
  EXPECT_EQ(config["trim_class"], 6);
  EXPECT_EQ(config["nack_filter"], "deterministic");
  EXPECT_EQ(config["telemetry"], true);  // left out where it is not set
  EXPECT_EQ(config.size(), 1 + ForwardConfig::schema().field_names().size());
}

}  // namespace
}  // namespace horae::programs::forward_test
