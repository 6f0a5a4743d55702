// A cache of sets and ways, against counting by hand, Che's approximation and balls in bins.
#include "horae/rnic/memory/set_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"

namespace horae::rnic::set_cache_test {
namespace {

TEST(SetCache, TheLeastRecentlyUsedGoes) {
  SetCache cache(3, 0);
  for (const std::uint64_t id : {7, 8, 9}) EXPECT_FALSE(cache.use(id).hit);
  EXPECT_TRUE(cache.use(7).hit);
  EXPECT_EQ(cache.use(10).evicted, 8u);
  EXPECT_TRUE(cache.use(7).hit);
  EXPECT_TRUE(cache.use(9).hit);
  EXPECT_EQ(cache.held(), 3u);
  EXPECT_TRUE(cache.drop(9));
  EXPECT_FALSE(cache.drop(9));
  EXPECT_FALSE(cache.use(11).evicted);  // its place
  EXPECT_EQ(cache.use(12).evicted, 10u);
}

TEST(SetCache, WithoutEntriesNothingIsHeld) {
  SetCache cache(0, 0);
  for (int n = 0; n < 3; ++n) EXPECT_FALSE(cache.use(1).hit);
  EXPECT_EQ(cache.held(), 0u);
}

/// Shares of hits when all of `n` entries are used in turn, after the first round.
double in_turn(SetCache& cache, std::uint64_t n) {
  constexpr int rounds = 3;
  std::uint64_t hits = 0;
  for (int r = 0; r <= rounds; ++r) {
    for (std::uint64_t id = 0; id < n; ++id) hits += cache.use(id).hit && r > 0 ? 1 : 0;
  }
  return static_cast<double>(hits) / static_cast<double>(n * rounds);
}

// One set: all or nothing. Sets: of those with more entries than ways nothing, of the others all.
TEST(SetCache, RoundRobinIsExact) {
  for (const std::uint64_t n : {63, 64, 65, 200}) {
    SetCache cache(64, 0);
    EXPECT_EQ(in_turn(cache, n), n <= 64 ? 1.0 : 0.0) << n;
  }
  for (const std::uint32_t ways : {1u, 4u, 16u}) {
    for (const std::uint64_t n : {100, 256, 300, 600}) {
      SetCache cache(256, ways);
      ASSERT_EQ(cache.sets(), 256 / ways);
      std::map<std::size_t, std::uint64_t> of_set;
      for (std::uint64_t id = 0; id < n; ++id) ++of_set[cache.set_of(id)];
      std::uint64_t stay = 0;
      for (const auto& [set, entries] : of_set) stay += entries <= ways ? entries : 0;
      EXPECT_EQ(in_turn(cache, n), static_cast<double>(stay) / static_cast<double>(n))
          << ways << " " << n;
    }
  }
}

// Ids in a row fall into sets as balls into bins: an entry stays when at most ways - 1 others are
// in its set, of a binomial distribution. Within four standard deviations of sets that are alike.
TEST(SetCache, IdsInARowAreSpreadAsRandomOnes) {
  constexpr std::uint32_t entries = 8192, ways = 16, sets = entries / ways;
  for (const std::uint64_t n : {4096, 6144, 8192, 10240}) {
    SetCache cache(entries, ways);
    double stay = 0, term = std::pow(1.0 - 1.0 / sets, static_cast<double>(n - 1));
    for (std::uint32_t others = 0; others < ways; ++others) {
      stay += term;
      term *= static_cast<double>(n - 1 - others) / (others + 1) / (sets - 1);
    }
    EXPECT_NEAR(in_turn(cache, n), stay, 4 * std::sqrt(stay * (1 - stay) / sets) + 0.002) << n;
  }
}

// Random access: Che's approximation (Che, Tung and Wang, IEEE JSAC 2002) says that an entry of
// share p of the accesses hits 1 - exp(-p T) of them, where T makes the sum of that over entries
// the capacity. Its error is below one per cent here (Fricker et al., ITC 2012).
TEST(SetCache, RandomAccessIsChesApproximation) {
  constexpr std::size_t n = 3000;
  for (const double skew : {0.0, 0.8}) {
    std::vector<double> shares, below;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += shares.emplace_back(std::pow(static_cast<double>(i + 1), -skew));
    for (double& p : shares) {
      p /= sum;
      below.push_back((below.empty() ? 0.0 : below.back()) + p);
    }
    for (const std::uint32_t capacity : {100u, 700u, 2000u}) {
      double low = 0, high = 1e9;
      for (int step = 0; step < 100; ++step) {
        const double t = (low + high) / 2;
        double held = 0;
        for (const double p : shares) held += 1 - std::exp(-p * t);
        (held < capacity ? low : high) = t;
      }
      double che = 0;
      for (const double p : shares) che += p * (1 - std::exp(-p * low));
      SetCache cache(capacity, 0);
      RandomStream random(5, "che");
      constexpr int warm = 50'000, accesses = 400'000;
      int hits = 0;
      for (int a = 0; a < warm + accesses; ++a) {
        const double at = static_cast<double>(random.below(1u << 30)) / (1u << 30);
        const auto id = std::lower_bound(below.begin(), below.end(), at) - below.begin();
        hits += cache.use(static_cast<std::uint64_t>(id)).hit && a >= warm ? 1 : 0;
      }
      EXPECT_NEAR(static_cast<double>(hits) / accesses, che, 0.01) << skew << " " << capacity;
    }
  }
}

TEST(SetCache, SetsAreWhole) {
  check_cache({1024, 16}, "a");
  check_cache({1023, 0}, "a");
  EXPECT_THROW(check_cache({1023, 16}, "a"), InputError);
}

}  // namespace
}  // namespace horae::rnic::set_cache_test
