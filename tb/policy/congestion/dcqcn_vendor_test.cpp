// DCQCN's reaction point in the vendor's form, with the vendor's parameters and the HPCC
// simulator's.
#include <cmath>

#include "dcqcn_script.hpp"

namespace horae::policy::dcqcn_vendor_test {
namespace {

constexpr double one = Dcqcn::alpha_one;

TEST(DcqcnVendor, FirstCutIsAtTheEndOfThePeriodWithTheAlphaThen) {
  auto r = reaction_point(parameters("vendor"));
  r.on_cnp(10_us);
  EXPECT_EQ(r.rate(14_us - 1_ps), line_rate);
  // Four updates of alpha, the last at the time of the cut, before it.
  std::uint64_t alpha = Dcqcn::alpha_one / 1024 * 1023;
  for (int k = 0; k < 4; ++k) alpha = alpha * 1019 / 1024;
  EXPECT_EQ(r.rate(14_us), after_cut(line_rate, alpha));
  EXPECT_EQ(r.alpha(14_us), alpha);
  EXPECT_NEAR(r.rate(14_us).count() / 100e9, 1 - std::pow(1019 / 1024., 4) * 1023 / 2048, 1e-9);
  EXPECT_EQ(r.target(14_us), line_rate);
}

// alpha of the first cut, four updates after the first CNP: (255/256)^4 of 1. So 100 Gbps become
// 50.777 Gbps.
TEST(DcqcnVendor, FirstCutOfTheLonghaulSet) {
  auto r = reaction_point(parameters("longhaul"));
  r.on_cnp(10_us);
  EXPECT_EQ(r.rate(14_us - 1_ps), line_rate);
  EXPECT_NEAR(r.rate(14_us).count() / 1e9, 100 * (1 - std::pow(255 / 256., 4) / 2), 1e-6);
  EXPECT_NEAR(r.rate(14_us).count() / 1e9, 50.777, 0.0005);
}

TEST(DcqcnVendor, AnyNumberOfCnpsInAPeriodCutsOnce) {
  auto once = reaction_point(parameters("vendor"));
  auto often = reaction_point(parameters("vendor"));
  for (auto* r : {&once, &often}) r->on_cnp(0_us);
  once.on_cnp(5_us);
  for (int n = 0; n < 30; ++n) often.on_cnp(5_us + 10_ns * n);
  const BitRate first = often.rate(4_us);
  EXPECT_EQ(often.rate(8_us - 1_ps), first);
  EXPECT_LT(often.rate(8_us), first);
  EXPECT_EQ(often.rate(8_us), once.rate(8_us));
  EXPECT_EQ(often.rate(12_us), often.rate(8_us));  // the next period had none
}

// Periods are counted from the first CNP, and a CNP at the end of one belongs to the next.
TEST(DcqcnVendor, PeriodsKeepTheirPhase) {
  auto r = reaction_point(parameters("vendor"));
  r.on_cnp(1_us);
  const BitRate first = r.rate(5_us);
  r.on_cnp(41_us - 1_ps);
  EXPECT_EQ(r.rate(41_us - 1_ps), first);
  const BitRate second = r.rate(41_us);
  EXPECT_LT(second, first);
  r.on_cnp(45_us);
  EXPECT_EQ(r.rate(49_us - 1_ps), second);
  EXPECT_LT(r.rate(49_us), second);
}

// Alpha of every microsecond with a CNP rises by g, of others it decays.
TEST(DcqcnVendor, AlphaCountsPeriodsWithCnps) {
  auto r = reaction_point(parameters("vendor"));
  r.on_cnp(0_us);
  double alpha = 1023 / 1024.0;
  const double g = 5 / 1024.0;
  for (int k = 1; k <= 400; ++k) {
    const Picoseconds end = 1_us * k;
    const bool marked = k % 3 == 0;
    if (marked) {
      r.on_cnp(end - 700_ns);
      r.on_cnp(end - 1_ps);
    }
    EXPECT_NEAR(static_cast<double>(r.alpha(end - 1_ps)), alpha * one, k);
    alpha = (1 - g) * alpha + (marked ? g : 0);
    EXPECT_NEAR(static_cast<double>(r.alpha(end)), alpha * one, k);
  }
}

TEST(DcqcnVendor, ACutLeavesTheLeastShare) {
  auto p = parameters("vendor");
  p.cut_log2 = 10;  // all of alpha: would leave next to nothing
  auto r = reaction_point(p);
  r.on_cnp(0_us);
  EXPECT_EQ(r.rate(4_us), 50_Gbps);
  p.least_kept = 25;
  auto deeper = reaction_point(p);
  deeper.on_cnp(0_us);
  EXPECT_EQ(deeper.rate(4_us), 25_Gbps);
  p.least_kept = 0;
  auto unbounded = reaction_point(p);
  unbounded.on_cnp(0_us);
  EXPECT_LT(unbounded.rate(4_us), bps(2'100'000'000));
}

TEST(DcqcnVendor, LeastRate) {
  auto p = parameters("vendor");
  p.byte_counter = 0;
  auto r = reaction_point(p);
  for (int n = 0; n < 60; ++n) r.on_cnp(4_us * n);
  EXPECT_EQ(r.rate(240_us), mbps(1));
}

// Without byte counter: fast recovery, one additive step, then hyper increase.
TEST(DcqcnVendor, StagesOfTheTimerAlone) {
  auto p = parameters("vendor");
  p.byte_counter = 0;
  p.clamp_target = true;
  auto r = reaction_point(p);
  r.on_cnp(0_us);
  r.on_cnp(5_us);
  const BitRate target = r.rate(4_us);
  const BitRate rate = r.rate(8_us);
  const auto at = [](int n) { return 8_us + 300_us * n; };
  EXPECT_EQ(r.target(8_us), target);
  EXPECT_EQ(r.rate(at(1) - 1_ps), rate);
  EXPECT_EQ(r.rate(at(1)), (rate + target + bps(1)) / 2);
  EXPECT_EQ(r.target(at(1)), target);
  EXPECT_EQ(r.target(at(2) - 1_ps), target);
  EXPECT_EQ(r.target(at(2)), target + mbps(5));
  EXPECT_EQ(r.target(at(3) - 1_ps), target + mbps(5));
  for (int n = 3; n < 10; ++n) EXPECT_EQ(r.target(at(n)), target + mbps(5) + mbps(50) * (n - 2));
}

// With it: hyper increase once both counters are beyond the threshold, and always by one step.
TEST(DcqcnVendor, StagesOfBothCounters) {
  auto p = parameters("vendor");
  p.clamp_target = true;
  auto r = reaction_point(p);
  r.on_cnp(0_us);
  r.on_cnp(5_us);
  BitRate target = r.rate(4_us);
  const auto sends = [&] { r.on_sent(Bytes(32767), 9_us); };
  r.rate(9_us);
  sends();  // B was 0: fast recovery
  EXPECT_EQ(r.target(9_us), target);
  for (int n = 0; n < 5; ++n) sends();  // B was 1 to 5, T 0: additive
  target += mbps(5) * 5;
  EXPECT_EQ(r.target(9_us), target);
  EXPECT_EQ(r.target(308_us), target + mbps(5));   // T was 0
  EXPECT_EQ(r.target(608_us), target + mbps(10));  // T was 1, not beyond
  target += mbps(10);
  for (int n = 1; n < 5; ++n) EXPECT_EQ(r.target(608_us + 300_us * n), target + mbps(50) * n);
}

// The target moves with a cut only if the rate rose since the last one.
TEST(DcqcnVendor, TargetIsClampedAfterIncreases) {
  for (const bool by_time : {false, true}) {
    for (const bool after_time : {false, true}) {
      auto p = parameters("vendor");
      p.clamp_after_time = after_time;
      auto r = reaction_point(p);
      r.on_cnp(0_us);
      r.on_cnp(5_us);
      EXPECT_EQ(r.target(8_us), line_rate);  // two cuts, none clamped
      Picoseconds now = 9_us;
      if (by_time) now = 308_us;
      if (!by_time) r.on_sent(Bytes(32767), now);
      const BitRate raised = r.rate(now);
      r.on_cnp(now);
      const Picoseconds later = now + 4_us;
      EXPECT_LT(r.rate(later), raised);
      EXPECT_EQ(r.target(later), by_time && !after_time ? line_rate : raised);
    }
  }
}

// An increase and a cut at the same time: the increase is first, so the cut has it to clamp to.
TEST(DcqcnVendor, AnIncreaseAtTheTimeOfACutComesFirst) {
  auto r = reaction_point(parameters("vendor"));
  r.on_cnp(0_us);
  const BitRate cut = r.rate(4_us);
  r.on_cnp(303_us);  // cut due at 304, as is the increase
  const BitRate raised = (cut + line_rate + bps(1)) / 2;
  EXPECT_EQ(r.target(304_us), raised);
  EXPECT_LT(r.rate(304_us), raised);
}

TEST(DcqcnVendor, FirstCnpRateSetsRateAndTarget) {
  auto p = parameters("vendor");
  p.first_cnp_rate = 20_Gbps;
  auto r = reaction_point(p);
  r.on_cnp(0_us);
  EXPECT_EQ(r.rate(0_us), 20_Gbps);
  EXPECT_EQ(r.target(0_us), 20_Gbps);
  const BitRate cut = r.rate(4_us);
  EXPECT_LT(cut, bps(10'300'000'000));
  r.on_cnp(5_us);
  EXPECT_EQ(r.rate(8_us - 1_ps), cut);
}

// Back at the line the limiter goes, and the next CNP is a first one.
TEST(DcqcnVendor, ReleasedWithinAUnitOfTheLine) {
  for (const bool releases : {true, false}) {
    auto p = parameters("vendor");
    p.release_at_line = releases;
    auto r = reaction_point(p);
    r.on_cnp(0_us);
    // The gap of about 49 Gbps is halved until it is below 1 Mbps: 16 times.
    const Picoseconds recovered = 4_us + 300_us * 16;
    EXPECT_GT(line_rate - r.rate(recovered - 1_ps), mbps(1));
    EXPECT_TRUE(r.limited(recovered - 1_ps));
    EXPECT_EQ(r.limited(recovered), !releases);
    if (releases) {
      EXPECT_EQ(r.rate(recovered), line_rate);
    }
    r.on_cnp(5000_us);
    const BitRate cut = r.rate(5004_us);
    EXPECT_EQ(cut < bps(52'000'000'000), releases);
    EXPECT_EQ(cut > bps(99'000'000'000), !releases);
  }
}

// A limiter that a cut of nothing left at the line goes with the next expiry of the rate timer.
TEST(DcqcnVendor, ReleasedIfItNeverLeftTheLine) {
  auto config = reacting("saturating_cut");
  config.parameters.of<NackCut>().rate_kept = 100;
  auto r = reaction_point(parameters("vendor"), config);
  r.on_nack(0_us);
  EXPECT_TRUE(r.limited(300_us - 1_ps));
  EXPECT_FALSE(r.limited(300_us));
}

// A CNP that waits for its cut is not lost to the release.
TEST(DcqcnVendor, NotReleasedWhileACutIsDue) {
  auto r = reaction_point(parameters("vendor"));
  r.on_cnp(0_us);
  r.on_sent(Bytes(32767) * 3, 1_us);  // still at the line rate
  EXPECT_TRUE(r.limited(1_us));
  EXPECT_LT(r.rate(4_us), bps(52'000'000'000));
}

TEST(DcqcnHpcc, CutAndStagesInProportionToTheLine) {
  auto r = reaction_point(parameters("hpcc"));
  r.on_cnp(0_us);
  std::uint64_t alpha = Dcqcn::alpha_one;
  for (int k = 0; k < 4; ++k) alpha = alpha * 255 / 256;
  const BitRate first = after_cut(line_rate, alpha);
  EXPECT_EQ(r.rate(4_us), first);
  r.on_cnp(5_us);
  const BitRate second = r.rate(8_us);
  EXPECT_EQ(r.target(8_us), line_rate);
  EXPECT_EQ(r.rate(308_us), (second + line_rate + bps(1)) / 2);
  r.on_cnp(309_us);  // clamps: the timer raised the rate
  BitRate target = r.rate(311_us);
  EXPECT_EQ(r.target(312_us), target);
  EXPECT_EQ(r.target(612_us), target);
  EXPECT_EQ(r.target(912_us), target + mbps(20));
  EXPECT_EQ(r.target(1212_us), target + mbps(220));
}

}  // namespace
}  // namespace horae::policy::dcqcn_vendor_test
