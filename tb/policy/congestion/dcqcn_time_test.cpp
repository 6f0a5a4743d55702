// DCQCN's timers run when asked: what that must not change, and what it must cost.
#include <algorithm>
#include <chrono>

#include "dcqcn_script.hpp"
#include "horae/core/random.hpp"

namespace horae::policy::dcqcn_time_test {
namespace {

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
      // The cut meets alpha 0, or g by the time of the cut.
      ASSERT_GT(r.rate(long_after + 2 * p.cut_period), 99_Gbps);
    }
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

}  // namespace
}  // namespace horae::policy::dcqcn_time_test
