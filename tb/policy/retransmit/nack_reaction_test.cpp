// Effect of a NACK on a queue pair's rate, reaction by reaction.
#include "dcqcn_script.hpp"

namespace horae::policy::nack_reaction_test {
namespace {

Dcqcn reaction_to_nacks(const CongestionConfig& config, std::string_view set = "paper") {
  return reaction_point(parameters(set), config);
}

/// Everything there is to see.
std::vector<std::int64_t> state(Dcqcn& r, Picoseconds now) {
  return {r.rate(now).count(), r.target(now).count(), static_cast<std::int64_t>(r.alpha(now)),
          r.time_stage(now),   r.byte_stage(now),     r.limited(now)};
}

// CNPs have the same effect under every reaction as long as no NACK comes and no floor is met.
TEST(NackReaction, CnpsKeepTheirPath) {
  for (const auto& set : dcqcn_parameter_sets()) {
    for (const auto& entry : nack_reactions()) {
      auto config = reacting(entry.name);
      config.parameters.of<NackFloor>().percent = 1;
      auto r = reaction_to_nacks(config, set.name);
      auto plain = reaction_point(parameters(set.name));
      for (int n = 0; n < 5; ++n) {
        for (auto* each : {&r, &plain}) each->on_cnp(10_us * n);
        EXPECT_EQ(state(r, 10_us * n + 9_us), state(plain, 10_us * n + 9_us)) << entry.name;
      }
      EXPECT_LT(plain.rate(49_us), bps(20'000'000'000));
    }
  }
}

// ... and after a cut by a NACK, too.
TEST(NackReaction, ACnpAfterACutOfANackCuts) {
  for (const char* name : {"saturating_cut", "slow_restart"}) {
    auto r = reaction_to_nacks(reacting(name));
    r.on_nack(0_us);
    r.on_cnp(1_us);  // alpha is that of a first CNP: halves
    EXPECT_EQ(r.rate(1_us), 25_Gbps) << name;
    EXPECT_EQ(r.target(1_us), 50_Gbps) << name;
  }
}

TEST(NackReaction, IgnoreAndPairedCnpDoNothingAtTheSender) {
  for (const char* name : {"ignore", "paired_cnp"}) {
    auto r = reaction_to_nacks(reacting(name));
    r.on_nack(0_us);
    EXPECT_EQ(r.rate(0_us), line_rate) << name;
    r.on_cnp(1_us);
    const auto before = state(r, 2_us);
    r.on_nack(2_us);
    EXPECT_EQ(state(r, 2_us), before) << name;
  }
}

TEST(NackReaction, CnpIsACnp) {
  for (const auto& set : dcqcn_parameter_sets()) {
    auto nacked = reaction_to_nacks(reacting("cnp"), set.name);
    auto notified = reaction_to_nacks(reacting("cnp"), set.name);
    for (int n = 0; n < 40; ++n) {
      const Picoseconds now = 3_us * n * (1 + n % 7);
      nacked.on_nack(now);
      notified.on_cnp(now);
      EXPECT_EQ(state(nacked, now), state(notified, now));
    }
    EXPECT_LT(nacked.rate(1000_us), line_rate);
  }
}

TEST(NackReaction, SaturatingCutOnceAGap) {
  auto config = reacting("saturating_cut");
  config.parameters.of<NackCut>().min_gap = 60_us;
  config.parameters.of<NackCut>().rate_kept = 75;
  auto p = parameters("paper");
  p.rate_timer = 1000_ms;
  auto r = reaction_point(p, config);
  r.on_nack(10_us);
  EXPECT_EQ(r.rate(10_us), 75_Gbps);
  EXPECT_EQ(r.target(10_us), line_rate);
  for (int n = 0; n < 50; ++n) r.on_nack(11_us + 1_us * n * 49 / 50);
  r.on_nack(70_us - 1_ps);
  EXPECT_EQ(r.rate(70_us - 1_ps), 75_Gbps);
  r.on_nack(70_us);
  EXPECT_EQ(r.rate(70_us), bps(56'250'000'000));
  EXPECT_EQ(r.target(70_us), line_rate);
  r.on_nack(130_us - 1_ps);
  EXPECT_EQ(r.rate(130_us - 1_ps), bps(56'250'000'000));
  r.on_nack(130_us);
  EXPECT_EQ(r.rate(130_us), bps(42'187'500'000));
}

// Recovery starts over with a cut: the first increase is a whole timer later, in fast recovery.
TEST(NackReaction, SaturatingCutRestartsRecoveryTowardsTheOldTarget) {
  auto r = reaction_to_nacks(reacting("saturating_cut"));
  r.on_nack(0_us);
  EXPECT_EQ(r.rate(55_us), 75_Gbps);
  EXPECT_EQ(r.time_stage(299_us), 5u);
  r.on_nack(300_us);
  EXPECT_EQ(r.time_stage(300_us), 0u);
  const BitRate cut = r.rate(300_us);
  EXPECT_EQ(r.rate(355_us - 1_ps), cut);
  EXPECT_EQ(r.rate(355_us), (cut + line_rate + bps(1)) / 2);
}

// It leaves alpha as the CNPs made it.
TEST(NackReaction, SaturatingCutDoesNotTouchAlpha) {
  auto r = reaction_to_nacks(reacting("saturating_cut"));
  r.on_cnp(0_us);
  const auto alpha = r.alpha(200_us);
  EXPECT_LT(alpha, Dcqcn::alpha_one);
  r.on_nack(200_us);
  EXPECT_EQ(r.alpha(200_us), alpha);
  EXPECT_LT(r.alpha(220_us), alpha);  // 55 us after the third update, as ever
}

TEST(NackReaction, TargetPolicies) {
  for (const char* name : {"saturating_cut", "slow_restart"}) {
    for (const auto& [policy, target] :
         {std::pair{NackTarget::keep, line_rate}, std::pair{NackTarget::previous, 50_Gbps},
          std::pair{NackTarget::reset, 25_Gbps}}) {
      auto config = reacting(name);
      config.parameters.of<NackCut>().target = policy;
      auto r = reaction_to_nacks(config);
      r.on_cnp(0_us);
      ASSERT_EQ(r.target(1_us), line_rate);
      r.on_nack(1_us);
      EXPECT_EQ(r.rate(1_us), 25_Gbps);
      EXPECT_EQ(r.target(1_us), target) << name;
    }
  }
}

TEST(NackReaction, NoCutGoesBelowTheLeastRate) {
  for (const char* name : {"saturating_cut", "slow_restart"}) {
    auto config = reacting(name);
    config.parameters.of<NackCut>().min_gap = 0_us;
    auto r = reaction_to_nacks(config);
    for (int n = 0; n < 40; ++n) r.on_nack(1_us);
    EXPECT_EQ(r.rate(1_us), mbps(40)) << name;
  }
}

TEST(NackReaction, FloorHoldsForNacksAndCnps) {
  for (const auto& set : dcqcn_parameter_sets()) {
    auto config = reacting("floor");
    config.parameters.of<NackFloor>().percent = 30;
    auto r = reaction_to_nacks(config, set.name);
    r.on_nack(0_us);
    EXPECT_LE(r.rate(4_us), bps(52'000'000'000));
    EXPECT_GE(r.rate(4_us), 50_Gbps);
    for (int n = 1; n < 20; ++n) n % 2 == 0 ? r.on_cnp(4_us * n) : r.on_nack(4_us * n);
    EXPECT_EQ(r.rate(80_us), 30_Gbps) << set.name;
  }
}

TEST(NackReaction, SlowRestartHalvesOnceIn300UsAndResetsTheTarget) {
  auto r = reaction_to_nacks(reacting("slow_restart"), "hpcc");
  r.on_nack(5_us);
  EXPECT_EQ(r.rate(5_us), 50_Gbps);
  EXPECT_EQ(r.target(5_us), 50_Gbps);
  for (int n = 0; n < 299; ++n) r.on_nack(6_us + 1_us * n);
  r.on_nack(305_us - 1_ps);
  EXPECT_EQ(r.rate(305_us - 1_ps), 50_Gbps);
  r.on_nack(305_us);  // an increase is due now: of nothing, towards the same target
  EXPECT_EQ(r.rate(305_us), 25_Gbps);
  EXPECT_EQ(r.target(305_us), 25_Gbps);
}

TEST(NackReaction, SlowRestartResetsAlphaAndStages) {
  auto r = reaction_to_nacks(reacting("slow_restart"));
  r.on_cnp(0_us);
  r.on_sent(Bytes(10'000'000), 190_us);
  EXPECT_LT(r.alpha(200_us), Dcqcn::alpha_one);
  EXPECT_EQ(r.time_stage(200_us), 3u);
  EXPECT_EQ(r.byte_stage(200_us), 1u);
  r.on_nack(200_us);
  EXPECT_EQ(r.alpha(255_us - 1_ps), Dcqcn::alpha_one);
  EXPECT_EQ(r.time_stage(255_us - 1_ps), 0u);
  EXPECT_LT(r.alpha(255_us), Dcqcn::alpha_one);
  EXPECT_EQ(r.time_stage(255_us), 1u);
  EXPECT_EQ(r.byte_stage(255_us), 0u);
}

// In the vendor's form a CNP still to be acted on goes with the restart, and periods begin anew.
TEST(NackReaction, SlowRestartForgetsACnpStillToCut) {
  auto r = reaction_to_nacks(reacting("slow_restart"), "vendor");
  r.on_cnp(0_us);
  r.on_nack(1_us);
  EXPECT_EQ(r.rate(100_us), 50_Gbps);
  r.on_cnp(102_us);
  EXPECT_EQ(r.rate(105_us - 1_ps), 50_Gbps);
  EXPECT_LT(r.rate(105_us), 50_Gbps);
}

}  // namespace
}  // namespace horae::policy::nack_reaction_test
