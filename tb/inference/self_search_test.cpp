// Whether a search would find what it did not find.
#include "horae/inference/self_search.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "families.hpp"
#include "horae/core/error.hpp"
#include "horae/inference/sampler.hpp"
#include "horae/inference/sobol.hpp"

namespace horae::inference::self_search_test {
namespace {

using namespace test;

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double far = std::numeric_limits<double>::infinity();

TEST(OwnMisses, AreTheGreatestDifferenceToTheNearestOther) {
  const auto m = own_misses({{{0, 0}}, {{0.5, -3}}, {{2, 0.25}}, {{2.5, 0.5}}}, 3);
  ASSERT_EQ(m.size(), 3u);
  EXPECT_EQ(m[0].at_least, 2);    // the third
  EXPECT_EQ(m[1].at_least, 3);    // the first
  EXPECT_EQ(m[2].at_least, 0.5);  // the fourth, which is asked for nothing itself
  for (const OwnMiss& x : m) EXPECT_EQ(x.at_most, x.at_least);
}

TEST(OwnMisses, OthersMayBeReadInAnyWayButEveryWayIsAskedFor) {
  // Two readings of one observation: the second point shows under one what the first shows under
  // the other, and nothing shows 7.
  const auto m = own_misses({{{0}, {4}}, {{4}, {7}}}, 2);
  EXPECT_EQ(m[0].at_least, 4);  // of 0, though 4 is there
  EXPECT_EQ(m[1].at_least, 3);  // of 7
  for (const OwnMiss& x : m) EXPECT_EQ(x.at_most, x.at_least);
}

TEST(OwnMisses, WhatHasNotRunAgreesAtBest) {
  const auto m = own_misses({{{0, none}}, {{0.5, 9}}, {{3, 9.25}}}, 3);
  EXPECT_EQ(m[0].at_least, 0.5);
  EXPECT_EQ(m[0].at_most, far);
  EXPECT_EQ(m[1].at_least, 0.5);  // the first
  EXPECT_EQ(m[1].at_most, 2.5);   // the third, which is known
  EXPECT_EQ(m[2].at_most, 2.5);
  EXPECT_EQ(own_misses({{{1}}}, 1)[0].at_least, far);  // nobody else
  EXPECT_THROW(own_misses({{{1}}}, 2), ModelError);
}

TEST(OwnSearch, FindsNineteenOfTwentyAndAsksAtLeastSoMany) {
  const auto found = [](std::size_t asked, std::size_t known, std::size_t unknown = 0) {
    std::vector<OwnMiss> misses(asked, {1.5, 1.5});
    for (std::size_t i = 0; i < known; ++i) misses[i] = {0.5, 1};
    for (std::size_t i = known; i < known + unknown; ++i) misses[i] = {0.5, far};
    return OwnSearch::of(misses, 1);
  };
  EXPECT_TRUE(found(20, 19).finds());
  EXPECT_FALSE(found(20, 18).finds());
  EXPECT_FALSE(found(19, 19).finds());
  EXPECT_TRUE(found(32, 31).finds());
  EXPECT_FALSE(found(32, 30).finds());
  EXPECT_FALSE(found(128, 121).finds());
  EXPECT_TRUE(found(128, 122).finds());
  EXPECT_FALSE(found(20, 18, 1).finds());
  EXPECT_TRUE(found(20, 18, 1).may_find());
  EXPECT_FALSE(found(20, 17, 1).may_find());
  EXPECT_TRUE(OwnSearch::of(std::vector<OwnMiss>(20, {1.5, 1.5}), 2).finds());
  EXPECT_EQ(found(32, 7, 3).at_least, 7u);
  EXPECT_EQ(found(32, 7, 3).at_most, 10u);
}

// A line of so many tolerances is filled by its first points, or it is not: of n points 1 / n lies
// between neighbours.
TEST(OwnSearch, FindsWhatItsPointsLieCloseTo) {
  const Space line = {{"x", 0}};
  for (const std::size_t points : {32u, 64u, 128u}) {
    const auto design = sobol_design(line, points, 1, "line");
    for (const double tolerances : {0.4, 4.0}) {
      std::vector<Shown> shown;
      for (const auto& p : design)
        shown.push_back({{p[0] * tolerances * static_cast<double>(points)}});
      EXPECT_EQ(OwnSearch::of(own_misses(shown, points), 1).finds(), tolerances < 1)
          << points << " " << tolerances;
    }
  }
}

/// The verdict on a family of a question, as `horae explain --infer` gives it.
enum class Verdict { consistent, not_found, excluded };

Verdict asked(const Question& q, std::size_t family, std::size_t points, std::uint64_t seed) {
  const Family& f = families[family];
  SamplerPlan plan;
  plan.points = points;
  plan.population = points >= 768 ? 128 : points >= 384 ? 64 : points >= 192 ? 32 : 16;
  plan.seed = seed;
  plan.stream = f.name;
  const Sampled s = sample(space, plan, [&](const std::vector<Position>& positions) {
    std::vector<double> out;
    for (const auto& p : positions) out.push_back(q.distance(f, p));
    return out;
  });
  const double closest = s.evaluations[s.closest()].distance;
  if (closest <= 1) return Verdict::consistent;
  std::vector<Shown> shown;
  for (const auto& e : s.evaluations) {
    shown.emplace_back(1);
    for (const double x : measured_at)
      shown.back()[0].push_back(f.throughput(x, e.position) / tolerance);
  }
  const auto own = own_misses(shown, s.levels.front().states.size());
  return closest > 2 && OwnSearch::of(own, 1).finds() ? Verdict::excluded : Verdict::not_found;
}

// No budget excludes what another one finds, least of all the family that made the data.
TEST(OwnSearch, NoBudgetTurnsAVerdictOfAnother) {
  int excluded = 0, far_but_not_excluded = 0;
  std::uint64_t seed = 0;
  for (const Question& q : drawn(40)) {
    ++seed;
    for (std::size_t family = 0; family < families.size(); ++family) {
      std::set<Verdict> verdicts;
      for (const std::size_t points : {96u, 192u, 400u, 1000u})
        verdicts.insert(asked(q, family, points, seed));
      const bool out = verdicts.contains(Verdict::excluded);
      EXPECT_FALSE(out && verdicts.contains(Verdict::consistent)) << seed << " " << family;
      EXPECT_FALSE(out && family == q.family) << seed;
      excluded += out;
      far_but_not_excluded += out && verdicts.contains(Verdict::not_found);
    }
  }
  EXPECT_GT(excluded, 5);              // it can be said
  EXPECT_GT(far_but_not_excluded, 0);  // and not of too small a search
  RecordProperty("excluded",
                 fmt::format("{}, of fewer points not found {}", excluded, far_but_not_excluded));
}

}  // namespace
}  // namespace horae::inference::self_search_test
