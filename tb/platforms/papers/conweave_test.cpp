// ConWeave on Tofino2 ToRs around plain spines, from outside: flows leave what is congested, and
// their packets reach the NICs in order.
#include <gtest/gtest.h>

#include <string>

#include "program.hpp"

namespace horae::test::conweave_test {
namespace {

// Two racks of two NICs and three spines. A host at spine 0 sends at 90 % of the rate to one in
// rack b, so that little of that path is left.
const std::string two_racks = R"([platform]
name = "two_racks"
[sim]
duration = "2 ms"
[nic]
kind = "rnic"
transport = "rnic_sr"
mtu = "1 KiB"
reliability = { window = 256, rto = "1 ms" }
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
nodes_per_rack = 2
[spine]
kind = "switch"
ecn = { kmin = "100 KB", kmax = "400 KB", pmax = 0.2 }
[host]
kind = "host"
[[device]]
names = ["a0", "a1", "b0", "b1"]
profile = "nic"
[[device]]
names = ["c", "d"]
profile = "host"
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

// `loss`: of the links between ToRs and spines.
std::string links(double loss = 0) {
  std::string text;
  const auto link = [&](const std::string& a, const std::string& b, const std::string& more = {}) {
    text += fmt::format("[[link]]\nbetween = [\"{}\", \"{}\"]\n{}", a, b, more);
  };
  for (const char* rack : {"a", "b"}) {
    for (int i = 0; i < 2; ++i) link(fmt::format("{}{}", rack, i), fmt::format("t{}", rack));
  }
  link("d", "tb");
  link("c", "s0");
  for (const char* tor : {"ta", "tb"}) {
    for (int i = 0; i < 3; ++i) {
      link(tor, fmt::format("s{}", i), loss > 0 ? fmt::format("loss = {}\n", loss) : "");
    }
  }
  return text;
}

std::string messages(int qps, const std::string& more = "") {
  return fmt::format(R"([[traffic]]
kind = "messages"
from = ["a0", "a1"]
to = ["b0", "b1"]
message = "64 KiB"
depth = 8
qps = {}
{})",
                     qps, more);
}
const std::string background = R"([[traffic]]
kind = "packets"
pattern = "pairs"
from = ["c"]
to = ["d"]
load = 0.9
payload = "1 KiB"
)";

std::uint64_t dropped(const ordered_json& summary) {
  std::uint64_t n = 0;
  for (const auto& [cause, packets] : summary.at("packets").at("dropped").items())
    n += packets.get<std::uint64_t>();
  return n;
}

void expect_balance(const ordered_json& summary) {
  const auto& p = summary.at("packets");
  EXPECT_EQ(p.at("created").get<std::uint64_t>(), p.at("delivered").get<std::uint64_t>() +
                                                      dropped(summary) +
                                                      p.at("in_flight").get<std::uint64_t>());
}

double sum(const ordered_json& summary, const std::string& counter) {
  return result(summary, "ta.program." + counter) + result(summary, "tb.program." + counter);
}

TEST(Conweave, FlowsLeaveACongestedPathInOrder) {
  const Workplace place;
  place.write("p.toml", two_racks + links() + messages(2) + background);
  // The same traffic where every flow stays on the path of its hash.
  std::string hashed = two_racks;
  const auto at = hashed.find("name = \"conweave\"");
  hashed.replace(at, hashed.find("[spine]") - at, "name = \"forward\"\npath_choice = \"ecmp\"\n");
  place.write("q.toml", hashed + links() + messages(2) + background);
  for (const char* seed : {"sim.seed=1", "sim.seed=2"}) {
    const auto summary = summary_of(place, "p.toml", {seed});
    expect_balance(summary);
    EXPECT_GT(sum(summary, "reroutes"), 10);
    EXPECT_GT(sum(summary, "notifies_seen"), 100);
    EXPECT_GT(sum(summary, "reorderings"), 5);
    EXPECT_GT(sum(summary, "packets_queued"), 100);
    EXPECT_EQ(sum(summary, "queues_exhausted"), 0);
    EXPECT_EQ(sum(summary, "released_by_timeout"), 0);
    // In order at the NICs, and nothing lost: what programs dropped are replies that ended.
    EXPECT_EQ(result(summary, "receivers.out_of_order"), 0);
    EXPECT_EQ(result(summary, "receivers.nacks_sent"), 0);
    EXPECT_EQ(result(summary, "senders.timeouts"), 0);
    EXPECT_EQ(dropped(summary), summary.at("packets").at("dropped").at("program"));
    const auto other = summary_of(place, "q.toml", {seed});
    EXPECT_GT(result(summary, "senders.completed_rate"),
              1.3 * result(other, "senders.completed_rate"));
  }
}

// With queues for all and patience without end no packet ever passes another.
TEST(Conweave, NothingElseGetsOutOfOrder) {
  const Workplace place;
  place.write("p.toml", two_racks + links() + messages(32) + background);
  const auto summary =
      summary_of(place, "p.toml",
                 {"tor.program.resume_default=20 ms", "tor.program.resume_extra=20 ms",
                  "tor.program.queues=96", "tor.queues_per_port=104"});
  expect_balance(summary);
  EXPECT_GT(sum(summary, "reorderings"), 500);
  EXPECT_EQ(sum(summary, "queues_exhausted"), 0);
  EXPECT_EQ(sum(summary, "released_by_timeout"), 0);
  EXPECT_EQ(result(summary, "receivers.out_of_order"), 0);
  EXPECT_EQ(result(summary, "receivers.nacks_sent"), 0);
}

TEST(Conweave, TheSchedulingChangesNothing) {
  const Workplace place;
  place.write("p.toml", two_racks + links() + messages(4) + background);
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
  place.write("p.toml", two_racks + links() + messages(32) + background);
  const auto few = summary_of(place, "p.toml", {"tor.program.queues=3"});
  expect_balance(few);
  EXPECT_GT(sum(few, "queues_exhausted"), 100);
  EXPECT_GT(sum(few, "reorderings"), 100);
  EXPECT_GT(result(few, "receivers.nacks_sent"), 0);
  EXPECT_EQ(result(few, "senders.timeouts"), 0);
  const auto many = summary_of(place, "p.toml");
  EXPECT_LT(sum(many, "queues_exhausted"), sum(few, "queues_exhausted") / 4);
  EXPECT_LT(result(many, "receivers.nacks_sent"), result(few, "receivers.nacks_sent") / 2);
}

// Replies, CLEARs, TAILs and data are lost alike; queues are released and messages go on.
TEST(Conweave, LossesStopNothing) {
  const Workplace place;
  place.write("p.toml", two_racks + links(0.01) + messages(16, "count = 40\n") + background +
                            "count = 20000\n");
  const auto summary = summary_of(place, "p.toml", {"sim.duration=100 ms", "sim.stop=finished"});
  expect_balance(summary);
  EXPECT_EQ(summary.at("verdict"), "complete");
  EXPECT_GT(sum(summary, "reorderings"), 50);
  EXPECT_GT(sum(summary, "released_by_timeout"), 0);
  EXPECT_GT(summary.at("packets").at("dropped").at("link_loss").get<double>(), 100);
  EXPECT_EQ(result(summary, "senders.messages_completed"), 2 * 16 * 40);
}

// Slow flows to one NIC, which give up on their TAILs at once and are often silent, so that epochs
// open while queues still empty. When all is delivered no timer is left.
TEST(Conweave, TimersEndWithTheirFlows) {
  const Workplace place;
  std::string traffic = messages(32, "count = 10\n");
  traffic.replace(traffic.find("[\"b0\", \"b1\"]"), 12, "[\"b0\", \"b0\"]");
  place.write("p.toml", two_racks + links() + traffic + background + "count = 20000\n");
  const auto summary = summary_of(
      place, "p.toml",
      {"nic.qp_rate=5 Gbps", "tor.program.inactive=40 us", "tor.program.resume_extra=0 us",
       "tor.program.resume_default=1 us", "sim.duration=10 ms"});
  expect_balance(summary);
  EXPECT_EQ(result(summary, "senders.messages_completed"), 2 * 32 * 10);
  EXPECT_GT(sum(summary, "released_by_timeout"), 100);
  EXPECT_EQ(summary.at("packets").at("in_flight"), 0);
}

TEST(Conweave, WhatTheChipCannotDoIsRefused) {
  const Workplace place;
  place.write("p.toml", two_racks + links() + messages(1));
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

// Packets that a full buffer drops between the count in ingress and that in egress leave timers
// that go around for ever. All messages are completed, so the run ends all the same, and says so.
TEST(Conweave, ARunEndsWhenOnlyTimersAreLeft) {
  const Workplace place;
  place.write("p.toml", two_racks + links() + messages(2, "count = 200\n"));
  const Words settings = {"sim.stop=finished", "sim.duration=1s",     "sim.stuck_after=2ms",
                          "tor.cells=200",     "link[6].rate=25Gbps", "link[9].rate=25Gbps"};
  const Ended ended = run(place, with_settings({"run", "p.toml", "--no-progress"}, settings));
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("two_racks: complete after "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("+ 4 in flight\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("all messages are completed; what is in flight only goes around"),
            std::string::npos)
      << ended.out;
}

}  // namespace
}  // namespace horae::test::conweave_test
