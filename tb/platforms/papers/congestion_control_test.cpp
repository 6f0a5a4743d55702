// Windows, delay and telemetry on platforms: every algorithm with every transport, through plain
// switches and chips, alone and in several processes; and what does not go together.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test::congestion_control_test {
namespace {

const std::string bursts = R"(kind = "flow_list"
file = "flows.txt"
)";
// Three into one NIC and two across, with sizes that end within a packet.
const std::string flows =
    "5\n0 4 3 1 400001 0.000001\n1 4 3 2 300000 0.000001\n5 4 3 3 200777 0.000001\n"
    "2 6 3 4 100000 0.000002\n6 2 3 5 100 0.000002\n";

struct Place : Workplace {
  Place() {
    write("clos.toml", eight_nics("10 ms", bursts));
    write("flows.txt", flows);
  }
};
Words words(const std::string& algorithm, const std::vector<std::string>& settings = {}) {
  Words w = {"run", "clos.toml", "--json", "--no-progress"};
  std::vector<std::string> all = {"nic.congestion.algorithm=" + algorithm,
                                  "switch.telemetry=true",
                                  "nic.congestion.hpcc.base_rtt=12us",
                                  "switch.ecn.kmin=30KB",
                                  "switch.ecn.kmax=30KB",
                                  "switch.ecn.pmax=1.0"};
  all.insert(all.end(), settings.begin(), settings.end());
  return with_settings(w, all);
}

class Congestion : public ::testing::TestWithParam<std::string> {};

TEST_P(Congestion, WorksWithEveryTransport) {
  const Place place;
  for (const std::string transport : {"rnic_sr", "go_back_n", "timeout_only", "irn", "spray_sr"}) {
    const Ended ended = run(place, words(GetParam(), {"nic.transport=" + transport}));
    ASSERT_EQ(ended.exit_code, 0) << transport << ended.err;
    EXPECT_EQ(ended.json()["verdict"], "complete") << transport;
  }
  // Queues that overflow.
  for (const std::string transport : {"rnic_sr", "go_back_n", "irn", "spray_sr"}) {
    const Ended ended =
        run(place, words(GetParam(), {"nic.transport=" + transport, "switch.queue_limit=40KB"}));
    ASSERT_EQ(ended.exit_code, 0) << transport << ended.err;
    EXPECT_EQ(ended.json()["verdict"], "complete") << transport;
  }
}

TEST_P(Congestion, HowItIsRunDoesNotShow) {
  const Place place;
  const auto results = [&](const std::vector<std::string>& settings, const Words& more = {}) {
    Words w = words(GetParam(), settings);
    w.insert(w.end(), more.begin(), more.end());
    const Ended ended = run(place, w);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.json()["results"].dump(1);
  };
  const std::string windowed = results({});
  EXPECT_EQ(results({"sim.scheduling=exact_wake"}), windowed);
  EXPECT_EQ(results({"sim.window=130ns"}), windowed);
  if (run(place, {"run", "clos.toml", "--ranks", "2", "--no-progress"}).exit_code != 0)
    GTEST_SKIP() << "this build has no MPI";
  EXPECT_EQ(results({}, {"--ranks", "2"}), windowed);
  EXPECT_EQ(results({}, {"--ranks", "3"}), windowed);
}

INSTANTIATE_TEST_SUITE_P(All, Congestion,
                         ::testing::Values("dcqcn", "dctcp", "hpcc", "swift", "timely", "mprdma",
                                           "nscc", "constant"),
                         [](const auto& one) { return one.param; });

TEST(CongestionControl, TelemetryComesOutOfChipsAsWell) {
  const Place place;
  std::string text = eight_nics("10 ms", bursts);
  const auto put = [&text](const std::string& find, const std::string& by) {
    text.replace(text.find(find), find.size(), by);
  };
  put("leaf = \"switch\"", "leaf = \"chip\"");
  put("[leaf_spine]",
      "[chip]\nkind = \"tofino\"\n[chip.program]\nname = \"forward\"\ntelemetry = true\n"
      "[leaf_spine]");
  place.write("clos.toml", text);
  const Ended ended = run(place, words("hpcc"));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.json()["verdict"], "complete");
}

TEST(CongestionControl, WhatDoesNotGoTogetherIsRefused) {
  const Place place;
  const auto refused = [&](const Words& w, const std::string& text) {
    const Ended ended = run(place, w);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find(text), std::string::npos) << ended.err;
    // Some of them set a key of words() anew, which is said before.
    std::string refusal = ended.err;
    while (refusal.find(": set twice; ") < refusal.find('\n'))
      refusal.erase(0, refusal.find('\n') + 1);
    EXPECT_EQ(refusal.find('\n'), refusal.size() - 1) << ended.err;
  };
  for (const std::string algorithm : {"dctcp", "hpcc", "swift"}) {
    refused(words(algorithm, {"nic.reliability.ack_every=4"}),
            fmt::format("algorithm = '{}' listens to an acknowledgement for every packet, but "
                        "reliability.ack_every = 4; expected 1",
                        algorithm));
  }
  EXPECT_EQ(run(place, words("timely", {"nic.reliability.ack_every=4"})).exit_code, 0);
  refused(words("hpcc", {"switch.telemetry=false"}),
          "algorithm = 'hpcc' of profile 'nic' listens to telemetry of all switches, and profile "
          "'switch' adds none; expected telemetry = true");
  refused(words("hpcc", {"link_default.rate=37Gbps"}),
          "telemetry has no code for a link of 37 Gbps; expected one of 1 Gbps, 5 Gbps");
  refused(
      words("swift", {"nic.congestion.nack_reaction=cnp"}),
      "nack_reaction = 'cnp' acts on the rates of algorithm = 'dcqcn', but algorithm = 'swift'");
  refused(words("hpcc", {"nic.congestion.hpcc.base_rt=3us"}), "did you mean 'base_rtt'?");
}

}  // namespace
}  // namespace horae::test::congestion_control_test
