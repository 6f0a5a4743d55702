// HPCC step by step, on stacks made by hand.
#include "horae/policy/congestion/hpcc.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "horae/core/error.hpp"

namespace horae::policy::hpcc_test {
namespace {

// 100 Gbps and 8 us: B x T is 100 KB.
constexpr BitRate line = 100_Gbps;
constexpr Picoseconds round_trip = 8_us;
constexpr double bdp = 100'000;

HpccParameters parameters() {
  HpccParameters p;
  p.base_rtt = round_trip;
  return p;
}

// A port of 100 Gbps, whose bytes are counted in 128 and whose queue in 320.
HopRecord port(Picoseconds at, std::int64_t sent, std::int64_t queue) {
  return {*telemetry_code(line), at, static_cast<std::uint64_t>(sent), Bytes(queue)};
}

struct Sender {
  explicit Sender(const HpccParameters& p) : hpcc(p, line) {}
  // An acknowledgement up to `expected`, while `next_new` is next to be sent.
  void ack(std::uint32_t expected, std::uint32_t next_new, std::vector<HopRecord> hops,
           Picoseconds now = 0_ps, std::uint16_t path = 1) {
    hpcc.on_ack({.expected = Psn(expected), .next_new = Psn(next_new), .path = path, .hops = hops},
                now);
  }
  Hpcc hpcc;
};

TEST(Hpcc, StartsAtTheLineAndTheFirstStackIsOnlyKept) {
  Sender s(parameters());
  EXPECT_EQ(s.hpcc.rate(0_ps), line);
  EXPECT_EQ(s.hpcc.window(), Bytes(100'000));
  s.ack(1, 100, {port(1_us, 0, 64'000)});
  EXPECT_EQ(s.hpcc.window(), Bytes(100'000));
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), 1.0);
}

// In 800 ns the port sent 10,240 of its 10,000 bytes: u = 1.024, plus 64,000 of queue over 100,000.
// A tenth of the round trip: U moves by a tenth.
TEST(Hpcc, AFastReactionIsOnTheReferenceWindow) {
  Sender s(parameters());
  s.ack(1, 100, {port(1_us, 0, 64'000)});
  s.ack(2, 101, {port(1'800_ns, 10'240, 96'000)});
  const double u = 1.024 + 0.64;
  const double in_flight = 0.9 * 1.0 + 0.1 * u;
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), in_flight);
  EXPECT_DOUBLE_EQ(s.hpcc.window_bytes(), bdp / (in_flight / 0.95) + 80);
  EXPECT_DOUBLE_EQ(s.hpcc.reference(), bdp);  // PSN 100 is not acknowledged: within the round
  EXPECT_NEAR(static_cast<double>(s.hpcc.rate(2_us).count()), s.hpcc.window_bytes() * 8 / 8e-6, 1);
}

TEST(Hpcc, TheReferenceFollowsOnceARound) {
  Sender s(parameters());
  s.ack(1, 100, {port(1_us, 0, 0)});
  // A whole round trip later, half of the port was used: U is that half, and the window grows.
  s.ack(100, 150, {port(9_us, 51'200, 0)});
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), 0.512);
  EXPECT_EQ(s.hpcc.stage(), 0u);  // up to 99 is acknowledged, 100 is not
  s.ack(101, 151, {port(17_us, 102'400, 0)});
  EXPECT_EQ(s.hpcc.stage(), 1u);
  EXPECT_DOUBLE_EQ(s.hpcc.reference(), bdp);  // no more than the line
  s.ack(151, 200, {port(25_us, 153'600, 0)});
  EXPECT_EQ(s.hpcc.stage(), 1u);  // the round ends with 151
  s.ack(152, 200, {port(33_us, 204'800, 0)});
  EXPECT_EQ(s.hpcc.stage(), 2u);
}

// maxStage rounds of additive increase, then the window jumps to what the load allows.
TEST(Hpcc, AfterMaxStageTheWindowFollowsTheLoad) {
  Sender s(parameters());
  std::int64_t sent = 0;
  Picoseconds at = 1_us;
  std::uint32_t psn = 1;
  const auto round = [&](std::int64_t bytes) {
    sent += bytes;
    at += round_trip;
    s.ack(psn + 2, psn + 2, {port(at, sent, 0)});
    psn += 2;
  };
  s.ack(1, 1, {port(at, 0, 0)});
  round(204'800);  // twice the port
  const double cut = bdp / (2.048 / 0.95) + 80;
  EXPECT_DOUBLE_EQ(s.hpcc.reference(), cut);
  for (unsigned stage = 1; stage <= 5; ++stage) {
    round(51'200);
    EXPECT_DOUBLE_EQ(s.hpcc.reference(), cut + 80 * stage);
    EXPECT_EQ(s.hpcc.stage(), stage);
  }
  round(51'200);
  EXPECT_DOUBLE_EQ(s.hpcc.reference(), (cut + 400) / (0.512 / 0.95) + 80);
  EXPECT_EQ(s.hpcc.stage(), 0u);
}

TEST(Hpcc, WithoutStagesTheWindowAlwaysFollowsTheLoad) {
  HpccParameters p = parameters();
  p.max_stage = 0;
  p.window = false;
  Sender s(p);
  s.ack(1, 1, {port(1_us, 0, 0)});
  s.ack(3, 3, {port(9_us, 204'800, 0)});
  const double cut = bdp / (2.048 / 0.95) + 80;
  EXPECT_DOUBLE_EQ(s.hpcc.reference(), cut);
  s.ack(5, 5, {port(17_us, 256'000, 0)});
  EXPECT_DOUBLE_EQ(s.hpcc.reference(), cut / (0.512 / 0.95) + 80);
  EXPECT_EQ(s.hpcc.window(), no_window);
}

TEST(Hpcc, TheFullestLinkDecidesAndTheSmallerQueueCounts) {
  Sender s(parameters());
  s.ack(1, 100, {port(1_us, 0, 0), port(1_us, 0, 32'000), port(1_us, 0, 96'000)});
  s.ack(2, 101, {port(9_us, 51'200, 0), port(9_us, 76'800, 0), port(9_us, 38'400, 64'000)});
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), 0.384 + 0.64);
}

TEST(Hpcc, StacksOfAnotherPathAndOldOnesAreNotCompared) {
  Sender s(parameters());
  s.ack(1, 100, {port(1_us, 0, 0)}, 2_us);
  s.ack(2, 101, {port(9_us, 204'800, 0)}, 10_us, 7);  // another path
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), 1.0);
  s.ack(3, 102, {port(17_us, 204'800, 0), port(17_us, 0, 0)}, 18_us, 7);  // another length
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), 1.0);
  s.ack(4, 103, {port(25_us, 256'000, 0), port(25_us, 0, 0)}, 26_us, 7);
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), 0.512);
  s.ack(5, 104, {port(8'025_us, 512'000, 0), port(8'025_us, 0, 0)}, 8'026_us, 7);  // 8 ms later
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), 0.512);
  s.ack(6, 105, {port(8'033_us, 537'600, 0), port(8'033_us, 0, 0)}, 8'034_us, 7);
  EXPECT_DOUBLE_EQ(s.hpcc.in_flight(), 0.256);
}

TEST(Hpcc, TheWindowKeepsAboveTheLeastRate) {
  Sender s(parameters());
  s.ack(1, 1, {port(1_us, 0, 0)});
  for (std::uint32_t i = 1; i < 200; ++i)
    s.ack(1 + 2 * i, 1 + 2 * i, {port(1_us + round_trip * i, 102'400 * i, 20'000'000)});
  EXPECT_EQ(s.hpcc.rate(0_ps), BitRate(100'000'000));
}

// ---- what a record holds

TEST(HopRecord, KeepsUnitsWrapsAndSaturates) {
  const HopRecord a = port(16'777_us, 134'217'728 - 128, 321);
  EXPECT_EQ(a.rate(), line);
  EXPECT_EQ(a.queue(), 320_B);
  const HopRecord b = port(16'777_us + 500_ns, 134'217'728 + 127, 30'000'000);
  EXPECT_EQ(b.sent_since(a), 128_B);
  EXPECT_EQ(b.time_since(a), 500_ns);
  EXPECT_EQ(b.queue(), Bytes(65535 * 320));
  EXPECT_EQ(port(16'777'215_ns + 2_ns, 0, 0).time_since(port(16'777'215_ns, 0, 0)), 2_ns);
}

TEST(HopRecord, UnitsGrowWithTheRate) {
  for (const auto& [rate, sent, queue] : {std::tuple{10_Gbps, 128, 80},
                                          {25_Gbps, 128, 80},
                                          {50_Gbps, 128, 160},
                                          {200_Gbps, 256, 640},
                                          {1600_Gbps, 2048, 5120}}) {
    const unsigned code = *telemetry_code(rate);
    const auto record = [&](std::uint64_t s, std::int64_t q) {
      return HopRecord(code, 0_ps, s, Bytes(q));
    };
    EXPECT_EQ(record(static_cast<std::uint64_t>(sent), queue).sent_since(record(0, 0)),
              Bytes(sent));
    EXPECT_EQ(record(static_cast<std::uint64_t>(sent) - 1, 0).sent_since(record(0, 0)), 0_B);
    EXPECT_EQ(record(0, queue).queue(), Bytes(queue));
    EXPECT_EQ(record(0, queue - 1).queue(), 0_B);
  }
  EXPECT_FALSE(telemetry_code(BitRate(37)));
}

}  // namespace
}  // namespace horae::policy::hpcc_test
