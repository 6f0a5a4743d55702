// Which port starts next, for any number of ports.
#include "horae/tofino/port_starts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::tofino::port_starts_test {
namespace {

/// The earliest port, which starts nothing from here on.
unsigned take_next(PortStarts& starts) {
  const unsigned port = starts.next_port();
  starts.set(port, never);
  return port;
}

TEST(PortStarts, TheEarliestPortAndOfEqualOnesTheLowest) {
  PortStarts starts(5);
  EXPECT_EQ(starts.next_time(), never);
  starts.set(4, 30_ns);
  starts.set(2, 50_ns);
  starts.set(3, 30_ns);
  starts.set(0, 30_ns);
  EXPECT_EQ(starts.of(3), 30_ns);
  EXPECT_EQ(starts.of(1), never);
  EXPECT_EQ(starts.next_time(), 30_ns);
  EXPECT_EQ(take_next(starts), 0u);
  EXPECT_EQ(starts.of(0), never);
  starts.set(3, 60_ns);  // later than it was
  EXPECT_EQ(take_next(starts), 4u);
  EXPECT_EQ(starts.next_time(), 50_ns);
  starts.set(3, 10_ns);  // and earlier
  EXPECT_EQ(take_next(starts), 3u);
  EXPECT_EQ(take_next(starts), 2u);
  EXPECT_EQ(starts.next_time(), never);
}

TEST(PortStarts, IsASearchThroughAllPorts) {
  for (const unsigned ports : {1u, 2u, 3u, 31u, 32u, 33u, 512u}) {
    RandomStream random(ports, "port_starts");
    PortStarts starts(ports);
    std::vector<Picoseconds> times(ports, never);
    for (int i = 0; i < 3000; ++i) {
      const auto least = std::min_element(times.begin(), times.end());
      ASSERT_EQ(starts.next_time(), *least);
      if (*least != never && random.below(2) == 0) {
        ASSERT_EQ(take_next(starts), static_cast<unsigned>(least - times.begin()));
        *least = never;
      } else {
        const unsigned port = random.below(ports);
        times[port] = Picoseconds(random.below(50));
        starts.set(port, times[port]);
      }
      const unsigned any = random.below(ports);
      ASSERT_EQ(starts.of(any), times[any]);
    }
  }
}

TEST(PortStarts, AnyTimeBeforeNeverIsATime) {
  PortStarts starts(600);
  const Picoseconds last = never - 1_ps;
  starts.set(599, last);
  EXPECT_EQ(starts.next_time(), last);
  starts.set(598, Picoseconds(std::int64_t{1} << 55));
  EXPECT_EQ(take_next(starts), 598u);
  EXPECT_EQ(take_next(starts), 599u);
}

}  // namespace
}  // namespace horae::tofino::port_starts_test
