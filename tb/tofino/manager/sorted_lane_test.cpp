// The lane between ingress and the traffic manager: its order, whatever it is put in by.
#include "horae/tofino/sorted_lane.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/fabric/events/event.hpp"

namespace horae::tofino::sorted_lane_test {
namespace {

using fabric::Event;
using fabric::make_key;

Event at(std::int64_t ps, std::uint16_t port, std::uint64_t ordinal) {
  return {Picoseconds(ps), make_key(1, port, ordinal), ordinal};
}

std::vector<std::uint64_t> drained(SortedLane<Event>& lane) {
  std::vector<std::uint64_t> out;
  for (; !lane.empty(); lane.pop()) {
    EXPECT_EQ(lane.next_time(), lane.front().time);
    out.push_back(lane.front().payload);
  }
  EXPECT_EQ(lane.next_time(), never);
  return out;
}

TEST(SortedLane, OfOneTimeTheLowerPortIsFirstThenTheLowerOrdinal) {
  SortedLane<Event> lane;
  EXPECT_TRUE(lane.empty());
  lane.push(at(100, 7, 1));
  lane.push(at(100, 3, 2));  // the same time, a port before
  lane.push(at(100, 3, 3));
  lane.push(at(90, 9, 4));  // its header did not wait for a clock
  lane.push(at(100, 5, 5));
  EXPECT_EQ(drained(lane), (std::vector<std::uint64_t>{4, 2, 3, 5, 1}));
}

// Against a sort, while the front moves on and the array grows.
TEST(SortedLane, KeepsTheOrderOfASort) {
  RandomStream random(1, "sorted_lane");
  SortedLane<Event> lane;
  std::vector<Event> waiting;
  std::uint64_t ordinal = 0;
  for (std::int64_t now = 0; now < 5000; ++now) {
    for (std::uint32_t n = random.below(now % 500 < 50 ? 9 : 3); n-- > 0;) {
      const Event e =
          at(now + 40 + random.below(5), static_cast<std::uint16_t>(random.below(4)), ordinal++);
      lane.push(e);
      waiting.push_back(e);
    }
    std::sort(waiting.begin(), waiting.end());
    while (!waiting.empty() && waiting.front().time.count() <= now) {
      ASSERT_EQ(lane.front().payload, waiting.front().payload);
      lane.pop();
      waiting.erase(waiting.begin());
    }
    ASSERT_EQ(lane.next_time(), waiting.empty() ? never : waiting.front().time);
  }
  EXPECT_GT(ordinal, 4000u);
}

}  // namespace
}  // namespace horae::tofino::sorted_lane_test
