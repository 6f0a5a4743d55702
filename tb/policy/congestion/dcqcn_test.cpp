// DCQCN's reaction point in the paper's form, against closed forms.
#include <algorithm>
#include <cmath>

#include "dcqcn_script.hpp"

namespace horae::policy::dcqcn_test {
namespace {

constexpr double one = Dcqcn::alpha_one;

TEST(DcqcnPaper, LineRateUntilTheFirstCnp) {
  auto r = reaction_point(parameters("paper"));
  r.on_sent(Bytes(100'000'000), 1_ms);
  EXPECT_EQ(r.rate(1000_ms), line_rate);
  EXPECT_FALSE(r.limited(1000_ms));
  EXPECT_EQ(r.byte_stage(1000_ms), 0u);
}

// The first CNP meets alpha = 1 and leaves it there: with CNPs before the alpha timer expires every
// one halves the rate.
TEST(DcqcnPaper, CnpsInARowHalve) {
  auto p = parameters("paper");
  auto r = reaction_point(p);
  for (int n = 1; n <= 10; ++n) {
    r.on_cnp(50_us * n);
    const BitRate expected(
        std::max<std::int64_t>((line_rate.count() + (1 << n) - 1) >> n, p.min_rate.count()));
    EXPECT_EQ(r.rate(50_us * n), expected) << n;
    EXPECT_EQ(r.alpha(50_us * n), Dcqcn::alpha_one);
  }
}

// CNPs every 60 us: one alpha update by the timer and one increase by the rate timer between two of
// them; rate and alpha as the recurrences have it.
TEST(DcqcnPaper, RateAfterNCnpsIsTheProductOfTheCuts) {
  auto p = parameters("paper");
  p.rate_timer = 1000_ms;  // no increase between
  p.min_rate = mbps(1);
  auto r = reaction_point(p);
  std::uint64_t alpha = Dcqcn::alpha_one;
  BitRate rate = line_rate;
  double product = 1.0, alpha_real = 1.0;
  const double g = 1.0 / 256;
  for (int n = 0; n < 12; ++n) {
    const Picoseconds now = 120_us * n;  // the timer expires at 55 and 110 us
    if (n > 0) {
      for (int k = 0; k < 2; ++k) alpha -= (alpha * 4 + 1023) / 1024;
      alpha_real *= (1 - g) * (1 - g);
    }
    const BitRate target = rate;
    rate = after_cut(rate, alpha);
    product *= 1 - alpha_real / 2;
    alpha = alpha - (alpha * 4 + 1023) / 1024 + Dcqcn::alpha_one / 256;
    alpha_real = (1 - g) * alpha_real + g;
    r.on_cnp(now);
    ASSERT_EQ(r.rate(now), rate) << n;
    ASSERT_EQ(r.alpha(now), alpha) << n;
    EXPECT_EQ(r.target(now), target) << n;
  }
  EXPECT_NEAR(static_cast<double>(rate.count()), 100e9 * product, 100e9 * product * 1e-6);
}

TEST(DcqcnPaper, ACnpSetsTheTargetToTheRateBefore) {
  auto r = reaction_point(parameters("paper"));
  r.on_cnp(0_us);
  EXPECT_EQ(r.target(0_us), line_rate);
  r.on_cnp(10_us);
  EXPECT_EQ(r.target(10_us), 50_Gbps);
  EXPECT_EQ(r.rate(10_us), 25_Gbps);
}

TEST(DcqcnPaper, AlphaDecaysByItsTimerFromTheLastCnpOn) {
  auto r = reaction_point(parameters("paper"));
  r.on_cnp(0_us);
  r.on_cnp(20_us);
  for (int k = 1; k <= 100; ++k) {
    const double expected = one * std::pow(1 - 1.0 / 256, k);
    const double before = one * std::pow(1 - 1.0 / 256, k - 1);
    // Each update rounds down by less than one of 2^30.
    EXPECT_NEAR(static_cast<double>(r.alpha(20_us + 55_us * k - 1_ps)), before, k);
    EXPECT_NEAR(static_cast<double>(r.alpha(20_us + 55_us * k)), expected, k);
  }
}

// A CNP restarts the timer: CNPs just within it keep alpha from ever decaying.
TEST(DcqcnPaper, AnUpdateOfAlphaAtTheTimeOfACnpComesFirst) {
  auto r = reaction_point(parameters("paper"));
  r.on_cnp(0_us);
  r.on_cnp(55_us - 1_ps);
  EXPECT_EQ(r.alpha(55_us - 1_ps), Dcqcn::alpha_one);
  r.on_cnp(110_us - 1_ps);  // 55 us later: first (1 - g), then the cut by that alpha
  const std::uint64_t decayed = Dcqcn::alpha_one / 256 * 255;
  EXPECT_EQ(r.alpha(110_us - 1_ps), decayed / 256 * 255 + Dcqcn::alpha_one / 256);
}

// Fast recovery: the gap to the target is halved by every expiry, at the time of expiry.
TEST(DcqcnPaper, FastRecoveryHalvesTheGap) {
  auto r = reaction_point(parameters("paper"));
  r.on_cnp(7_us);
  for (int n = 1; n < 5; ++n) {
    const auto gap = [](int halvings) { return bps(50'000'000'000 >> halvings); };
    EXPECT_EQ(r.rate(7_us + 55_us * n - 1_ps), line_rate - gap(n - 1));
    EXPECT_EQ(r.rate(7_us + 55_us * n), line_rate - gap(n));
    EXPECT_EQ(r.time_stage(7_us + 55_us * n), static_cast<unsigned>(n));
  }
}

/// A rate point far below the line, with the target at 12.5 Gbps: three CNPs at 0.
Dcqcn low(const DcqcnParameters& p) {
  auto r = reaction_point(p);
  for (int n = 0; n < 4; ++n) r.on_cnp(0_us);
  EXPECT_EQ(r.rate(0_us), bps(6'250'000'000));
  EXPECT_EQ(r.target(0_us), bps(12'500'000'000));
  return r;
}

TEST(DcqcnPaper, AdditiveIncreaseFromTheThresholdOn) {
  auto r = low(parameters("paper"));
  BitRate target(12'500'000'000);
  EXPECT_EQ(r.target(55_us * 5 - 1_ps), target);
  for (int n = 5; n <= 40; ++n) {
    target += mbps(40);
    const BitRate before = r.rate(55_us * n - 1_ps);
    EXPECT_EQ(r.target(55_us * n), target) << n;
    EXPECT_EQ(r.rate(55_us * n), (before + target + bps(1)) / 2) << n;
  }
  // In the limit the rate follows 40 Mbps behind: half the gap is closed as fast as it grows.
  EXPECT_NEAR(static_cast<double>((target - r.rate(55_us * 40)).count()), 40e6, 1e3);
}

// Both counters are needed for hyper increase, i = min(T, B) - F times the step.
TEST(DcqcnPaper, HyperIncreaseNeedsBothCounters) {
  auto p = parameters("paper");
  p.byte_counter = 1'000'000;
  auto r = low(p);
  for (int n = 1; n <= 9; ++n) r.on_sent(Bytes(1'000'000), 1_us);  // B = 9: 5 additive steps
  BitRate target = bps(12'500'000'000) + mbps(40) * 5;
  EXPECT_EQ(r.target(1_us), target);
  EXPECT_EQ(r.byte_stage(1_us), 9u);
  for (int n = 1; n <= 5; ++n) target += mbps(40);  // T = 1 to 5: still additive
  EXPECT_EQ(r.target(55_us * 5), target);
  EXPECT_EQ(r.target(55_us * 6 - 1_ps), target);
  for (int n = 6; n <= 9; ++n) {
    target += mbps(50) * (n - 5);
    EXPECT_EQ(r.target(55_us * n), target) << n;
  }
  target += mbps(50) * 4;  // T = 10, B = 9
  EXPECT_EQ(r.target(55_us * 10), target);
}

TEST(DcqcnPaper, ByteCounterIncreasesAtItsBytesAndKeepsTheRest) {
  auto r = reaction_point(parameters("paper"));
  r.on_cnp(0_us);
  r.on_sent(Bytes(9'999'999), 1_us);
  EXPECT_EQ(r.rate(1_us), 50_Gbps);
  r.on_sent(Bytes(1), 2_us);
  EXPECT_EQ(r.rate(2_us), 75_Gbps);
  r.on_sent(Bytes(10'000'001), 3_us);
  EXPECT_EQ(r.byte_stage(3_us), 2u);
  r.on_sent(Bytes(9'999'998), 4_us);
  EXPECT_EQ(r.byte_stage(4_us), 2u);
  r.on_sent(Bytes(1), 4_us);
  EXPECT_EQ(r.byte_stage(4_us), 3u);
  r.on_sent(Bytes(9'999'999), 5_us);
  r.on_cnp(6_us);  // clears the counter
  r.on_sent(Bytes(9'999'999), 7_us);
  EXPECT_EQ(r.byte_stage(7_us), 0u);
}

TEST(DcqcnPaper, TheUnitOfTheByteCounterMultiplies) {
  auto p = parameters("paper");
  p.byte_counter = 32767;
  p.byte_counter_unit = Bytes(64);
  auto r = reaction_point(p);
  r.on_cnp(0_us);
  r.on_sent(Bytes(32767 * 64 - 1), 1_us);
  EXPECT_EQ(r.byte_stage(1_us), 0u);
  r.on_sent(Bytes(1), 1_us);
  EXPECT_EQ(r.byte_stage(1_us), 1u);
}

TEST(DcqcnPaper, RateStaysBetweenTheLeastAndTheLine) {
  auto r = reaction_point(parameters("paper"));
  for (int n = 0; n < 20; ++n) {
    r.on_cnp(10_us * n);
    EXPECT_GE(r.rate(10_us * n), mbps(40));
  }
  EXPECT_EQ(r.rate(200_us), mbps(40));
  bool reached = false;
  for (int n = 0; n < 4000; ++n) {
    const Picoseconds now = 200_us + 55_us * n;
    ASSERT_LE(r.rate(now), line_rate);
    ASSERT_LE(r.target(now), line_rate);
    reached |= r.rate(now) == line_rate;
  }
  EXPECT_TRUE(reached);  // rounding does not keep it below for ever
}

}  // namespace
}  // namespace horae::policy::dcqcn_test
