// ConWeave on Tofino2 ToRs around plain spines, from outside: flows leave what is congested, and
// their packets reach the NICs in order.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test {
namespace {

// Two racks of three NICs, three spines; the way down from spine 0 has a quarter of the rate.
const std::string slow_spine = R"([platform]
name = "slow_spine"
[sim]
duration = "2 ms"
[nic]
kind = "rnic"
transport = "rnic_sr"
mtu = "1 KiB"
reliability = { window = 256, rto = "1 ms" }
congestion = { algorithm = "dcqcn", parameters = "hpcc" }
[tor]
kind = "tofino"
pipeline_of_port = [0, 0, 0, 0, 0, 0]
queues_per_port = 32
ecn_kmin = "100 KB"
ecn_kmax = "400 KB"
ecn_pmax = 0.2
[tor.program]
name = "conweave"
flow_entries = 1024
nodes_per_rack = 3
[spine]
kind = "switch"
ecn = { kmin = "100 KB", kmax = "400 KB", pmax = 0.2 }
[[device]]
names = ["a0", "a1", "a2", "b0", "b1", "b2"]
profile = "nic"
[[device]]
names = ["ta", "tb"]
profile = "tor"
[[device]]
names = ["s0", "s1", "s2"]
profile = "spine"
[link_default]
rate = "100 Gbps"
delay = "500 ns"
)";

std::string links(double loss = 0) {
  std::string text;
  const auto link = [&](const std::string& a, const std::string& b, const std::string& more) {
    text += fmt::format("[[link]]\nbetween = [\"{}\", \"{}\"]\n{}", a, b, more);
  };
  for (const char* rack : {"a", "b"}) {
    for (int i = 0; i < 3; ++i) link(fmt::format("{}{}", rack, i), fmt::format("t{}", rack), "");
    for (int i = 0; i < 3; ++i) {
      const bool slow = i == 0 && rack == std::string("b");
      link(fmt::format("t{}", rack), fmt::format("s{}", i),
           (slow ? "rate = \"25 Gbps\"\n" : "") +
               (loss > 0 ? fmt::format("loss = {}\n", loss) : std::string()));
    }
  }
  return text;
}

std::string traffic(int qps, const std::string& extra = "") {
  return fmt::format(R"([[traffic]]
kind = "messages"
from = ["a0", "a1"]
to = ["b0", "b1"]
message = "64 KiB"
depth = 8
qps = {}
{})",
                     qps, extra);
}

void expect_balance(const ordered_json& summary) {
  const auto& p = summary.at("packets");
  std::uint64_t dropped = 0;
  for (const auto& [cause, n] : p.at("dropped").items()) dropped += n.get<std::uint64_t>();
  EXPECT_EQ(p.at("created").get<std::uint64_t>(), p.at("delivered").get<std::uint64_t>() + dropped +
                                                      p.at("in_flight").get<std::uint64_t>());
}

double sum(const ordered_json& summary, const std::string& counter) {
  return result(summary, "ta.program." + counter) + result(summary, "tb.program." + counter);
}

TEST(Conweave, FlowsLeaveACongestedPathInOrder) {
  const Workplace place;
  place.write("p.toml", slow_spine + links() + traffic(4));
  const auto summary = summary_of(place, "p.toml");
  expect_balance(summary);
  EXPECT_GT(sum(summary, "reroutes"), 10);
  EXPECT_GT(sum(summary, "reorderings"), 3);
  EXPECT_GT(sum(summary, "packets_queued"), 10);
  EXPECT_EQ(sum(summary, "queues_exhausted"), 0);
  EXPECT_EQ(sum(summary, "released_by_timeout"), 0);
  // In order at the NICs, and nothing lost: what programs dropped are replies that ended.
  EXPECT_EQ(result(summary, "receivers.out_of_order"), 0);
  EXPECT_EQ(result(summary, "receivers.nacks_sent"), 0);
  EXPECT_EQ(result(summary, "senders.timeouts"), 0);
  EXPECT_EQ(summary.at("packets").at("dropped").size(), 1u);
  EXPECT_TRUE(summary.at("packets").at("dropped").contains("program"));
  // The same traffic where every flow stays on the path of its hash.
  std::string hashed = slow_spine;
  const auto at = hashed.find("name = \"conweave\"");
  hashed.replace(at, hashed.find("[spine]") - at, "name = \"forward\"\npath_choice = \"ecmp\"\n");
  place.write("q.toml", hashed + links() + traffic(4));
  const auto other = summary_of(place, "q.toml");
  EXPECT_GT(result(summary, "senders.completed_rate"),
            1.2 * result(other, "senders.completed_rate"));
}

TEST(Conweave, TheSchedulingChangesNothing) {
  const Workplace place;
  place.write("p.toml", slow_spine + links() + traffic(4));
  const Words brief = {"sim.duration=400 us"};
  const auto windows = summary_of(place, "p.toml", brief);
  const auto exact = summary_of(place, "p.toml", {brief[0], "sim.scheduling=exact_wake"});
  EXPECT_GT(sum(windows, "reorderings"), 0);
  EXPECT_EQ(windows.at("results"), exact.at("results"));
  EXPECT_EQ(windows.at("packets"), exact.at("packets"));
}

// Flows that find no queue are not reordered: NACKs come back, and all still gets through.
TEST(Conweave, WithTooFewQueuesPacketsGetOutOfOrder) {
  const Workplace place;
  place.write("p.toml", slow_spine + links() + traffic(32));
  const auto few = summary_of(place, "p.toml", {"tor.program.queues=3"});
  expect_balance(few);
  EXPECT_GT(sum(few, "queues_exhausted"), 10);
  EXPECT_GT(sum(few, "reorderings"), 10);
  EXPECT_GT(result(few, "receivers.nacks_sent"), 0);
  const auto many = summary_of(place, "p.toml");
  EXPECT_LT(sum(many, "queues_exhausted"), sum(few, "queues_exhausted") / 4);
  EXPECT_LT(result(many, "receivers.nacks_sent"), result(few, "receivers.nacks_sent"));
}

// Replies, CLEARs, TAILs and data are lost alike; queues are released and messages go on.
TEST(Conweave, LossesStopNothing) {
  const Workplace place;
  place.write("p.toml", slow_spine + links(0.002) + traffic(4, "count = 40\n"));
  const auto summary = summary_of(place, "p.toml", {"sim.duration=100 ms", "sim.stop=finished"});
  expect_balance(summary);
  EXPECT_EQ(summary.at("verdict"), "complete");
  EXPECT_GT(sum(summary, "released_by_timeout"), 0);
  EXPECT_GT(summary.at("packets").at("dropped").at("link_loss").get<double>(), 10);
  EXPECT_EQ(result(summary, "senders.messages_completed"), 2 * 4 * 40);
}

TEST(Conweave, WhatTheChipCannotDoIsRefused) {
  const Workplace place;
  place.write("p.toml", slow_spine + links() + traffic(1));
  const auto refused = [&](const std::string& setting) {
    const Ended ended = run(place, {"run", "p.toml", "--set", setting});
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    return ended.err;
  };
  EXPECT_NE(refused("tor.pipeline_of_port=[0, 0, 0, 0, 1, 0]").find("all ports on one pipeline"),
            std::string::npos);
  EXPECT_NE(refused("tor.queues_per_port=8").find("need queues_per_port = 32"), std::string::npos);
  EXPECT_NE(refused("tor.program.queues=25").find("three times a power of two"), std::string::npos);
}

}  // namespace
}  // namespace horae::test
