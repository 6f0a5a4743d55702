// Unknowns, and the design that fills their space.
#include "horae/inference/space.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "horae/inference/sobol.hpp"

namespace horae::inference::space_test {
namespace {

const Space three = {{"a", 0}, {"b", 0}, {"c", 3}};

TEST(Space, EveryValueOfADiscreteUnknownHasItsShareAndItsMiddle) {
  const Dimension d{"d", 4};
  EXPECT_EQ(d.index(0), 0u);
  EXPECT_EQ(d.index(0.2499), 0u);
  EXPECT_EQ(d.index(0.25), 1u);
  EXPECT_EQ(d.index(0.9999), 3u);
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(d.index(d.number(i)), i);
  EXPECT_EQ(canonical(three, {0.1, 0.9, 0.4}), canonical(three, {0.1, 0.9, 0.6}));
  EXPECT_NE(canonical(three, {0.1, 0.9, 0.4}), canonical(three, {0.1, 0.9, 0.7}));
}

TEST(Space, AnEvaluationComesBackFromJson) {
  const Evaluation stuck{{0.25, 1.0 / 3, 0.5}, std::numeric_limits<double>::infinity()};
  const auto back = evaluation_from(nlohmann::ordered_json::parse(to_json(stuck).dump()));
  EXPECT_EQ(back.position, stuck.position);
  EXPECT_EQ(back.distance, stuck.distance);
}

// The property of a (0, k, 1)-net in every dimension, which the shift keeps: one point in each of
// 2^k equal parts.
TEST(Sobol, FillsEveryDimensionEvenly) {
  const Space space(7);
  for (const std::uint64_t seed : {1, 2}) {
    const auto points = sobol_design(space, 128, seed, "x");
    for (std::size_t d = 0; d < space.size(); ++d) {
      std::vector<int> parts;
      for (std::size_t i = 64; i < 128; ++i) parts.push_back(static_cast<int>(points[i][d] * 64));
      std::sort(parts.begin(), parts.end());
      for (int i = 0; i < 64; ++i) EXPECT_EQ(parts[static_cast<std::size_t>(i)], i) << d;
    }
  }
}

TEST(Sobol, IsAFunctionOfSeedAndName) {
  const auto points = sobol_design(three, 20, 1, "x");
  EXPECT_EQ(points, sobol_design(three, 20, 1, "x"));
  EXPECT_NE(points, sobol_design(three, 20, 2, "x"));
  EXPECT_NE(points, sobol_design(three, 20, 1, "y"));
  const auto longer = sobol_design(three, 40, 1, "x");
  EXPECT_TRUE(std::equal(points.begin(), points.end(), longer.begin()));
  for (const auto& p : longer) EXPECT_EQ(p, canonical(three, p));
}

}  // namespace
}  // namespace horae::inference::space_test
