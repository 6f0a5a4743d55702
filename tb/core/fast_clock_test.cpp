// Multiplying by fractions and edges of clocks, against the definition in 128 bits.
#include "horae/core/fast_clock.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "horae/core/ratio.hpp"

namespace horae {
namespace {

constexpr std::uint64_t largest = ~std::uint64_t{0};

std::uint64_t divided(std::uint64_t x, std::uint64_t n, std::uint64_t d, std::uint64_t extra) {
  return static_cast<std::uint64_t>((static_cast<detail::Wide>(x) * n + extra) / d);
}

TEST(Ratio, IsTheQuotientRoundedDown) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    // Numbers of all sizes, so that many are just inside and just outside of what a reciprocal can
    // do.
    const auto number = [&](unsigned most_bits) {
      return random() >> (64 - 1 - random() % most_bits);
    };
    const std::uint64_t n = 1 + number(41), d = 1 + number(41),
                        extra = random() % 2 == 0 ? 0 : d - 1;
    const Ratio ratio(n, d, extra);
    const std::uint64_t border = largest / d / (n + 1);
    for (const std::uint64_t x : {std::uint64_t{0}, std::uint64_t{1}, number(63), border,
                                  border + 1, border / 2, border + number(20)}) {
      ASSERT_EQ(ratio.of(x), divided(x, n, d, extra)) << x << " x " << n << " / " << d;
    }
  }
}

TEST(Ratio, MultiplesAndTheirNeighbours) {
  for (const std::uint64_t d : {1u, 2u, 3u, 7u, 61u, 2000u, 50'000u, 1u << 20}) {
    for (const std::uint64_t n : {1u, 3u, 61u, 2000u}) {
      const Ratio down(n, d, 0), up(n, d, d - 1);
      for (std::uint64_t k = 1; k < largest / n / d / 4; k = k * 3 + 1) {
        for (const std::uint64_t x : {k * d - 1, k * d, k * d + 1}) {
          ASSERT_EQ(down.of(x), divided(x, n, d, 0)) << x << " x " << n << " / " << d;
          ASSERT_EQ(up.of(x), divided(x, n, d, d - 1)) << x << " x " << n << " / " << d;
        }
      }
    }
  }
}

// 1.5 GHz is Tofino2's; the rest have awkward periods, or whole ones, or are at the ends.
const std::vector<std::int64_t> frequencies = {
    1'500'000'000,  1'220'000'000, 1'000'000'000, 1'312'500'000, 1'234'567'891, 3, 1,
    999'999'999'989};

TEST(FastClock, HasTheEdgesOfTheClock) {
  std::mt19937_64 random(11);
  for (const std::int64_t hz : frequencies) {
    const Clock clock{Hertz(hz)};
    const FastClock fast(clock);
    // Up to the longest simulation: 2^63 ps.
    const std::int64_t most =
        hz < 4 ? 1'000'000 : clock.at_or_after(Picoseconds(1LL << 62)).count();
    for (int i = 0; i < 20'000; ++i) {
      const Cycles n(static_cast<std::int64_t>((random() >> random() % 63) %
                                               static_cast<std::uint64_t>(most)));
      ASSERT_EQ(fast.edge(n), clock.edge(n)) << hz << " Hz, edge " << n.count();
    }
  }
}

TEST(FastClock, FindsTheSameEdgeAtOrAfter) {
  std::mt19937_64 random(13);
  for (const std::int64_t hz : frequencies) {
    const Clock clock{Hertz(hz)};
    const FastClock fast(clock);
    const auto same = [&](std::int64_t t) {
      ASSERT_EQ(fast.at_or_after(Picoseconds(t)), clock.at_or_after(Picoseconds(t)))
          << hz << " Hz at " << t << " ps";
    };
    for (int i = 0; i < 20'000; ++i)
      same(static_cast<std::int64_t>(random() >> (1 + random() % 62)));
    for (std::int64_t n = 1; n < 1000 && hz > 4; ++n) {  // on an edge, and beside it
      const std::int64_t edge = clock.edge(Cycles(n * n)).count();
      same(edge - 1);
      same(edge);
      same(edge + 1);
    }
  }
}

}  // namespace
}  // namespace horae
