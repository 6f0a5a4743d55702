// By which rule a hypothesis is held against observations, over seeds and over other values of its
// search: with runs that are made up.
#include <gtest/gtest.h>

#include "made_up_runs.hpp"

namespace horae::lab::seed_stage_test {
namespace {

using test::MadeUp;
using Results = std::map<std::string, double>;

const Stage plain = {false, {}, "test"};
constexpr std::uint32_t first_seed = 1;

Candidate assessed(MadeUp& made) {
  Laboratory laboratory(made.q);
  Candidate c = made.candidate();
  laboratory.run_stage({&c}, plain);
  return c;
}

/// The fit is best at 18, where "far" is missed by 5. At 17 it is missed by `first` with the seed
/// of fits, and with the others so that the mean over three is 0.3 and the spread is large.
Candidate other_values(double first) {
  MadeUp made(5, [&](int window, std::uint32_t seed) -> Results {
    if (window == 18) return {{"near.x", 0.1}, {"far.x", 5}};
    if (window != 17) return {{"near.x", 3}, {"far.x", 5}};
    return {{"near.x", 0.5}, {"far.x", seed == first_seed ? first : (0.9 - first) / 2}};
  });
  made.observe("near.x", question::Use::fit);
  made.observe("far.x", question::Use::predict);
  Candidate c = assessed(made);
  // What it points to is gone with the question.
  c.comparisons.clear();
  return c;
}

TEST(SeedStage, OtherValuesCountThatMeetEverythingWithinOneTolerance) {
  const Candidate c = other_values(0.95);
  EXPECT_EQ(c.mechanism.fit.best.values, std::vector<std::string>{"17"});
  EXPECT_EQ(c.also_fitted, std::vector<std::string>{"far.x"});
}

TEST(SeedStage, OtherValuesThatMissByMoreThanOneToleranceDoNot) {
  for (const double first : {1.05, 1.5, 1.95}) {
    const Candidate c = other_values(first);
    EXPECT_EQ(c.mechanism.fit.best.values, std::vector<std::string>{"18"}) << first;
    EXPECT_TRUE(c.also_fitted.empty()) << first;
  }
}

TEST(SeedStage, OfSeveralOtherValuesTheNearestIsTaken) {
  MadeUp made(5, [](int window, std::uint32_t) -> Results {
    switch (window) {
      case 16:
        return {{"near.x", 0.9}, {"far.x", 0.2}};
      case 17:
        return {{"near.x", 0.4}, {"far.x", 0.6}};
      case 18:
        return {{"near.x", 0.1}, {"far.x", 5}};
      default:
        return {{"near.x", 0.5}, {"far.x", 0.8}};
    }
  });
  made.observe("near.x", question::Use::fit);
  made.observe("far.x", question::Use::predict);
  const Candidate c = assessed(made);
  EXPECT_EQ(c.mechanism.fit.best.values, std::vector<std::string>{"17"});
  ASSERT_EQ(c.comparisons.size(), 2u);
  for (const Compared& x : c.comparisons) EXPECT_TRUE(x.calibrated);
  EXPECT_DOUBLE_EQ(c.comparisons[0].allowances(), 0.4);
  EXPECT_DOUBLE_EQ(c.comparisons[1].allowances(), 0.6);
}

// One tolerance and twice the spread over the seeds, whichever way.
TEST(SeedStage, IsConsistentUpToToleranceAndTwiceTheSpread) {
  for (const double sign : {1.0, -1.0}) {
    for (const auto& [mean, within] : {std::pair{2.95, true}, {3.05, false}, {3.95, false}}) {
      // Of mean - 1, mean and mean + 1 the sample standard deviation is 1.
      MadeUp made(2, [&](int, std::uint32_t seed) -> Results {
        return {{"x.x", sign * (mean + static_cast<double>(seed) - 2)}};
      });
      made.observe("x.x", question::Use::predict);
      made.q.hypotheses.hypotheses.front().parameters.clear();
      made.q.observations.conditions.front().set = {{"nic.reliability.window=16", {}}};
      const Candidate c = assessed(made);
      ASSERT_EQ(c.comparisons.size(), 1u);
      EXPECT_EQ(c.comparisons[0].ours.values.size(), 3u);
      EXPECT_DOUBLE_EQ(c.comparisons[0].ours.spread, 1);
      EXPECT_EQ(c.consistent(), within) << sign * mean;
    }
  }
}

// Where a run gave nothing, nothing is consistent, and no value is the best.
TEST(SeedStage, ARunWithoutAValueIsWorseThanAnyNumber) {
  MadeUp made(5, [](int window, std::uint32_t seed) -> Results {
    if (window == 18) return {};
    if (window == 19 && seed != first_seed) return {};
    return {{"x.x", window == 19 ? 0.1 : 500}};
  });
  made.observe("x.x", question::Use::fit);
  const Candidate c = assessed(made);
  EXPECT_EQ(c.mechanism.fit.best.values, std::vector<std::string>{"19"});
  EXPECT_FALSE(c.consistent());
  EXPECT_FALSE(c.comparisons[0].ours.there);
}

// The objective is the sum of squared misses: within 1 of its best where a miss is within the root
// of 1 and the best's square.
TEST(SeedStage, ARangeEndsWhereTheObjectiveIsOneMore) {
  MadeUp made(101, [](int window, std::uint32_t) -> Results {
    return {{"x.x", (window - 66) / 10.0}, {"y.y", 0.6}};
  });
  made.q.request.seeds = 1;
  made.observe("x.x", question::Use::fit);
  made.observe("y.y", question::Use::fit);
  Laboratory laboratory(made.q);
  Candidate c = made.candidate();
  laboratory.run_stage({&c}, plain);
  laboratory.find_ranges({&c});
  EXPECT_NEAR(std::stoi(c.mechanism.fit.best.values[0]), 66, 1);
  ASSERT_EQ(c.mechanism.fit.ranges.size(), 1u);
  const PlausibleRange& r = c.mechanism.fit.ranges[0];
  EXPECT_GE(std::stoi(r.low), 56);
  EXPECT_LE(std::stoi(r.low), 58);
  EXPECT_LE(std::stoi(r.high), 76);
  EXPECT_GE(std::stoi(r.high), 74);
  EXPECT_FALSE(r.low_open || r.high_open);
}

}  // namespace
}  // namespace horae::lab::seed_stage_test
