// Load imbalance against its closed form and against an independent simulation (REPS paper, Figure
// 16: 32 uplinks).
#include "theory/imbalance.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace horae::theory::imbalance_test {
namespace {

TEST(Imbalance, IsTheLargestLoadOverTheMean) {
  EXPECT_DOUBLE_EQ(imbalance_of({1, 1, 1, 1}), 0);
  EXPECT_DOUBLE_EQ(imbalance_of({0, 0, 0, 4}), 3);
  EXPECT_DOUBLE_EQ(imbalance_of({3, 1, 2, 2}), 0.5);
  EXPECT_DOUBLE_EQ(imbalance_of({0, 0}), 0);
}

// Known exactly for 2 and 3; 2.06967 for 32 (tables of normal order statistics).
TEST(Imbalance, TheLargestOfNormalNumbers) {
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(largest_normal(2), 1 / std::sqrt(pi), 1e-9);
  EXPECT_NEAR(largest_normal(3), 1.5 / std::sqrt(pi), 1e-9);
  EXPECT_NEAR(largest_normal(32), 2.06967, 1e-5);
}

TEST(Imbalance, OfTwoBinsIsExact) {
  // The fuller of two bins of m balls: E|X - m/2| / (m/2), which is C(m, m/2) / 2^m for an even m.
  RandomStream random(1, "two");
  const Trials t = thrown_imbalances(2, 10, 40'000, random);
  EXPECT_NEAR(t.mean(), 252.0 / 1024, 4 * t.error());
}

struct Row {
  int log2_values;
  double one_flow, one_deviation;
  double many_flows, many_deviation;
};
// Means and standard deviations of 400 trials with one flow and of 60 with 32.
constexpr Row table[] = {
    {5, 2.53, .68, .403, .11},        {6, 1.67, .44, .259, .055},
    {8, .786, .18, .140, .038},       {10, .382, .089, .068, .015},
    {12, .186, .045, .031, .0066},    {14, .0927, .021, .0164, .0031},
    {16, .0456, .0098, .0080, .0019},
};

TEST(Imbalance, AgreesWithASimulationOfItsOwnKind) {
  RandomStream random(7, "table");
  const auto compare = [&](std::uint64_t balls, double mean, double deviation, double trials) {
    const Trials ours = thrown_imbalances(32, balls, balls > 100'000 ? 60 : 400, random);
    EXPECT_NEAR(ours.mean(), mean, 3.5 * std::hypot(ours.error(), deviation / std::sqrt(trials)))
        << balls;
    EXPECT_NEAR(ours.deviation() / deviation, 1, 0.35) << balls;
  };
  for (const Row& row : table) {
    compare(1ull << row.log2_values, row.one_flow, row.one_deviation, 400);
    compare(32ull << row.log2_values, row.many_flows, row.many_deviation, 60);
  }
}

TEST(Imbalance, TheClosedFormIsCloseWhereBallsAreMany) {
  RandomStream random(8, "closed");
  for (const std::uint32_t bins : {8u, 32u, 128u}) {
    const std::uint64_t balls = bins * 2048ull;
    const Trials ours = thrown_imbalances(bins, balls, 200, random);
    EXPECT_NEAR(ours.mean(), expected_imbalance(bins, static_cast<double>(balls)),
                3.5 * ours.error() + 0.02 * ours.mean())
        << bins;
  }
}

// The paper: with 32 flows fewer than 256 values give more than 10 %, 65536 less than 1 %.
TEST(Imbalance, ThePapersTwoBounds) {
  RandomStream random(9, "bounds");
  EXPECT_GT(thrown_imbalances(32, 32 * 128, 100, random).mean(), 0.10);
  EXPECT_LT(thrown_imbalances(32, 32 * 65536, 20, random).mean(), 0.01);
}

TEST(Trials, MeanDeviationAndQuantiles) {
  const Trials t({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(t.mean(), 2.5);
  EXPECT_DOUBLE_EQ(t.deviation(), std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(t.error(), std::sqrt(5.0 / 12));
  EXPECT_DOUBLE_EQ(t.quantile(0), 1);
  EXPECT_DOUBLE_EQ(t.quantile(0.5), 2);
  EXPECT_DOUBLE_EQ(t.quantile(1), 4);
  EXPECT_DOUBLE_EQ(distance(t, t), 0);
  EXPECT_DOUBLE_EQ(Trials().mean() + Trials().error() + Trials().quantile(1), 0);
}

}  // namespace
}  // namespace horae::theory::imbalance_test
