// Traffic sources and patterns.
#include "horae/traffic/source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace horae::traffic::source_test {
namespace {

TEST(ConstantSource, IssuesItsCountAtItsInterval) {
  ConstantSource source(
      {.dst = 7, .bytes = 100_B, .start = 3_us, .interval = 250_ns, .count = 4, .flow = 9});
  for (int i = 0; i < 4; ++i) {
    const auto item = source.next();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->at, 3_us + 250_ns * i);
    EXPECT_EQ(item->dst, 7u);
    EXPECT_EQ(item->bytes, 100_B);
    EXPECT_EQ(item->flow, 9);
  }
  EXPECT_FALSE(source.next());
  EXPECT_FALSE(source.next());
}

TEST(ConstantSource, CountZeroIsEndless) {
  ConstantSource source({.interval = 1_ns});
  for (int i = 0; i < 10000; ++i) {
    const auto item = source.next();
    ASSERT_TRUE(item);
    ASSERT_EQ(item->at, 1_ns * i);
  }
}

TEST(ConstantSource, IntervalZeroIsABacklog) {
  ConstantSource source({.start = 5_us, .count = 3});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(source.next()->at, 5_us);
  EXPECT_FALSE(source.next());
}

TEST(Permutation, IsOneAndHasNoFixedPoint) {
  for (std::uint32_t n = 2; n <= 300; ++n) {
    auto to = permutation_pattern(n, n);
    ASSERT_EQ(to.size(), n);
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_NE(to[i], i);
    std::sort(to.begin(), to.end());
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(to[i], i);
  }
}

TEST(Permutation, IsTheSeedsAlone) {
  EXPECT_EQ(permutation_pattern(64, 5), permutation_pattern(64, 5));
  EXPECT_NE(permutation_pattern(64, 5), permutation_pattern(64, 6));
}

// 3 nodes have two permutations without a fixed point; both must come, about equally often.
TEST(Permutation, IsRandom) {
  int first = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) first += permutation_pattern(3, seed)[0] == 1;
  EXPECT_GT(first, 420);
  EXPECT_LT(first, 580);
}

// A change of these numbers changes every published result of a permutation run.
TEST(Permutation, StaysWhatItWas) {
  EXPECT_EQ(permutation_pattern(8, 1), (std::vector<NodeId>{3, 4, 5, 7, 2, 6, 0, 1}));
}

}  // namespace
}  // namespace horae::traffic::source_test
