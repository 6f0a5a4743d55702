// DCTCP, Swift and TIMELY against their formulas.
#include <gtest/gtest.h>

#include <cmath>

#include "horae/core/error.hpp"
#include "horae/policy/congestion/dctcp.hpp"
#include "horae/policy/congestion/swift.hpp"
#include "horae/policy/congestion/timely.hpp"

namespace horae::policy::window_schemes_test {
namespace {

constexpr BitRate line = 100_Gbps;

// ---- DCTCP

// One packet of 1 KiB after the other is acknowledged while `window` packets are in flight.
struct Dctcps {
  explicit Dctcps(const DctcpParameters& p) : dctcp(p, line, 1_KiB) {}
  void ack(bool marked) {
    ++acked;
    dctcp.on_ack({.expected = Psn(acked),
                  .next_new = Psn(acked + in_flight),
                  .acked = 1_KiB,
                  .marked = marked},
                 0_ps);
  }
  void acks(std::uint32_t n, bool marked) {
    for (std::uint32_t i = 0; i < n; ++i) ack(marked);
  }
  Dctcp dctcp;
  std::uint32_t acked = 0;
  std::uint32_t in_flight = 99;
};

TEST(Dctcp, AlphaConvergesGeometrically) {
  DctcpParameters p;
  p.initial_alpha = 1.0;
  Dctcps unmarked(p);
  unmarked.ack(false);
  for (int round = 1; round <= 40; ++round) {
    unmarked.acks(100, false);  // a round is what is in flight, and the packet that shows its end
    EXPECT_NEAR(unmarked.dctcp.alpha(), std::pow(15.0 / 16, round), 1e-12) << round;
  }
  p.initial_alpha = 0;
  Dctcps marked(p);
  marked.ack(true);
  for (int round = 1; round <= 40; ++round) {
    marked.acks(100, true);
    EXPECT_NEAR(marked.dctcp.alpha(), 1 - std::pow(15.0 / 16, round), 1e-12) << round;
  }
}

TEST(Dctcp, AlphaIsTheShareOfMarks) {
  Dctcps s({});
  for (std::uint32_t i = 0; i < 40'000; ++i) s.ack(i % 4 == 0);
  EXPECT_NEAR(s.dctcp.alpha(), 0.25, 0.001);
}

TEST(Dctcp, OneCutOfHalfAlphaInARound) {
  DctcpParameters p;
  p.initial_alpha = 0.5;
  p.initial_window = 100_KiB;
  Dctcps s(p);
  s.ack(true);
  EXPECT_EQ(s.dctcp.window(), Bytes(75 * 1024));
  s.acks(99, true);
  EXPECT_EQ(s.dctcp.window(), Bytes(75 * 1024));  // neither cut nor increased
  s.ack(false);                                   // the last of the round, PSN 100
  EXPECT_GT(s.dctcp.window(), Bytes(75 * 1024));
  const Bytes before = s.dctcp.window();
  s.ack(true);
  EXPECT_LT(s.dctcp.window(), before);
}

TEST(Dctcp, GrowsByOneSegmentARound) {
  DctcpParameters p;
  p.initial_window = 100_KiB;
  Dctcps s(p);
  s.acks(100, false);
  // 1 KiB for each window of data: the sum of 1 / w over the round, just below one.
  EXPECT_NEAR(static_cast<double>(s.dctcp.window().count()), 101 * 1024, 10);
}

TEST(Dctcp, LossesCutByHalfAndTimeoutsToTheLeast) {
  DctcpParameters p;
  p.initial_window = 100_KiB;
  Dctcps s(p);
  s.dctcp.on_nack(0_ps);
  s.dctcp.on_nack(0_ps);
  EXPECT_EQ(s.dctcp.window(), 50_KiB);
  s.dctcp.on_timeout(0_ps);
  EXPECT_EQ(s.dctcp.window(), 1_KiB);
  EXPECT_EQ(s.dctcp.rate(0_ps), line);
}

// ---- Swift

AckReport after(Picoseconds rtt, Bytes acked = 1_KiB) { return {.acked = acked, .rtt = rtt}; }
SwiftParameters swift_parameters() {
  SwiftParameters p;
  p.base_target = 20_us;
  p.initial_window = 100_KiB;
  return p;
}

TEST(Swift, TheTargetGrowsWithTheRootOfASmallWindow) {
  SwiftParameters p = swift_parameters();
  p.hops = 3;
  p.per_hop = 2_us;
  EXPECT_EQ(Swift(p, line, 1_KiB).target(), 26_us);  // 100 packets: nothing added
  p.initial_window = Bytes(25 * 1024);
  // alpha = range / (1/sqrt(0.1) - 1/sqrt(100)); target + alpha (1/5 - 1/10)
  const double alpha = 100e6 / (1 / std::sqrt(0.1) - 0.1);
  EXPECT_NEAR(static_cast<double>(Swift(p, line, 1_KiB).target().count()), 26e6 + alpha * 0.1, 2);
  p.min_window = 0.01;
  p.initial_window = 256_B;
  p.packet = 64_KiB;  // 1/256 of a packet: all of the range
  EXPECT_NEAR(static_cast<double>(Swift(p, line, 1_KiB).target().count()), 126e6, 2);
}

TEST(Swift, BelowTheTargetItGrowsByOnePacketARoundTrip) {
  Swift s(swift_parameters(), line, 1_KiB);
  for (int i = 0; i < 100; ++i) s.on_ack(after(19_us), 0_us);
  EXPECT_NEAR(s.packets(), 101, 0.01);
  EXPECT_EQ(s.rate(0_us), line);
  EXPECT_NEAR(static_cast<double>(s.window().count()), 101 * 1024, 10);
}

TEST(Swift, AboveItIsCutByTheExcessOncePerRoundTrip) {
  Swift s(swift_parameters(), line, 1_KiB);
  s.on_ack(after(25_us), 100_us);
  const double factor = 1 - 0.8 * 5 / 25;
  EXPECT_NEAR(s.packets(), 100 * factor, 1e-9);
  s.on_ack(after(25_us), 124_us);
  EXPECT_NEAR(s.packets(), 100 * factor, 1e-9);
  // At 84 packets the target is a little higher than at 100.
  const double target = to_microseconds(s.target());
  EXPECT_GT(target, 20.0);
  s.on_ack(after(25_us), 125_us);
  EXPECT_NEAR(s.packets(), 100 * factor * (1 - 0.8 * (25 - target) / 25), 1e-6);
  s.on_ack(after(1_ms), 10_ms);  // at most by half
  EXPECT_NEAR(s.packets(), 50 * factor * (1 - 0.8 * (25 - target) / 25), 1e-6);
}

TEST(Swift, BelowOnePacketTheWindowIsARate) {
  SwiftParameters p = swift_parameters();
  p.initial_window = 512_B;
  Swift s(p, line, 1_KiB);
  s.on_ack(after(400_us, 0_B), 1_ms);  // half a packet, above its target, cut by half
  EXPECT_NEAR(s.packets(), 0.25, 1e-9);
  EXPECT_EQ(s.window(), 1_KiB);
  // A packet every 400 us / 0.25.
  EXPECT_NEAR(static_cast<double>(s.rate(1_ms).count()), 1024 * 8 / 1.6e-3, 1);
}

TEST(Swift, LossesTakeTheMostAndFiveTimeoutsAll) {
  Swift s(swift_parameters(), line, 1_KiB);
  s.on_nack(1_us);
  EXPECT_NEAR(s.packets(), 50, 1e-9);
  for (int i = 1; i < 5; ++i) s.on_timeout(1_us);
  EXPECT_NEAR(s.packets(), 50.0 / 16, 1e-9);  // without a round trip each may cut
  s.on_timeout(1_us);
  EXPECT_NEAR(s.packets(), 0.01, 1e-9);
}

// ---- TIMELY

struct Timelys {
  explicit Timelys(const TimelyParameters& p) : timely(p, line) {}
  double update(Picoseconds rtt) {
    timely.on_ack(after(rtt, 16_KiB), 0_us);
    return static_cast<double>(timely.rate(0_us).count());
  }
  Timely timely;
};

TEST(Timely, TheGradientCutsTheRate) {
  Timelys s({});
  EXPECT_EQ(s.update(100_us), 100e9);  // the first round trip is only kept
  // 10 us more: 0.875 x 10 us over 20 us is a gradient of 0.4375.
  double rate = 100e9 * (1 - 0.8 * 0.4375);
  EXPECT_NEAR(s.update(110_us), rate, 1);
  EXPECT_NEAR(s.timely.gradient(), 0.4375, 1e-12);
  // 4 us less: 0.125 x 8.75 - 0.875 x 4 us.
  const double difference = 0.125 * 8.75 - 0.875 * 4;
  EXPECT_NEAR(s.update(106_us), rate += 10e6, 1);
  EXPECT_NEAR(s.timely.gradient(), difference / 20, 1e-12);
}

TEST(Timely, FiveCalmUpdatesMakeIncreasesHyper) {
  Timelys s({});
  s.update(100_us);
  s.update(140_us);
  double rate = s.update(140_us);  // the old rise still counts
  while (s.timely.gradient() > 0) rate = s.update(100_us);
  for (int i = 2; i <= 8; ++i) {
    const double next = s.update(100_us);
    EXPECT_NEAR(next - rate, i >= 5 ? 50e6 : 10e6, 1) << i;
    rate = next;
  }
}

TEST(Timely, ThresholdsComeBeforeTheGradient) {
  TimelyParameters p;
  Timelys s(p);
  s.update(600_us);
  // Above T_high: cut by beta (1 - 500 / 600), though it falls.
  EXPECT_NEAR(s.update(590_us), 100e9 * (1 - 0.8 * (1 - 500.0 / 590)), 1);
  const double rate = s.update(30_us);
  EXPECT_NEAR(s.update(45_us), rate + 10e6, 1);  // below T_low: raised, though it rises
}

TEST(Timely, OneUpdateASegment) {
  Timely t({}, line);
  t.on_ack(after(100_us, 16_KiB), 0_us);
  t.on_ack(after(200_us, Bytes(16 * 1024 - 1)), 0_us);
  EXPECT_EQ(t.rate(0_us), line);
  t.on_ack(after(200_us, 1_B), 0_us);
  EXPECT_LT(t.rate(0_us), line);
  EXPECT_EQ(t.window(), no_window);
}

// ---- what is refused

std::string refusal(const CongestionConfig& config) {
  try {
    check(config, line);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(WindowSchemes, ReactionsToNacksAreOfDcqcn) {
  for (const std::string algorithm : {"dctcp", "hpcc", "swift", "timely"}) {
    CongestionConfig config;
    config.algorithm = algorithm;
    EXPECT_EQ(refusal(config), "");
    EXPECT_EQ(make_notification_point(config), nullptr);
    EXPECT_EQ(make_reaction_point(config, line, 1_KiB)->rate(0_us), line);
    config.nack_reaction = "cnp";
    EXPECT_EQ(refusal(config),
              "nack_reaction = 'cnp' acts on the rates of algorithm = 'dcqcn', but algorithm = '" +
                  algorithm + "'");
  }
}

TEST(WindowSchemes, WhatContradictsItselfIsRefused) {
  CongestionConfig config;
  config.algorithm = "swift";
  auto& swift = config.parameters.of<SwiftConfig>().values.emplace();
  swift.flow_min_window = 100;
  EXPECT_EQ(refusal(config), "swift.flow_min_window = 100 is not below flow_max_window = 100");
  config.algorithm = "timely";
  config.parameters.of<TimelyConfig>().values.emplace().low = 600_us;
  EXPECT_EQ(refusal(config), "timely.low = 600 us is above high = 500 us");
}

// A sender sends while less than its window is unacknowledged, so a least window above the MTU
// would let two packets out.
TEST(LeastWindow, IsOnePacketOfTheMtu) {
  for (const char* algorithm : {"mprdma", "nscc", "dctcp"}) {
    for (const Bytes mtu : {256_B, 1_KiB, 4086_B, 9000_B}) {
      CongestionConfig config;
      config.algorithm = algorithm;
      const auto reaction = make_reaction_point(config, line, mtu);
      for (int n = 1; n <= 10'000; ++n) reaction->on_timeout(Picoseconds(1'000'000'000L * n));
      EXPECT_EQ(reaction->window(), mtu) << algorithm;
    }
  }
}

}  // namespace
}  // namespace horae::policy::window_schemes_test
