// The shipped reproduction of commodity NICs under packet spraying, shortened.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <tuple>

#include "program.hpp"

namespace horae::test::cx7_spray_test {
namespace {

const std::string file = std::string(HORAE_PLATFORM_DIR) + "/cx7_spray.toml";

Words shortened(Words settings = {}) {
  settings.insert(settings.begin(), {"sim.duration=600us", "sim.warmup=200us", "sim.sample=0us"});
  return settings;
}

/// The platform without its sweep: all NACKs pass unless a setting says otherwise.
ordered_json alone(const Workplace& place, Words settings) {
  settings.emplace_back("sweep={}");
  return summary_of(place, file, shortened(std::move(settings)));
}

/// The whole sweep, run once: its summary, and each point's by label.
struct Sweep {
  ordered_json summary;
  std::map<std::string, ordered_json> points;
  std::string text;
};
Sweep run_sweep() {
  const Workplace place;
  const Ended ended =
      run(place, with_settings({"run", file, "--out", "out", "--jobs", "2"}, shortened()));
  if (ended.exit_code != 0) throw std::runtime_error(ended.err);
  Sweep sweep{.summary = place.read_json("out/summary.json"), .points = {}, .text = ended.out};
  for (const auto& row : sweep.summary.at("rows").at("sweep")) {
    const std::string label = row.at("NACKs passed");
    std::string folder = label;
    std::replace(folder.begin(), folder.end(), '/', '_');
    sweep.points[label] = place.read_json("out/points/" + folder + "/summary.json");
  }
  return sweep;
}

constexpr std::array<std::pair<const char*, int>, 9> passing = {{{"1", 1},
                                                                 {"1/2", 2},
                                                                 {"1/4", 4},
                                                                 {"1/8", 8},
                                                                 {"1/16", 16},
                                                                 {"1/32", 32},
                                                                 {"1/64", 64},
                                                                 {"1/128", 128},
                                                                 {"1/256", 256}}};

TEST(Cx7Spray, HasTenPointsFromAllNacksToNone) {
  const Sweep sweep = run_sweep();
  EXPECT_EQ(sweep.summary.at("verdict"), "complete");
  ASSERT_EQ(sweep.points.size(), 10u);
  EXPECT_TRUE(sweep.points.contains("0"));
  for (const auto& [label, n] : passing) {
    ASSERT_TRUE(sweep.points.contains(label)) << label;
    const ordered_json& program = sweep.points.at(label).at("config").at("tor").at("program");
    EXPECT_EQ(program.at("nack_drop"), n - 1) << label;
    EXPECT_EQ(program.at("nack_of"), n) << label;
  }
}

TEST(Cx7Spray, WithoutNacksBothSendersAreAtLineRate) {
  const Workplace place;
  const ordered_json s = alone(place, {"tor.program.nack_drop=1", "tor.program.nack_of=1"});
  EXPECT_GT(result(s, "receivers.nacks_sent"), 1000);
  EXPECT_EQ(result(s, "senders.nacks_received"), 0);
  EXPECT_EQ(result(s, "senders.goodput_ratio"), 1.0);
  EXPECT_GT(result(s, "senders.tx_share"), 0.999);
  // Both, not on average.
  for (const char* sender : {"sender0", "sender1"}) {
    const ordered_json& d = s.at("statistics").at(sender);
    EXPECT_GT(d.at("port0").at("tx_rate").at("value").get<double>(), 0.985 * 100) << sender;
    EXPECT_EQ(d.at("sent_expected").at("value"), 0) << sender;
  }
}

TEST(Cx7Spray, NacksPassInTheShareThatTheProgramLets) {
  const Sweep sweep = run_sweep();
  for (const auto& [label, n] : passing) {
    const ordered_json& s = sweep.points.at(label);
    const double sent = result(s, "receivers.nacks_sent");
    const double received = result(s, "senders.nacks_received");
    ASSERT_GT(sent, 1000) << label;
    // Up to a count of the filter and what is under way at either end of the measurement.
    EXPECT_NEAR(received, sent / n, 2.0 + 0.03 * sent / n) << label;
    EXPECT_NEAR(result(s, "senders.nacks_per_packet"), received / result(s, "senders.data_packets"),
                1e-12)
        << label;
  }
  EXPECT_EQ(result(sweep.points.at("0"), "senders.nacks_received"), 0);
  EXPECT_GT(result(sweep.points.at("0"), "senders.tx_share"), 0.999);
}

TEST(Cx7Spray, ShowsThePublishedValuesBesideTheMeasured) {
  const Sweep sweep = run_sweep();
  const ordered_json& v = sweep.summary.at("validation");
  ASSERT_EQ(v.size(), 3u);
  const std::array<std::tuple<const char*, double, const char*, const char*>, 3> expected = {
      {{"cx7.nocc.tx", 0.5, "1", "senders.tx_share"},
       {"cx7.nocc.goodput", 0.935, "1", "senders.goodput_ratio"},
       {"cx7.nocc.blocked", 1.0, "0", "senders.tx_share"}}};
  for (std::size_t i = 0; i < v.size(); ++i) {
    const auto& [id, published, point, metric] = expected[i];
    EXPECT_EQ(v[i].at("id"), id);
    EXPECT_EQ(v[i].at("published"), published);
    EXPECT_EQ(v[i].at("measured"), result(sweep.points.at(point), metric));
    EXPECT_EQ(v[i].at("kind"), "predicted");
    EXPECT_FALSE(v[i].at("source").get<std::string>().empty());
    EXPECT_NE(sweep.text.find(std::string("  ") + id + " "), std::string::npos) << sweep.text;
  }
  for (const char* shown : {"published 0.5 ", "published 0.935 ", "published 1 "})
    EXPECT_NE(sweep.text.find(shown), std::string::npos) << shown << sweep.text;
}

TEST(Cx7Spray, EachServedNackBringsAtMostTwoRetransmissions) {
  const Workplace place;
  const ordered_json s = alone(place, {});
  std::uint64_t served = 0;
  for (const char* sender : {"sender0", "sender1"}) {
    const ordered_json& d = s.at("statistics").at(sender);
    const auto count = [&](const char* key) { return d.at(key).at("value").get<std::uint64_t>(); };
    served += count("nacks_served");
    EXPECT_EQ(count("timeouts"), 0u);
    // One of each kind at most: the expected packet and the last one sent.
    EXPECT_LE(count("sent_expected"), count("nacks_served"));
    EXPECT_LE(count("sent_last"), count("nacks_served"));
    EXPECT_LE(count("nacks_served") + count("nacks_stale"), count("nacks_received"));
    // They do come: at most one NACK is between service and retransmission.
    EXPECT_GE(count("sent_expected") + count("sent_last"), count("nacks_served"));
  }
  EXPECT_GT(served, 1000u);
  EXPECT_GT(result(s, "receivers.duplicates"), 0);
  EXPECT_LT(result(s, "senders.goodput_ratio"), 1.0);
}

TEST(Cx7Spray, InTurnOverThePathsOfOneSenderIsInOrder) {
  const Workplace place;
  const ordered_json s =
      alone(place, {"tor.program.path_choice=round_robin", "traffic[0].from=[\"sender0\"]",
                    "traffic[0].to=[\"receiver0\"]"});
  EXPECT_EQ(result(s, "receivers.nacks_sent"), 0);
  EXPECT_EQ(result(s, "receivers.out_of_order"), 0);
  EXPECT_GT(result(s, "senders.tx_share"), 0.999);
}

TEST(Cx7Spray, InTurnOverThePathsOfBothSendersIsInOrder) {
  const Workplace place;
  const ordered_json s = alone(place, {"tor.program.path_choice=round_robin"});
  EXPECT_EQ(result(s, "receivers.nacks_sent"), 0);
  EXPECT_GT(result(s, "senders.tx_share"), 0.999);
}

TEST(Cx7Spray, OneSenderAloneIsInOrderEvenAtRandom) {
  // Half of what a path can carry never queues, so nothing overtakes.
  const Workplace place;
  const ordered_json s =
      alone(place, {"traffic[0].from=[\"sender0\"]", "traffic[0].to=[\"receiver0\"]"});
  EXPECT_EQ(result(s, "receivers.nacks_sent"), 0);
  EXPECT_GT(result(s, "senders.tx_share"), 0.999);
}

// Bursts of eight packets at 46.6 Gbps last half of their period of 1.52 us.
TEST(Cx7Spray, ShapedBurstsMeetLessWhenTheSendersAreOutOfPhase) {
  const auto nacks_per_packet = [](const std::string& stagger) {
    const Workplace place;
    return result(alone(place, {"nic.qp_rate=46600Mbps", "nic.shaping=quantum", "nic.quantum=8KiB",
                                "traffic[0].stagger=" + stagger}),
                  "senders.nacks_per_packet");
  };
  const double together = nacks_per_packet("0ps"), apart = nacks_per_packet("760ns");
  EXPECT_GT(together, 0.08);
  EXPECT_LT(apart, 0.02);
}

}  // namespace
}  // namespace horae::test::cx7_spray_test
