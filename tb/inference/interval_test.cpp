// Ranges over weighted points.
#include "horae/inference/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "horae/core/error.hpp"

namespace horae::inference::interval_test {
namespace {

std::vector<WeightedValue> up_to(int n) {
  std::vector<WeightedValue> out;
  for (int i = n; i >= 1; --i) out.push_back({static_cast<double>(i), 1});
  return out;
}

// Hyndman and Fan 1996, definition 5: the k-th of n is the quantile of (k - 1/2) / n.
TEST(Interval, QuantilesOfEqualWeights) {
  EXPECT_DOUBLE_EQ(quantile(up_to(10), 0.05), 1);
  EXPECT_DOUBLE_EQ(quantile(up_to(10), 0.5), 5.5);
  EXPECT_DOUBLE_EQ(quantile(up_to(10), 0.95), 10);
  EXPECT_DOUBLE_EQ(quantile(up_to(100), 0.05), 5.5);
  EXPECT_DOUBLE_EQ(quantile(up_to(10), 0), 1);
  EXPECT_DOUBLE_EQ(quantile(up_to(10), 1), 10);
  EXPECT_DOUBLE_EQ(quantile({{7, 2}}, 0.3), 7);
}

TEST(Interval, AWeightIsAsManyEqualValues) {
  const std::vector<WeightedValue> weighted = {{1, 5}, {2, 10}, {3, 5}};
  const Interval i = interval_of(weighted);
  EXPECT_DOUBLE_EQ(i.median, 2);
  // Middles at 0.125, 0.5 and 0.875.
  EXPECT_DOUBLE_EQ(quantile(weighted, 0.3125), 1.5);
  EXPECT_DOUBLE_EQ(i.low, 1);
  EXPECT_DOUBLE_EQ(i.high, 3);
}

// The k-th of n draws has k / (n + 1) of all to come below it.
TEST(Interval, HoldsItsShareOfWhatIsToCome) {
  const Interval i = interval_of(up_to(100));
  EXPECT_DOUBLE_EQ(i.low, 5.05);
  EXPECT_DOUBLE_EQ(i.high, 95.95);
  EXPECT_DOUBLE_EQ(i.least, 1);
  EXPECT_DOUBLE_EQ(i.most, 100);
  EXPECT_TRUE(i.holds(5.1));
  EXPECT_FALSE(i.holds(5));
  EXPECT_EQ(interval_of(up_to(10)).low, 1);
  EXPECT_THROW(interval_of({}), ModelError);
}

TEST(Interval, MarginalsOfContinuousAndDiscreteUnknowns) {
  const Space space = {{"x", 0}, {"mtu", 3}};
  std::vector<Evaluation> evaluations;
  for (int i = 0; i < 20; ++i)
    evaluations.push_back({{i / 20.0, space[1].number(i < 5 ? 0 : 2)}, 0.5});
  std::vector<Weighted> accepted;
  for (std::size_t i = 0; i < 10; ++i) accepted.push_back({i, 0.1});
  const auto m = marginals(space, evaluations, accepted);
  EXPECT_DOUBLE_EQ(m[0].interval.median, 0.225);
  EXPECT_DOUBLE_EQ(m[0].interval.least, 0);
  EXPECT_DOUBLE_EQ(m[0].interval.most, 0.45);
  EXPECT_TRUE(m[0].shares.empty());
  ASSERT_EQ(m[1].shares.size(), 3u);
  EXPECT_DOUBLE_EQ(m[1].shares[0], 0.5);
  EXPECT_DOUBLE_EQ(m[1].shares[1], 0);
  EXPECT_DOUBLE_EQ(m[1].shares[2], 0.5);
}

TEST(Interval, APredictionLeavesOutWhatHasNoOutcome) {
  const std::vector<double> outcomes = {1, 2, std::nan(""), 3};
  const Prediction p = predict(outcomes, {{0, 0.25}, {1, 0.25}, {2, 0.25}, {3, 0.25}});
  EXPECT_DOUBLE_EQ(p.missing, 0.25);
  EXPECT_DOUBLE_EQ(p.interval.median, 2);
  EXPECT_DOUBLE_EQ(p.interval.most, 3);
  EXPECT_THROW(predict(outcomes, {{2, 1}}), ModelError);
}

}  // namespace
}  // namespace horae::inference::interval_test
