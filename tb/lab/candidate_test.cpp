// What the laboratory says of one candidate: samples over seeds, comparisons, overrides.
#include "horae/lab/candidate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace horae::lab::candidate_test {
namespace {

using Texts = std::vector<std::string>;

question::ObservationSpec published(double value, double rounding, double tolerance = 0) {
  question::ObservationSpec o;
  o.value = value;
  o.rounding.value = rounding;
  o.tolerance.value = tolerance;
  return o;
}

TEST(SeedSample, IsMeanAndSampleDeviation) {
  const auto s = SeedSample::of({1, 2, 3, 6});
  EXPECT_TRUE(s.there);
  EXPECT_DOUBLE_EQ(s.mean, 3);
  EXPECT_DOUBLE_EQ(s.spread, std::sqrt(14.0 / 3));
  EXPECT_DOUBLE_EQ(SeedSample::of({7}).spread, 0);
}

TEST(SeedSample, IsNotThereWhereOneRunGaveNothing) {
  EXPECT_FALSE(SeedSample::of({1, std::numeric_limits<double>::quiet_NaN()}).there);
  EXPECT_FALSE(SeedSample::of({}).there);
}

TEST(Compared, MissesByAllowancesAndMayMissByTwiceTheSpreadMore) {
  const auto o = published(10, 0.5, 0.5);
  EXPECT_DOUBLE_EQ((Compared{&o, "m", SeedSample::of({12})}.allowances()), 2);
  EXPECT_TRUE((Compared{&o, "m", SeedSample::of({11})}.within()));
  EXPECT_FALSE((Compared{&o, "m", SeedSample::of({11.01})}.within()));
  EXPECT_TRUE((Compared{&o, "m", SeedSample::of({11, 12})}.within()));  // 11.5 with 0.71
  // 12.35 with 0.71 may be off by 2.41; 12.5, which three spreads would allow, may not.
  EXPECT_TRUE((Compared{&o, "m", SeedSample::of({11.85, 12.85})}.within()));
  EXPECT_FALSE((Compared{&o, "m", SeedSample::of({12, 13})}.within()));
  EXPECT_FALSE((Compared{&o, "m", SeedSample::of({7, 8})}.within()));
  EXPECT_FALSE((Compared{&o, "m", SeedSample::of({})}.within()));
}

TEST(Candidate, OverridesAddUpAndTheReactionIsForItsConditions) {
  question::HypothesisSpec h;
  h.set = {{"h=1", {}}};
  question::VariantSpec v;
  v.set = {{"v=1", {}}};
  question::ReactionSpec r;
  r.set = {{"r=1", {}}};
  question::ParameterSpec p;
  p.key.value = "p";
  question::ConditionSpec plain, reacting;
  plain.set = reacting.set = {{"c=1", {}}};
  reacting.reaction = true;
  Candidate c;
  c.hypothesis = &h;
  c.variant = &v;
  c.mechanism.parameters = {&p};
  c.mechanism.fit.best.values = {"5"};
  EXPECT_EQ(c.unfitted_overrides(plain), (Texts{"c=1", "v=1", "h=1"}));
  EXPECT_EQ(c.overrides(reacting), (Texts{"c=1", "v=1", "h=1", "p=5"}));
  c.reaction = &r;
  EXPECT_EQ(c.overrides(plain), (Texts{"c=1", "v=1", "h=1", "p=5"}));
  EXPECT_EQ(c.overrides(reacting), (Texts{"c=1", "v=1", "h=1", "p=5", "r=1"}));
}

TEST(Candidate, IsConsistentUnlessANumberIsMissedAndTheWorstIsNamed) {
  const auto a = published(10, 1), b = published(100, 1);
  Candidate c;
  EXPECT_TRUE(c.consistent());
  c.comparisons = {{&a, "a", SeedSample::of({10.5}), true}, {&b, "b", SeedSample::of({103})}};
  EXPECT_FALSE(c.consistent());
  EXPECT_EQ(c.worst(), &c.comparisons[1]);
  EXPECT_EQ(c.calibrated(), 1u);
  EXPECT_DOUBLE_EQ(c.rms(), std::sqrt((0.25 + 9) / 2));
}

}  // namespace
}  // namespace horae::lab::candidate_test
