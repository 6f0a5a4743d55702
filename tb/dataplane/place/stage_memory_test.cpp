// RAMs of registers, counters and meters beside their ALUs, against every way of laying them out.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "designs.hpp"
#include "horae/core/random.hpp"
#include "horae/dataplane/place/placement.hpp"

namespace horae::dataplane::stage_memory_test {
namespace {

using Memories = std::vector<StatefulMemory>;

std::string describe(const Memories& memories) {
  std::string out;
  for (const auto& m : memories) {
    out += std::to_string(m.rams) + (m.statistics ? " statistics, " : " stateful, ");
  }
  return out;
}

Memories random_memories(RandomStream& random, bool with_statistics) {
  Memories out;
  const unsigned n = 1 + random.below(7);
  for (unsigned i = 0; i < n; ++i) {
    const bool statistics = with_statistics && random.chance(0.5);
    const std::uint32_t most = random.chance(0.3) ? 35 : 14;
    out.push_back({statistics, 2 + random.below(most)});
  }
  return out;
}

// Two halves of 24 RAMs, two stateful ALUs in each: of two registers in one half the smaller is
// always within reach of the lower ALU.
struct Halves {
  std::array<std::int64_t, 2> rams = {24, 24};
  std::array<std::array<int, 2>, 2> alus = {{{2, 2}, {2, 2}}};

  bool take(std::size_t half, bool statistics, std::int64_t n) {
    rams[half] -= n;
    return --alus[half][statistics ? 1 : 0] >= 0 && rams[half] >= 0;
  }
};

bool halves_hold(const Memories& memories, std::size_t i = 0, Halves halves = {}) {
  if (i == memories.size()) return true;
  const StatefulMemory& m = memories[i];
  for (const std::size_t half : {0u, 1u}) {
    Halves next = halves;
    if (next.take(half, m.statistics, m.rams) && halves_hold(memories, i + 1, next)) return true;
  }
  return false;
}

// Eight rows of six RAMs, stateful ALUs on odd rows, statistics ALUs on even ones. An object lies
// on the row of its ALU and the `below` next ones, in a split core those of its half. There is room
// when, for every run of rows, what must lie within it is no more than it has.
bool rows_hold(const Memories& memories, std::size_t below, bool split, std::size_t i = 0,
               std::array<std::int64_t, 8> at = {}) {
  if (i < memories.size()) {
    for (std::size_t home = memories[i].statistics ? 0 : 1; home < 8; home += 2) {
      if (at[home] != 0) continue;
      auto next = at;
      next[home] = memories[i].rams;
      if (rows_hold(memories, below, split, i + 1, next)) return true;
    }
    return false;
  }
  for (std::size_t low = 0; low < 8; ++low) {
    for (std::size_t high = low; high < 8; ++high) {
      std::int64_t within = 0;
      for (std::size_t home = low; home <= high; ++home) {
        const std::size_t reached = home < below ? 0 : home - below;
        if (std::max(reached, split && home >= 4 ? std::size_t{4} : 0) >= low) within += at[home];
      }
      if (within > static_cast<std::int64_t>(6 * (high - low + 1))) return false;
    }
  }
  return true;
}

TEST(StageMemory, HalvesOfTofino2) {
  RandomStream random(20, "halves");
  int held = 0;
  for (int round = 0; round < 50000; ++round) {
    const Memories memories = random_memories(random, false);
    const bool fits = fits_stateful(memories, shipped_chip("tofino2"));
    ASSERT_EQ(fits, halves_hold(memories)) << describe(memories);
    ASSERT_EQ(fits, rows_hold(memories, 3, true)) << describe(memories);
    held += fits ? 1 : 0;
  }
  EXPECT_GT(held, 5000);
  EXPECT_LT(held, 45000);
}

TEST(StageMemory, RowsOfTofino1) {
  RandomStream random(20, "rows");
  int held = 0;
  for (int round = 0; round < 20000; ++round) {
    const Memories memories = random_memories(random, true);
    const bool fits = fits_stateful(memories, shipped_chip("tofino1"));
    ASSERT_EQ(fits, rows_hold(memories, 5, false)) << describe(memories);
    held += fits ? 1 : 0;
  }
  EXPECT_GT(held, 2000);
  EXPECT_LT(held, 18000);
}

TEST(StageMemory, CountersAndRegistersOfTofino2) {
  RandomStream random(20, "mixed");
  int held = 0;
  for (int round = 0; round < 20000; ++round) {
    const Memories memories = random_memories(random, true);
    const bool fits = fits_stateful(memories, shipped_chip("tofino2"));
    ASSERT_EQ(fits, rows_hold(memories, 3, true)) << describe(memories);
    held += fits ? 1 : 0;
  }
  EXPECT_GT(held, 2000);
  EXPECT_LT(held, 18000);
}

// A statistics ALU of Tofino2 is on row 2 or 6 at best: three rows of its half.
TEST(StageMemory, WhatOneAluReaches) {
  EXPECT_EQ(most_rams(false, shipped_chip("tofino2")), 24);
  EXPECT_EQ(most_rams(true, shipped_chip("tofino2")), 18);
  EXPECT_EQ(most_rams(false, shipped_chip("tofino1")), 36);
  EXPECT_EQ(most_rams(true, shipped_chip("tofino1")), 36);
}

}  // namespace
}  // namespace horae::dataplane::stage_memory_test
