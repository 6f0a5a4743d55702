// DCQCN's reaction point against closed forms.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "dcqcn_script.hpp"
#include "horae/core/random.hpp"

namespace horae::policy {
namespace {

constexpr double one = Dcqcn::alpha_one;
constexpr BitRate bps(std::int64_t n) { return BitRate(n); }

/// rate * (1 - alpha / 2): the bits that are left, what is taken rounded down.
BitRate after_cut(BitRate rate, std::uint64_t alpha) {
  const auto taken = static_cast<horae::detail::Wide>(rate.count()) * alpha / 2 / Dcqcn::alpha_one;
  return rate - BitRate(static_cast<std::int64_t>(taken));
}

// --- the paper's form ---

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

// --- the vendor's form ---

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
  config.nack_rate_kept = 100;
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

// --- the HPCC simulator's parameters ---

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

// --- time ---

struct Call {
  enum Kind { cnp, sent, nack } kind;
  Picoseconds at;
  Bytes bytes;
};

void apply(Dcqcn& r, const Call& call) {
  if (call.kind == Call::cnp) r.on_cnp(call.at);
  if (call.kind == Call::sent) r.on_sent(call.bytes, call.at);
  if (call.kind == Call::nack) r.on_nack(call.at);
}

// Asked only at events, or at any number of times between: the same state.
TEST(DcqcnTime, LazyAdvanceEqualsSteppingInRandomSteps) {
  RandomStream random(1, "dcqcn.property");
  for (int run = 0; run < 300; ++run) {
    auto p = parameters(dcqcn_parameter_sets()[random.below(3)].name);
    p.release_at_line = random.below(2) == 1;
    p.clamp_target = random.below(2) == 1;
    if (random.below(2) == 1) p.byte_counter = 50'000;
    if (random.below(2) == 1) p.rate_timer = 20_us;
    if (random.below(2) == 1) p.hyper_increase = 5_Gbps;
    const auto reaction = reacting(nack_reactions()[random.below(6)].name);
    auto lazy = reaction_point(p, reaction);
    auto stepped = reaction_point(p, reaction);
    Picoseconds now{};
    for (int event = 0; event < 60; ++event) {
      // On a grid of 500 ns half the time, so that events meet timers.
      const std::uint32_t range = random.below(4) == 0 ? 4'000'000 : 40'000;
      Picoseconds gap = 1_ns * random.below(range);
      if (random.below(2) == 1) gap = gap / 500'000 * 500'000;
      const Picoseconds until = now + gap;
      for (int steps = 0; steps < 200 && now < until; ++steps) {
        now = std::min(until, now + 1_ns * (1 + random.below(20'000)));
        const auto what = random.below(4);
        if (what == 0) stepped.alpha(now);
        if (what > 0) stepped.rate(now);
      }
      now = until;
      const auto kind = random.below(8);
      const Call call{kind == 0  ? Call::nack
                      : kind < 4 ? Call::cnp
                                 : Call::sent,
                      now, Bytes(1 + random.below(150'000))};
      apply(lazy, call);
      apply(stepped, call);
    }
    now += 1_us * random.below(1000);
    ASSERT_EQ(lazy.rate(now), stepped.rate(now)) << run;
    ASSERT_EQ(lazy.target(now), stepped.target(now)) << run;
    ASSERT_EQ(lazy.alpha(now), stepped.alpha(now)) << run;
    ASSERT_EQ(lazy.time_stage(now), stepped.time_stage(now)) << run;
    ASSERT_EQ(lazy.byte_stage(now), stepped.byte_stage(now)) << run;
    ASSERT_EQ(lazy.limited(now), stepped.limited(now)) << run;
  }
}

// After ten seconds, ten million expiries of alpha's timer: the state of a short while, and at
// once. Ten thousand queue pairs would take minutes if each expiry were run.
TEST(DcqcnTime, LongIdleIsCheap) {
  const Picoseconds long_after = 10'000_ms;
  const auto start = std::chrono::steady_clock::now();
  for (const auto& set : dcqcn_parameter_sets()) {
    for (int qp = 0; qp < 300; ++qp) {
      auto p = parameters(set.name);
      p.release_at_line = false;
      p.rate_timer = 1_us;
      auto r = reaction_point(p);
      for (int n = 0; n < 3; ++n) r.on_cnp(10_us * n);
      ASSERT_EQ(r.rate(long_after), line_rate);
      ASSERT_EQ(r.alpha(long_after), 0u);
      r.on_cnp(long_after);
      // What it meets is alpha 0, or g by the time of the cut.
      ASSERT_GT(r.rate(long_after + 2 * p.cut_period), 99_Gbps);
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace horae::policy
