// Reservations of a resource.
#include "horae/rnic/parts/busy_timeline.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::test::busy_timeline_test {
namespace {

// Against a calendar of single picoseconds. `step`: most between two calls; `ahead`: most between a
// call and what it asks for.
void expect_first_free_time(std::uint32_t step, std::uint32_t ahead) {
  RandomStream random(5, "busy_timeline");
  for (int round = 0; round < 200; ++round) {
    rnic::BusyTimeline timeline;
    std::vector<bool> taken(40'000 + 200 * step);
    std::int64_t now = 0;
    for (int i = 0; i < 200; ++i) {
      now += random.below(random.chance(0.1) ? 200 : step);
      const std::int64_t earliest = now + random.below(ahead);
      std::int64_t left = 1 + random.below(20);
      timeline.forget_before(Picoseconds(now));
      const Picoseconds end = timeline.reserve(Picoseconds(earliest), Picoseconds(left));
      auto at = static_cast<std::size_t>(earliest);
      for (; left > 0; ++at) {
        if (taken.at(at)) continue;
        taken[at] = true;
        --left;
      }
      ASSERT_EQ(end.count(), static_cast<std::int64_t>(at)) << "round " << round << " call " << i;
    }
  }
}

TEST(BusyTimeline, TakesTheFirstFreeTimeInPieces) { expect_first_free_time(8, 300); }

TEST(BusyTimeline, WhatIsPastLeavesNoTrace) {
  expect_first_free_time(40, 1);
  expect_first_free_time(40, 30);
}

}  // namespace
}  // namespace horae::test::busy_timeline_test
