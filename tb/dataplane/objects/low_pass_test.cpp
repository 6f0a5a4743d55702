// Averages over time against their closed forms, and drops by them.
#include "horae/dataplane/low_pass.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "broken_rule.hpp"
#include "horae/core/error.hpp"

namespace horae::dataplane::low_pass_test {
namespace {

constexpr auto in = Gress::ingress;

struct LowPasses : PassesOfAPacket {
  Pass at(Picoseconds t) { return Pass(packet, {2, in}, ++serial_, 0, t); }
  std::uint64_t serial_ = 1000;
};

// e^(-t/tau) of a million, to one part in a thousand (times are cut to 1/256 of a halving).
TEST(MovingAverage, DecaysByTheExponential) {
  for (const double t : {0.01, 0.1, 0.5, 1.0, 2.0, 5.0}) {
    const auto waited = Picoseconds(static_cast<std::int64_t>(t * 1e6));
    const auto left = static_cast<double>(MovingAverage::decayed(1'000'000, waited, 1_us));
    EXPECT_NEAR(left / 1e6, std::exp(-t), 0.003 * std::exp(-t)) << t;
  }
  EXPECT_EQ(MovingAverage::decayed(1'000'000, Picoseconds{}, 1_us), 1'000'000u);
  EXPECT_EQ(MovingAverage::decayed(1'000'000, 1_us, Picoseconds{}), 0u);
  EXPECT_EQ(MovingAverage::decayed(~std::uint64_t{0} >> 16, 100_us, 1_us), 0u);
}

TEST_F(LowPasses, ASampleMovesTowardsItsValuesByTwoConstants) {
  LowPass filter(pipeline, in, "lpf", {.entries = 2, .kind = MeterKind::lpf});
  EXPECT_EQ(filter.execute(at(1_us), 1, 77), 77u);  // without a setting
  filter.set(1, {.rising = 1_us, .falling = 4_us});
  EXPECT_EQ(filter.execute(at(2_us), 1, 1000), 1000u);  // the first is the average
  EXPECT_NEAR(static_cast<double>(filter.execute(at(6_us), 1, 0)), 1000 * std::exp(-1.0), 2);
  const double low = 1000 * std::exp(-1.0);
  EXPECT_NEAR(static_cast<double>(filter.execute(at(7_us), 1, 1000)),
              1000 - (1000 - low) * std::exp(-1.0), 3);
  // At once nothing changes: no time has passed.
  EXPECT_NEAR(static_cast<double>(filter.execute(at(7_us), 1, 0)),
              1000 - (1000 - low) * std::exp(-1.0), 3);
}

// Equal values at equal distances: the sum of a geometric series, divided by the scale.
TEST_F(LowPasses, ARateAddsUpAndDecays) {
  LowPass filter(pipeline, in, "lpf", {.entries = 1, .kind = MeterKind::lpf});
  filter.set(0, {.rate = true, .falling = 10_us, .out_shift = 2});
  std::uint64_t last = 0;
  for (int i = 0; i < 200; ++i) last = filter.execute(at(Picoseconds(1'000'000 * i)), 0, 1000);
  EXPECT_NEAR(static_cast<double>(last), 1000 / (1 - std::exp(-0.1)) / 4, 12);
}

TEST_F(LowPasses, OnceAPassAndWithinItsCells) {
  LowPass filter(pipeline, in, "lpf", {.entries = 1, .kind = MeterKind::lpf});
  Pass pass = at(1_us);
  filter.execute(pass, 0, 1);
  EXPECT_THROW(filter.execute(pass, 0, 1), ModelError);
  EXPECT_THROW(filter.execute(at(1_us), 1, 1), ModelError);
  EXPECT_THROW(filter.set(1, {}), ModelError);
}

// Without memory the average is the value: never below, always from `most` on, in proportion
// between them.
TEST_F(LowPasses, EarlyDropsInProportion) {
  EarlyDrop red(pipeline, in, "wred", {.entries = 1, .kind = MeterKind::wred});
  EXPECT_FALSE(red.execute(at(1_us), 0, 1'000'000));  // without a setting
  red.set(0, {.average = {}, .least = 100, .most = 300, .most_percent = 50});
  const auto drops = [&](std::uint64_t value) {
    int n = 0;
    for (int i = 0; i < 4000; ++i) n += red.execute(at(Picoseconds(i + 1)), 0, value) ? 1 : 0;
    return n;
  };
  EXPECT_EQ(drops(99), 0);
  EXPECT_EQ(drops(300), 4000);
  EXPECT_NEAR(drops(200), 1000, 120);  // half of 50 %
  EXPECT_THROW(red.set(0, {.average = {}, .least = 2, .most = 1}), ModelError);
}

}  // namespace
}  // namespace horae::dataplane::low_pass_test
