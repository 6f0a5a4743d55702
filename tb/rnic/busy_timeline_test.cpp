// Reservations of a resource.
#include "horae/rnic/busy_timeline.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::test::busy_timeline_test {
namespace {

// Against a calendar of single picoseconds.
TEST(BusyTimeline, TakesTheFirstFreeTimeInPieces) {
  RandomStream random(5, "busy_timeline");
  for (int round = 0; round < 200; ++round) {
    rnic::BusyTimeline timeline;
    std::vector<bool> taken(20'000);
    std::int64_t now = 0;
    for (int i = 0; i < 200; ++i) {
      now += random.below(random.chance(0.1) ? 200 : 8);
      const std::int64_t earliest = now + random.below(300);
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

}  // namespace
}  // namespace horae::test::busy_timeline_test
