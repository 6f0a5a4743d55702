// Expected information gain against closed forms.
#include "horae/inference/information.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"

namespace horae::inference::information_test {
namespace {

/// Sums of 12 uniform numbers: near to normal.
Outcomes normal(double mean, double deviation, std::size_t points, const std::string& name,
                std::size_t quantities = 1) {
  RandomStream random(1, name);
  Outcomes out;
  for (std::size_t i = 0; i < points; ++i) {
    std::vector<double> v;
    for (std::size_t q = 0; q < quantities; ++q) {
      double sum = -6;
      for (int k = 0; k < 12; ++k) sum += random.unit();
      v.push_back(mean + deviation * sum);
    }
    out.values.push_back(v);
    out.weights.push_back(1);
  }
  return out;
}

/// Two equally likely normal distributions of deviation 1, so far apart: by the midpoint rule.
double closed_form(double apart) {
  double nats = 0;
  constexpr double step = 1e-3;
  for (double y = -10; y < 10 + apart; y += step) {
    const double a = std::exp(-y * y / 2) / std::sqrt(2 * std::numbers::pi);
    const double b = std::exp(-(y - apart) * (y - apart) / 2) / std::sqrt(2 * std::numbers::pi);
    if (a > 0) nats += a / 2 * std::log(a / ((a + b) / 2)) * step;
    if (b > 0) nats += b / 2 * std::log(b / ((a + b) / 2)) * step;
  }
  return nats;
}

TEST(Information, OfHypothesesFarApartIsAllThereIsToKnow) {
  const Gain two = expected_gain({normal(0, 1, 60, "a"), normal(100, 1, 80, "b")}, {1, 1}, {0.1});
  EXPECT_NEAR(two.hypothesis, std::numbers::ln2, 1e-6);
  EXPECT_DOUBLE_EQ(two.most, std::numbers::ln2);
  const Gain three = expected_gain(
      {normal(0, 1, 60, "a"), normal(100, 1, 80, "b"), normal(-90, 3, 20, "c")}, {2, 1, 1}, {0.1});
  EXPECT_NEAR(three.hypothesis, 1.5 * std::numbers::ln2, 1e-6);
}

TEST(Information, OfOneAndTheSameIsNone) {
  const Outcomes a = normal(0, 1, 60, "a");
  EXPECT_NEAR(expected_gain({a, a}, {1, 1}, {0.1}).hypothesis, 0, 1e-9);
  EXPECT_EQ(expected_gain({a}, {1}, {0.1}).hypothesis, 0);
}

// Samples of the same distribution are not told apart, however fine the measurement: what is left
// is what shuffling leaves.
TEST(Information, OfTwoSamplesOfTheSameIsChance) {
  for (const double noise : {1.0, 0.01, 1e-6}) {
    const Gain g = expected_gain({normal(0, 1, 100, "a"), normal(0, 1, 100, "b")}, {1, 1}, {noise});
    EXPECT_LT(g.hypothesis, 0.04) << noise;
    EXPECT_LT(g.by_chance, 0.04) << noise;
  }
}

TEST(Information, OfNormalDistributionsBetween) {
  for (const double apart : {1.0, 2.0, 4.0}) {
    const Gain g =
        expected_gain({normal(0, 0.6, 400, "a"), normal(apart, 0.6, 400, "b")}, {1, 1}, {0.8});
    EXPECT_NEAR(g.hypothesis, closed_form(apart), 0.035) << apart;
  }
}

TEST(Information, ACoarserMeasurementTellsLess) {
  const std::vector<Outcomes> both = {normal(0, 1, 200, "a"), normal(3, 1, 200, "b")};
  double last = 1;
  for (const double noise : {0.01, 1.0, 3.0, 30.0}) {
    const double now = expected_gain(both, {1, 1}, {noise}).hypothesis;
    EXPECT_LT(now, last);
    last = now;
  }
  EXPECT_LT(last, 0.01);
}

// A second quantity that says nothing adds nothing; one that separates is enough.
TEST(Information, OfSeveralQuantitiesTogether) {
  const auto pair = [](double second) {
    std::vector<Outcomes> both = {normal(0, 1, 200, "a", 2), normal(0, 1, 200, "b", 2)};
    for (auto& v : both[1].values) v[1] += second;
    return expected_gain(both, {1, 1}, {0.3, 0.3});
  };
  EXPECT_LT(pair(0).hypothesis, 0.06);
  EXPECT_NEAR(pair(50).hypothesis, std::numbers::ln2, 1e-6);
}

// One normal unknown, measured: 1/2 ln(1 + variance / noise^2).
TEST(Information, OfTheUnknownsToo) {
  const Gain g = expected_gain({normal(0, 2, 1000, "a")}, {1}, {0.5});
  EXPECT_NEAR(g.all, 0.5 * std::log(1 + 16), 0.1);
  EXPECT_EQ(g.hypothesis, 0);
  const Gain apart =
      expected_gain({normal(0, 2, 1000, "a"), normal(100, 2, 1000, "b")}, {1, 1}, {0.5});
  EXPECT_NEAR(apart.all, 0.5 * std::log(1 + 16) + std::numbers::ln2, 0.1);
}

TEST(Information, AWeightIsAsManyPoints) {
  Outcomes weighted{{{0.0}, {10.0}}, {3, 1}};
  Outcomes other{{{0.0}, {10.0}}, {1, 3}};
  // H(3/4) against the even mixture: ln 2 - H(1/4).
  const double h = -(0.25 * std::log(0.25) + 0.75 * std::log(0.75));
  EXPECT_NEAR(expected_gain({weighted, other}, {1, 1}, {0.01}).hypothesis, std::numbers::ln2 - h,
              0.25);
}

TEST(Information, HypothesesWithoutPointsTakeNoPart) {
  const Outcomes a = normal(0, 1, 50, "a"), b = normal(50, 1, 50, "b");
  const Gain with = expected_gain({a, {}, b}, {1, 5, 1}, {0.1});
  EXPECT_EQ(with.hypothesis, expected_gain({a, b}, {1, 1}, {0.1}).hypothesis);
  EXPECT_EQ(expected_gain({}, {}, {0.1}).most, 0);
  EXPECT_THROW(expected_gain({a}, {1}, {0}), ModelError);
  EXPECT_THROW(expected_gain({a}, {1, 1}, {1}), ModelError);
}

}  // namespace
}  // namespace horae::inference::information_test
