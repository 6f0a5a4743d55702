// Evidence against closed forms: over seeds, its error is what it says.
#include "horae/inference/evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "shapes.hpp"

namespace horae::inference::evidence_test {
namespace {

constexpr int seeds = 24;

/// Estimates of a volume over seeds, as (ln estimate - ln volume) / its log-normal error.
struct Series {
  double mean = 0;  ///< of estimate / volume
  double rms = 0;   ///< of the errors in units of what is stated
  int wide = 0;     ///< beyond 2 of them
  int above = 0;    ///< volumes above `at_most`
  int found = 0;

  void add(const Evidence& e, double volume) {
    if (volume > e.at_most) ++above;
    if (!e.reached()) return;
    ++found;
    const double error = std::sqrt(std::log1p(e.variation * e.variation));
    const double z = std::log(e.share / volume) / error;
    mean += e.share / volume / seeds;
    rms += z * z / seeds;
    if (std::fabs(z) > 2) ++wide;
  }
};

void expect_honest(const Series& s, const std::string& name) {
  EXPECT_EQ(s.found, seeds) << name;
  EXPECT_GT(s.mean, 0.6) << name;
  EXPECT_LT(s.mean, 2.0) << name;
  EXPECT_LT(std::sqrt(s.rms), 1.3) << name;
  EXPECT_GT(std::sqrt(s.rms), 0.1) << name << ": the stated error is much too large";
  EXPECT_LE(s.wide, 3) << name;
  EXPECT_LE(s.above, 3) << name;
}

TEST(Evidence, OfVolumesDownToOneIn100000) {
  for (const Shape& shape : {box(2, 0.3), box(5, 1e-2), box(2, 1e-5), box(8, 1e-4), disc(0.05),
                             simplex(3, 0.06), simplex(5, 0.3), ridge(0.02), cell(0.05)}) {
    Series s;
    for (int seed = 1; seed <= seeds; ++seed) {
      SamplerPlan plan;
      plan.points = 3000;
      plan.accepted = 1;
      plan.seed = static_cast<std::uint64_t>(seed);
      s.add(evidence_of(sample(shape, plan)), shape.volume);
    }
    expect_honest(s, shape.name);
  }
}

TEST(Evidence, ALargerPopulationHasASmallerError) {
  SamplerPlan plan;
  plan.points = 20000;
  const double few = evidence_of(sample(disc(0.02), plan)).variation;
  plan.population = 2048;
  const Evidence many = evidence_of(sample(disc(0.02), plan));
  EXPECT_LT(many.variation, few / 2.5);
  EXPECT_NEAR(many.share, disc(0.02).volume, 3 * many.error());
}

TEST(Evidence, WhereNothingIsWithinTheTargetItHasABound) {
  int below = 0, not_reached = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    SamplerPlan plan;
    plan.points = 300;
    plan.seed = static_cast<std::uint64_t>(seed);
    const Shape shape = box(3, 1e-6);
    const Sampled s = sample(shape, plan);
    const Evidence e = evidence_of(s);
    if (e.reached()) continue;
    ++not_reached;
    EXPECT_EQ(s.stop, Stop::points);
    EXPECT_LE(s.evaluations.size(), 300u);
    EXPECT_GT(s.evaluations[s.closest()].distance, 1);
    EXPECT_EQ(e.share, 0);
    EXPECT_LT(e.at_most, 0.02);
    if (e.at_most < shape.volume) ++below;
  }
  EXPECT_GT(not_reached, seeds / 2);
  EXPECT_LE(below, 1);
}

// A point of a level that is not in the next one stands for what lies between: together, the prior.
TEST(Evidence, AllLevelsTogetherAreThePrior) {
  double mean = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    SamplerPlan plan;
    plan.seed = static_cast<std::uint64_t>(seed);
    const Sampled s = sample(box(2, 1e-4), plan);
    double sum = 0;
    for (const auto& w : prior_sample(s)) {
      sum += w.weight;
      mean += w.weight * s.evaluations[w.point].position[0] / seeds;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_NEAR(mean, 0.5, 0.02);
}

// Tolerances of half and double make discs of a quarter and four times the volume.
TEST(Evidence, IsReadAnewWithOtherTolerances) {
  const Shape shape = disc(0.03);
  Series half, same, twice;
  for (int seed = 1; seed <= seeds; ++seed) {
    SamplerPlan plan;
    plan.accepted = 256;
    plan.points = 3000;
    plan.seed = static_cast<std::uint64_t>(seed);
    const Sampled s = sample(shape, plan);
    std::vector<double> distances;
    for (const auto& e : s.evaluations) distances.push_back(e.distance);
    half.add(reread(s, distances, 0.5), shape.volume / 4);
    same.add(reread(s, distances), shape.volume);
    twice.add(reread(s, distances, 2), shape.volume * 4);
    EXPECT_NEAR(reread(s, distances).share, evidence_of(s).share, 1e-12);
  }
  expect_honest(half, "half");
  expect_honest(same, "same");
  expect_honest(twice, "double");
}

// One observation less: the distance of a square's points in one coordinate alone.
TEST(Evidence, IsReadAnewWithoutAnObservation) {
  Series s;
  for (int seed = 1; seed <= seeds; ++seed) {
    SamplerPlan plan;
    plan.seed = static_cast<std::uint64_t>(seed);
    const Shape square = {"square", Space(2), 0.01, [](const Position& p) {
                            return std::max(std::fabs(p[0] - 0.3), std::fabs(p[1] - 0.6)) / 0.05;
                          }};
    const Sampled sampled = sample(square, plan);
    std::vector<double> distances;
    for (const auto& e : sampled.evaluations)
      distances.push_back(std::fabs(e.position[0] - 0.3) / 0.05);
    s.add(reread(sampled, distances), 0.1);
  }
  expect_honest(s, "strip");
}

TEST(Evidence, ReadAnewToNothingHasABoundToo) {
  SamplerPlan plan;
  const Sampled s = sample(disc(0.1), plan);
  std::vector<double> distances;
  for (const auto& e : s.evaluations) distances.push_back(e.distance);
  const Evidence e = reread(s, distances, 1e-4);
  EXPECT_FALSE(e.reached());
  EXPECT_GT(e.at_most, disc(0.1).volume * 1e-8);
  EXPECT_LT(e.at_most, disc(0.1).volume * 2);
}

// A miss of exactly one tolerance agrees: of points at whole distances those up to the target.
TEST(Evidence, ATargetIsWithinItself) {
  const Shape steps = {"steps", Space(1), 0.5, [](const Position& p) {
                         return std::floor(4 * p[0]);  // 0 to 3, a quarter each
                       }};
  SamplerPlan plan;
  plan.points = 400;
  const Sampled s = sample(steps, plan);
  std::vector<double> distances;
  std::size_t upto[5] = {};
  for (const auto& e : s.evaluations) {
    distances.push_back(e.distance);
    for (int d = static_cast<int>(e.distance); d < 5; ++d) ++upto[d];
  }
  for (const int target : {1, 2, 3}) {
    const Evidence e = reread(s, distances, target), more = reread(s, distances, target + 0.5);
    EXPECT_EQ(e.points, more.points) << target;
    EXPECT_EQ(e.share, more.share) << target;
    EXPECT_LE(e.points, upto[target]);
  }
  EXPECT_GT(reread(s, distances, 1).points, reread(s, distances, 0.5).points);
}

TEST(Posterior, OfEquallyLikelyHypotheses) {
  Evidence a, b, none;
  a.share = 0.03, a.variation = 0.1, a.points = 9;
  b.share = 0.01, b.variation = 0.2, b.points = 9;
  none.at_most = 0.001;
  const auto p = compare({a, b, none});
  EXPECT_DOUBLE_EQ(p[0].probability, 0.75);
  EXPECT_DOUBLE_EQ(p[1].probability, 0.25);
  EXPECT_DOUBLE_EQ(p[2].probability, 0);
  // d(a / (a + b)) = a b / (a + b)^2 hypot(da / a, db / b)
  EXPECT_NEAR(p[0].error, 0.1875 * std::hypot(0.1, 0.2), 1e-12);
  EXPECT_NEAR(p[1].error, p[0].error, 1e-12);
  EXPECT_NEAR(p[2].at_most, 0.001 / 0.041, 1e-12);
  EXPECT_EQ(p[0].log_odds, 0);
  EXPECT_DOUBLE_EQ(p[1].log_odds, std::log(1.0 / 3));
  EXPECT_DOUBLE_EQ(p[1].log_odds_error, std::hypot(0.1, 0.2));
  EXPECT_TRUE(std::isinf(p[2].log_odds));
}

TEST(Posterior, WithoutAnyEvidenceIsNone) {
  const auto p = compare({Evidence{}, Evidence{}});
  EXPECT_EQ(p[0].probability, 0);
  EXPECT_EQ(p[1].probability, 0);
}

}  // namespace
}  // namespace horae::inference::evidence_test
