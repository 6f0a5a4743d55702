// Named random streams.
#include "horae/core/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace horae::random_test {
namespace {

std::vector<std::uint32_t> draw(RandomStream stream, int n) {
  std::vector<std::uint32_t> out;
  for (int i = 0; i < n; ++i) out.push_back(stream.bits());
  return out;
}

TEST(RandomStream, NameAndSeedDecideEveryNumber) {
  EXPECT_EQ(draw({1, "tor.spray"}, 100), draw({1, "tor.spray"}, 100));
  EXPECT_NE(draw({1, "tor.spray"}, 100), draw({2, "tor.spray"}, 100));
  EXPECT_NE(draw({1, "tor.spray"}, 100), draw({1, "tor.spraz"}, 100));
}

// The first numbers of one stream, so that another machine or library version cannot differ unseen.
TEST(RandomStream, NumbersAreThoseOfThisVersion) {
  EXPECT_EQ(draw({1, "horae"}, 4),
            (std::vector<std::uint32_t>{3720054829, 4133303888, 1464361913, 111744975}));
}

TEST(RandomStream, ANewConsumerChangesNoOtherStream) {
  RandomStream a(7, "a");
  const auto first = a.bits();
  RandomStream b(7, "b");
  (void)b.bits();
  RandomStream again(7, "a");
  EXPECT_EQ(again.bits(), first);
  EXPECT_EQ(again.bits(), a.bits());
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream stream(3, "below");
  std::array<int, 7> seen{};
  constexpr int n = 700'000;
  for (int i = 0; i < n; ++i) ++seen.at(stream.below(7));
  double chi2 = 0;
  for (const int s : seen) chi2 += (s - n / 7.0) * (s - n / 7.0) / (n / 7.0);
  EXPECT_LT(chi2, 22.5);  // 6 degrees of freedom, p = 0.001
}

TEST(RandomStream, ChanceHasItsProbability) {
  RandomStream stream(3, "chance");
  constexpr int n = 1'000'000;
  for (const double p : {0.001, 0.2, 0.75}) {
    int hits = 0;
    for (int i = 0; i < n; ++i) hits += stream.chance(p) ? 1 : 0;
    EXPECT_NEAR(hits, n * p, 4 * std::sqrt(n * p * (1 - p)));
  }
  EXPECT_FALSE(stream.chance(0.0));
  EXPECT_TRUE(stream.chance(1.0));
}

}  // namespace
}  // namespace horae::random_test
