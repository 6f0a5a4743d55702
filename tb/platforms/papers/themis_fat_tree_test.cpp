// Themis over three tiers, as platforms/themis_fat_tree.toml has it, on a fat-tree of k = 4: load,
// NACKs, losses; and what is refused because the PathMap would not be right.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "program.hpp"

namespace horae::test::themis_fat_tree_test {
namespace {

std::string shipped() {
  std::ifstream file(HORAE_PLATFORM_DIR "/themis_fat_tree.toml");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The shipped platform on 16 NICs with 2 or 4 paths between racks; `count` messages of a packet.
Words small(int count) {
  return {"fat_tree.k=4",        "edge.program.paths=4",
          "sim.stop=finished",   "sim.duration=20 ms",
          "sim.warmup=0 us",     "traffic[0].message=1KiB",
          "edge.program.nics=2", "edge.program.qps_per_nic=128",
          "traffic[0].qps=3",    fmt::format("traffic[0].count={}", count)};
}

/// Data packets that a port sent: all are one message long, and nothing else is but responses.
std::int64_t data_sent(const ordered_json& summary, const std::string& device, unsigned port) {
  constexpr double data_bytes = 1102 + 20, response_bytes = 66 + 20;  // with preamble and gap
  const auto& p = summary.at("statistics").at(device).at(fmt::format("port{}", port));
  const auto& rate = p.at("tx_rate");
  EXPECT_EQ(rate.at("unit").get<std::string>(), "bit/s");
  const double bytes =
      rate.at("value").get<double>() * summary.at("sim_time_ps").get<double>() * 1e-12 / 8;
  const double data = (bytes - response_bytes * p.at("tx_packets").at("value").get<double>()) /
                      (data_bytes - response_bytes);
  EXPECT_NEAR(data, std::round(data), 1e-3) << device << " port " << port;
  return std::llround(data);
}

double sum_of(const ordered_json& summary, const std::string& key) {
  double sum = 0;
  for (const auto& [name, result] : summary.at("results").items()) {
    if (name.starts_with("edge") && name.ends_with(key)) sum += result.at("value").get<double>();
  }
  return sum;
}

// To the packet, at every tier, up and down: each PSN of a round takes another path.
TEST(ThemisFatTree, EveryPathCarriesTheSameLoad) {
  const Workplace place;
  place.write("p.toml", shipped());
  constexpr int rounds = 25, flows = 16 * 3;
  const auto summary = summary_of(place, "p.toml", small(4 * rounds));
  EXPECT_EQ(summary.at("verdict").get<std::string>(), "complete");
  EXPECT_EQ(result(summary, "senders.timeouts"), 0);
  EXPECT_EQ(result(summary, "senders.data_packets"), flows * 4 * rounds);
  std::int64_t above_edges = 0, above_pods = 0;
  std::set<std::int64_t> loads;
  for (unsigned pod = 0; pod < 4; ++pod) {
    std::int64_t up = 0, down = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const auto edge = fmt::format("edge{}_{}", pod, i), agg = fmt::format("agg{}_{}", pod, i);
      EXPECT_EQ(data_sent(summary, edge, 2), data_sent(summary, edge, 3)) << edge;
      above_edges += 2 * data_sent(summary, edge, 2);
      loads.insert(data_sent(summary, edge, 2));
      if (i == 0) up = data_sent(summary, agg, 2);
      EXPECT_EQ(data_sent(summary, agg, 2), up) << agg;  // to its two cores, and from both switches
      EXPECT_EQ(data_sent(summary, agg, 3), up) << agg;
      for (unsigned e = 0; e < 2; ++e) {
        const auto first = data_sent(summary, fmt::format("agg{}_0", pod), e);
        EXPECT_EQ(data_sent(summary, agg, e), first) << agg;
      }
    }
    for (unsigned core = 0; core < 4; ++core) {
      const auto load = data_sent(summary, fmt::format("core{}", core), pod);
      if (core == 0) down = load;
      EXPECT_EQ(load, down) << core;
    }
    above_pods += 4 * up;
  }
  // Nothing of this is about idle ports, and pods and racks do differ.
  EXPECT_GT(above_pods, flows * 4 * rounds / 2);
  EXPECT_GT(above_edges, above_pods);
  EXPECT_GT(loads.size(), 1u);
}

// Paths of different speeds: packets overtake each other, NICs ask for what is not lost,
// and no such NACK comes to a sender.
TEST(ThemisFatTree, NoNackPassesWhereNothingIsLost) {
  const Workplace place;
  place.write("p.toml", shipped() + R"(
[[impairment]]
between = ["core0", "agg1_0"]
rate = "20 Gbps"
[[impairment]]
between = ["core2", "agg0_1"]
rate = "15 Gbps"
[[impairment]]
between = ["edge2_0", "agg2_1"]
rate = "40 Gbps"
)");
  const auto summary = summary_of(place, "p.toml", small(400));
  EXPECT_EQ(summary.at("verdict").get<std::string>(), "complete");
  EXPECT_GT(result(summary, "receivers.out_of_order"), 0.05);
  EXPECT_GT(result(summary, "receivers.nacks_sent"), 100);
  EXPECT_EQ(result(summary, "senders.nacks_received"), 0);
  EXPECT_EQ(sum_of(summary, ".program.nacks_valid"), 0);
  EXPECT_EQ(sum_of(summary, ".program.nacks_validated_later"), 0);
  EXPECT_EQ(result(summary, "senders.data_packets"), 48 * 400);  // none sent twice
}

// From pod 0 to pod 3 by a link that loses some, on the way there only.
TEST(ThemisFatTree, ALossIsRecoveredWithoutATimeout) {
  const Workplace place;
  std::string text = shipped();
  const std::string permutation = "pattern = \"permutation\"";
  text.replace(text.find(permutation), permutation.size(),
               "from = [\"h0\", \"h1\", \"h2\"]\nto = [\"h13\", \"h14\", \"h15\"]");
  place.write("p.toml", text + R"(
[[impairment]]
between = ["agg0_0", "core1"]
direction = "forward"
loss = 0.02
)");
  Words settings = small(4000);
  settings.push_back("traffic[0].qps=1");
  // All ports on one pipeline: each NACK passes the state that sends the retransmission elsewhere.
  settings.push_back("edge.pipeline_of_port=[0, 0, 0, 0]");
  const auto summary = summary_of(place, "p.toml", settings);
  EXPECT_EQ(summary.at("verdict").get<std::string>(), "complete");
  const auto& port = summary.at("statistics").at("agg0_0").at("port3");
  ASSERT_TRUE(port.contains("lost"));
  const auto lost = port.at("lost").at("value").get<int>();
  EXPECT_GT(lost, 30);
  // Each valid NACK brings the packet asked for, by another uplink, and a copy of the last one
  // sent, which is not needed: of the lost packets, few are such copies.
  const double nacks = result(summary, "senders.nacks_received");
  EXPECT_LE(nacks, lost);
  EXPECT_GE(nacks, lost - 3);
  EXPECT_EQ(sum_of(summary, ".program.rerouted"), nacks);
  EXPECT_EQ(result(summary, "senders.data_packets"), 3 * 4000 + 2 * nacks);
  EXPECT_EQ(result(summary, "receivers.duplicates"), nacks - (lost - nacks));
  EXPECT_EQ(result(summary, "senders.timeouts"), 0);
  EXPECT_EQ(result(summary, "senders.messages_completed"), 3 * 4000);
}

struct Refused {
  std::string name;
  Words settings;
  std::string message;
};

class ThemisFatTreeRefuses : public ::testing::TestWithParam<Refused> {};

TEST_P(ThemisFatTreeRefuses, WhatThePathMapCannotServe) {
  const Workplace place;
  place.write("p.toml", shipped());
  expect_refused(place, with_settings({"run", "p.toml"}, GetParam().settings), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Broken, ThemisFatTreeRefuses,
    ::testing::Values(
        Refused{"TiersThatPolarise",
                {"aggregation.hash.offset=0"},
                "p.toml:54:8: path_control = \"source_port\": from 'edge0_0', no change of the UDP "
                "source port leads to path 4 of 16, which differs from the first only in bit 0 of "
                "the choice of 'agg0_0': the hashes decide it together with bits before it (see "
                "hash.offset)"},
        Refused{"TiersThatShareABit",
                {"aggregation.hash.offset=15"},
                "p.toml:54:8: path_control = \"source_port\": from 'edge0_0', no change of the UDP "
                "source port leads to path 8 of 16, which differs from the first only in bit 1 of "
                "the choice of 'agg0_0': the hashes decide it together with bits before it (see "
                "hash.offset)"},
        Refused{"TooFewIndexes",
                {"edge.program.paths=8"},
                "p.toml:54:8: path_control = \"source_port\": from 'edge0_0', paths = 8 is too "
                "small for the 16 paths of the network, which all are to be used"},
        Refused{"AHashOfAnotherBalance",
                {"aggregation.balance=ecmp"},
                "p.toml:42:8: hash is of balance = \"ecmp_linear\"; here it is \"ecmp\""},
        Refused{"NoPowerOfTwo",
                {"fat_tree.k=6", "edge.program.nics=16"},
                "p.toml:54:8: path_control = \"source_port\": 'edge0_0' chooses among 3 ports; "
                "expected a power of two"}),
    [](const auto& refused) { return refused.param.name; });

TEST(ThemisFatTree, AHashThatIsNotLinearIsRefused) {
  const Workplace place;
  std::string text = shipped();
  const std::string linear = "balance = \"ecmp_linear\"\nhash = { offset = 4 }";
  text.replace(text.find(linear), linear.size(), "balance = \"ecmp\"\n");
  place.write("p.toml", text);
  const Ended ended = run(place, {"run", "p.toml"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err,
            "horae: p.toml:55:15: path_control = \"source_port\": 'agg0_0', on the way from "
            "'edge0_0', chooses among 4 ports, and not by a linear hash; expected a switch with "
            "balance = \"ecmp_linear\"\n");
}

}  // namespace
}  // namespace horae::test::themis_fat_tree_test
