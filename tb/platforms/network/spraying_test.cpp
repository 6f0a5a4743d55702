// NICs that choose paths, on platforms: entropy schemes with transports and windows, alone and in
// several processes; what their results say; what does not go together.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "networks.hpp"
#include "program.hpp"

namespace horae::test::spraying_test {
namespace {

const std::string flows =
    "5\n0 4 3 1 400001 0.000001\n1 5 3 2 300000 0.000001\n2 4 3 3 200777 0.000001\n"
    "3 6 3 4 100000 0.000002\n6 2 3 5 100 0.000002\n";

struct Place : Workplace {
  Place() {
    write("clos.toml", eight_nics("10 ms", "kind = \"flow_list\"\nfile = \"flows.txt\"\n"));
    write("flows.txt", flows);
  }
};

/// A NIC with spray_sr, in a network that marks and loses.
Words words(const std::string& scheme, const std::vector<std::string>& more = {}) {
  std::vector<std::string> all = {"nic.transport=spray_sr",
                                  "nic.entropy.scheme=" + scheme,
                                  "nic.entropy.values=256",
                                  "nic.entropy.freezing_timeout=40us",
                                  "nic.congestion.algorithm=mprdma",
                                  "nic.congestion.mprdma.packet=1000B",
                                  "nic.congestion.mprdma.initial_window=60KB",
                                  "nic.congestion.mprdma.max_window=60KB",
                                  "nic.reliability.rto=60us",
                                  "switch.queue_limit=20KB",
                                  "switch.ecn.kmin=4KB",
                                  "switch.ecn.kmax=12KB",
                                  "switch.ecn.pmax=1.0"};
  all.insert(all.end(), more.begin(), more.end());
  return with_settings({"run", "clos.toml", "--json", "--no-progress"}, all);
}

class Spraying : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, Spraying,
                         ::testing::Values("fixed", "random", "cycle", "reps", "reps_unbounded",
                                           "bitmap", "plb", "flowlet", "mp_rdma", "subflows"),
                         [](const auto& one) { return one.param; });

TEST_P(Spraying, WorksWithEveryTransport) {
  const Place place;
  for (const std::string transport : {"rnic_sr", "go_back_n", "timeout_only", "irn", "spray_sr"}) {
    const Ended ended = run(place, words(GetParam(), {"nic.transport=" + transport}));
    ASSERT_EQ(ended.exit_code, 0) << transport << ended.err;
    EXPECT_EQ(ended.json()["verdict"], "complete") << transport;
  }
}

TEST_P(Spraying, HowItIsRunDoesNotShow) {
  const Place place;
  const auto results = [&](const std::vector<std::string>& settings, const Words& more = {}) {
    Words w = words(GetParam(), settings);
    w.insert(w.end(), more.begin(), more.end());
    const Ended ended = run(place, w);
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.json()["results"].dump(1);
  };
  // Whether there is a way for ranks to talk here.
  static const bool ranks =
      run(place, {"run", "clos.toml", "--ranks", "2", "--no-progress"}).exit_code == 0;
  for (const std::string timer : {"packet", "group", "connection"}) {
    const std::string mine = "nic.reliability.timer=" + timer;
    const std::string windowed = results({mine});
    EXPECT_EQ(results({mine, "sim.scheduling=exact_wake"}), windowed);
    EXPECT_EQ(results({mine, "sim.window=130ns"}), windowed);
    // Three ranks wait for each other on the two processors of CI: one count for each timer.
    if (!ranks || timer == "packet") continue;
    EXPECT_EQ(results({mine}, {"--ranks", timer == "group" ? "2" : "3"}), windowed);
  }
}

// A result of entropy is there where there is something to tell, and its shares are of all packets.
TEST(SprayingResults, SharesOfEntropyAddUp) {
  const Place place;
  const auto results = [&](const std::string& scheme) {
    return run(place, words(scheme)).json()["results"];
  };
  EXPECT_FALSE(results("fixed").contains("senders.entropy_random"));
  const auto reps = results("reps");
  double sum = 0;
  for (const char* from : {"recycled", "random", "frozen", "fixed"})
    sum += reps[std::string("senders.entropy_") + from]["value"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_GT(reps["senders.entropy_recycled"]["value"].get<double>(), 0.3);
  EXPECT_EQ(results("random")["senders.entropy_random"]["value"], 1.0);
  EXPECT_GT(reps["senders.retransmitted_timeout"]["value"].get<double>(), 0);
  EXPECT_EQ(reps["senders.retransmitted_trimmed"]["value"], 0.0);
}

// Figure 15: frozen at a time although nothing failed.
TEST(SprayingResults, RepsFreezesAtATime) {
  const Place place;
  const Words calm = {"switch.queue_limit=1MB", "nic.entropy.freezing_timeout=10ms"};
  const auto results = [&](Words more) {
    more.insert(more.end(), calm.begin(), calm.end());
    const Ended ended = run(place, words("reps", more));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.json()["results"];
  };
  const auto never = results({}), early = results({"nic.entropy.freeze_at=15us"}),
             late = results({"nic.entropy.freeze_at=9ms"});
  EXPECT_EQ(never["senders.entropy_freezes"]["value"], 0.0);
  EXPECT_EQ(early["senders.entropy_freezes"]["value"], 4.0) << "one is over before";
  EXPECT_EQ(late["fct.max"], never["fct.max"]);
  EXPECT_EQ(never["senders.entropy_frozen"]["value"], 0.0);
  EXPECT_GT(early["senders.entropy_frozen"]["value"].get<double>(), 0.05);
}

// Two flows of one pair, one after the other: the second begins with what the first has learned.
TEST(SprayingResults, WhatIsKeptIsOfTheLastFlowToTheSamePeer) {
  const Place place;
  const auto random_share = [&](const std::string& second, const std::string& keep) {
    place.write("flows.txt", "2\n0 4 3 1 100000 0\n" + second);
    const Ended ended =
        run(place,
            words("reps", {"nic.entropy.keep=" + keep, "nic.congestion.mprdma.initial_window=9KB",
                           "nic.congestion.mprdma.max_window=9KB", "switch.ecn.kmin=10KB"}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.json()["results"]["senders.entropy_random"]["value"].get<double>();
  };
  const std::string again = "0 4 3 2 100000 0.001\n", overlapping = "0 4 3 2 100000 0.000001\n",
                    elsewhere = "0 5 3 2 100000 0.001\n";
  // A ring that is full saves the first round trip of nine packets its random values.
  EXPECT_LT(random_share(again, "true"), random_share(again, "false") - 0.02);
  EXPECT_EQ(random_share(overlapping, "true"), random_share(overlapping, "false"));
  EXPECT_EQ(random_share(elsewhere, "true"), random_share(elsewhere, "false"));
}

TEST(SprayingResults, AWindowIsKeptAsWell) {
  const Place place;
  place.write("flows.txt", "2\n0 4 3 1 200000 0\n0 4 3 2 200000 0.001\n");
  const auto shortest = [&](const std::string& keep) {
    // A window of one packet grows by one per round trip.
    return run(place, words("random", {"nic.entropy.keep=" + keep, "switch.queue_limit=1MB",
                                       "nic.congestion.mprdma.initial_window=1000B",
                                       "switch.ecn.kmin=900KB", "switch.ecn.kmax=1MB"}))
        .json()["results"]["fct.mean"]["value"]
        .get<double>();
  };
  EXPECT_LT(shortest("true"), 0.95 * shortest("false"));
}

// 64 bytes and the payload, and a round trip of all links: 4 us, and what is on the wires.
TEST(SprayingResults, HtsimsFramesTakeHtsimsTime) {
  const Place place;
  place.write("flows.txt", "1\n0 4 3 1 4086 0\n");
  const Ended ended =
      run(place, words("random", {"nic.mtu=4086B", "nic.frames=htsim", "switch.latency=0ns",
                                  "nic.tx_latency=0ns", "nic.rx_latency=0ns",
                                  "link_default.rate=400Gbps", "link_default.delay=1us"}));
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NEAR(ended.json()["results"]["fct.max"]["value"].get<double>(),
              8 + 4 * (4150 + 64) * 8 / 400e3, 1e-6);
}

// ns-3 truncates times on the wire to whole nanoseconds: 83.84 and 4.8 ns at 100 Gbps.
TEST(SprayingResults, FramesOfNs3TakeItsTime) {
  const Place place;
  place.write("flows.txt", "1\n0 4 3 1 1000 0\n");
  const auto fct = [&](const std::string& whole) {
    const Ended ended = run(
        place,
        words("random", {"nic.mtu=1000B", "nic.frames=ns3", "switch.latency=0ns",
                         "nic.tx_latency=0ns", "nic.rx_latency=0ns", "link_default.rate=100Gbps",
                         "link_default.delay=1us", "link_default.whole_nanoseconds=" + whole}));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return ended.json()["results"]["fct.max"]["value"].get<double>();
  };
  EXPECT_NEAR(fct("true"), 8 + 4 * (83 + 4) / 1e3, 1e-9);
  EXPECT_NEAR(fct("false"), 8 + 4 * (1048 + 60) * 8 / 100e3, 1e-9);
}

TEST(SprayingResults, WhatDoesNotGoTogetherIsRefused) {
  const Place place;
  const auto refused = [&](const Words& w, const std::string& text) {
    const Ended ended = run(place, w);
    EXPECT_EQ(ended.exit_code, 2);
    EXPECT_NE(ended.err.find(text), std::string::npos) << ended.err;
    EXPECT_EQ(ended.err.find('\n'), ended.err.size() - 1) << ended.err;
  };
  refused(words("random", {"nic.ordering.engine=ideal"}),
          "ordering.engine = 'ideal' takes the place of the receiver that transport = 'spray_sr' "
          "needs; expected 'none'");
  refused(words("reps", {"nic.entropy.freeze_at=1us", "nic.entropy.freezing=false"}),
          "freeze_at freezes the ring, but freezing = false");
  refused(words("rep"), "did you mean 'reps'?");
  refused(words("random", {"nic.reliability.timer=packets"}), "did you mean 'packet'?");
  refused(words("random", {"nic.reliability.sack_bits=512"}), "sack_bits");
  refused(words("random", {"nic.frames=htsin"}), "did you mean 'htsim'?");
}

}  // namespace
}  // namespace horae::test::spraying_test
