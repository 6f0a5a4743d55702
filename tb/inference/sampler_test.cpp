// The sampler: what it asks for, where it ends, and that what it accepts is uniform.
#include "horae/inference/sampler.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "horae/core/error.hpp"
#include "horae/inference/evidence.hpp"
#include "shapes.hpp"

namespace horae::inference::sampler_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Sampler, AsksForTheSamePositionsInTheSameBatches) {
  std::vector<std::vector<Position>> first, again, longer;
  const auto run = [](std::vector<std::vector<Position>>& batches, std::size_t points) {
    SamplerPlan plan;
    plan.points = points;
    const Shape shape = cell(0.02);
    return sample(shape.space, plan, [&](const std::vector<Position>& positions) {
      batches.push_back(positions);
      std::vector<double> out;
      for (const auto& p : positions) out.push_back(shape.distance(p));
      return out;
    });
  };
  const Sampled s = run(first, 500);
  run(again, 500);
  run(longer, 1500);
  EXPECT_EQ(first, again);
  ASSERT_LT(first.size(), longer.size());
  EXPECT_TRUE(std::equal(first.begin(), first.end(), longer.begin()));
  std::size_t asked = 0;
  for (const auto& batch : first) {
    for (const auto& p : batch) {
      EXPECT_EQ(p, canonical(cell(1).space, p));
      for (const double x : p) EXPECT_TRUE(x >= 0 && x < 1);
      EXPECT_EQ(s.evaluations[asked].position, p);
      ++asked;
    }
  }
  EXPECT_EQ(asked, s.evaluations.size());
  EXPECT_LE(asked, 500u);
}

TEST(Sampler, AnotherSeedOrStreamIsAnotherSample) {
  SamplerPlan plan;
  const double one = evidence_of(sample(disc(0.03), plan)).share;
  plan.seed = 2;
  EXPECT_NE(one, evidence_of(sample(disc(0.03), plan)).share);
  plan.seed = 1;
  plan.stream = "other";
  EXPECT_NE(one, evidence_of(sample(disc(0.03), plan)).share);
}

// Every level is within the one before; its states are; what was accepted is within the target.
TEST(Sampler, LevelsAreNested) {
  SamplerPlan plan;
  plan.accepted = 100;
  const Sampled s = sample(simplex(3, 0.05), plan);
  ASSERT_TRUE(s.reached());
  ASSERT_GT(s.levels.size(), 3u);
  for (std::size_t i = 0; i < s.levels.size(); ++i) {
    const Level& level = s.levels[i];
    if (i > 0) {
      EXPECT_EQ(level.within, s.levels[i - 1].next);
      if (i > 1) {
        EXPECT_LT(level.within, s.levels[i - 1].within);
      }
      EXPECT_GT(level.moved, 0.05);
    }
    for (const State& state : level.states)
      EXPECT_LE(s.evaluations[state.point].distance, level.within);
  }
  EXPECT_GE(s.levels.back().states.size(), 100u);
  double sum = 0;
  for (const auto& a : accepted_sample(s)) {
    EXPECT_LE(s.evaluations[a.point].distance, 1);
    sum += a.weight;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

// The accepted points of many seeds together: moments of a uniform number in each coordinate, no
// correlation, and every value of a discrete unknown as often.
TEST(Sampler, WhatIsAcceptedIsUniform) {
  const Shape shape = {
      "box", {{"x", 0}, {"y", 0}, {"d", 8}}, 0.2 * 0.05 * 0.5, [](const Position& p) {
        return std::max({std::fabs(p[0] - 0.5) / 0.1, p[1] / 0.05, p[2] < 0.5 ? 0.0 : 1.5 + p[2]});
      }};
  constexpr int seeds = 40;
  double x = 0, xx = 0, y = 0, yy = 0, xy = 0;
  std::vector<double> shares(8, 0.0);
  for (int seed = 1; seed <= seeds; ++seed) {
    SamplerPlan plan;
    plan.seed = static_cast<std::uint64_t>(seed);
    plan.accepted = 300;
    const Sampled s = sample(shape, plan);
    for (const auto& a : accepted_sample(s)) {
      const Position& p = s.evaluations[a.point].position;
      const double w = a.weight / seeds;
      const double u = (p[0] - 0.4) / 0.2, v = p[1] / 0.05;
      x += w * u, xx += w * u * u, y += w * v, yy += w * v * v, xy += w * u * v;
      shares[shape.space[2].index(p[2])] += w;
    }
  }
  EXPECT_NEAR(x, 0.5, 0.02);
  EXPECT_NEAR(y, 0.5, 0.02);
  EXPECT_NEAR(xx - x * x, 1.0 / 12, 0.005);
  EXPECT_NEAR(yy - y * y, 1.0 / 12, 0.005);
  EXPECT_NEAR(xy - x * y, 0, 0.005);
  for (std::size_t d = 0; d < 8; ++d) EXPECT_NEAR(shares[d], d < 4 ? 0.25 : 0, 0.05) << d;
}

// Two places far apart, of one to three in volume: chains do not cross, the first population does.
TEST(Sampler, FindsPlacesApart) {
  double left = 0;
  constexpr int seeds = 40;
  for (int seed = 1; seed <= seeds; ++seed) {
    SamplerPlan plan;
    plan.seed = static_cast<std::uint64_t>(seed);
    const Shape two = {
        "two", Space(2), 0.0016, [](const Position& p) {
          const double a = std::max(std::fabs(p[0] - 0.2) / 0.01, std::fabs(p[1] - 0.5) / 0.01);
          const double b = std::max(std::fabs(p[0] - 0.8) / 0.01, std::fabs(p[1] - 0.5) / 0.03);
          return std::min(a, b);
        }};
    const Sampled s = sample(two, plan);
    for (const auto& a : accepted_sample(s)) {
      if (s.evaluations[a.point].position[0] < 0.5) left += a.weight / seeds;
    }
  }
  EXPECT_NEAR(left, 0.25, 0.1);
}

TEST(Sampler, PassesPlateaus) {
  // 1 of 16 positions says anything; the rest is stuck. Then steps, on which most are equally far.
  const auto stairs = [](const Position& p) {
    if (p[0] > 1.0 / 16) return std::nan("");
    return p[1] < 0.01 ? 0.0 : p[1] < 0.1 ? 1.5 : p[1] < 0.5 ? 2.0 : 3.0;
  };
  SamplerPlan plan;
  plan.points = 3000;
  const Sampled s = sample({"stairs", Space(2), 0.01 / 16, stairs}, plan);
  ASSERT_TRUE(s.reached());
  const Evidence e = evidence_of(s);
  EXPECT_NEAR(std::log(e.share * 1600), 0, 3 * e.variation);
  for (const auto& v : s.evaluations) EXPECT_FALSE(std::isnan(v.distance));
}

TEST(Sampler, EndsWhereNothingIsNearer) {
  SamplerPlan plan;
  for (const double far : {2.0, infinity}) {
    const Sampled s = sample({"flat", Space(2), 0, [&](const Position&) { return far; }}, plan);
    EXPECT_EQ(s.stop, Stop::no_nearer);
    EXPECT_EQ(s.evaluations.size(), plan.population);
    EXPECT_EQ(s.closest(), 0u);
    EXPECT_GT(evidence_of(s).at_most, 0);
    EXPECT_TRUE(accepted_sample(s).empty());
  }
  const Sampled near = sample({"flat", Space(2), 1, [](const Position&) { return 0.5; }}, plan);
  EXPECT_TRUE(near.reached());
  EXPECT_EQ(evidence_of(near).share, 1);
}

TEST(Sampler, ComesBackFromJson) {
  SamplerPlan plan;
  const Shape shape = {"half", Space(2), 0.01, [](const Position& p) {
                         return p[0] > 0.5 ? infinity : disc(0.05).distance(p);
                       }};
  const Sampled s = sample(shape, plan);
  const auto text = s.to_json().dump();
  const Sampled back = Sampled::from_json(nlohmann::ordered_json::parse(text));
  EXPECT_EQ(back.to_json().dump(), text);
  EXPECT_EQ(back.stop, s.stop);
  EXPECT_EQ(evidence_of(back).share, evidence_of(s).share);
  EXPECT_EQ(evidence_of(back).variation, evidence_of(s).variation);
}

TEST(Sampler, RefusesAPlanOutOfRange) {
  const auto with = [](auto change) {
    SamplerPlan plan;
    change(plan);
    return [plan] { plan.check(); };
  };
  EXPECT_NO_THROW(SamplerPlan{}.check());
  EXPECT_THROW(with([](auto& p) { p.points = 7; })(), ModelError);
  EXPECT_THROW(with([](auto& p) { p.population = 4; })(), ModelError);
  EXPECT_THROW(with([](auto& p) { p.level_share = 0.6; })(), ModelError);
  EXPECT_THROW(with([](auto& p) { p.target = std::nan(""); })(), ModelError);
  EXPECT_THROW(with([](auto& p) { p.accepted = 0; })(), ModelError);
}

}  // namespace
}  // namespace horae::inference::sampler_test
