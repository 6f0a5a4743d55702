// Rings of paused queues, from what devices say of who waits for whom.
#include "horae/fabric/ports/pause_waits.hpp"

#include <gtest/gtest.h>

namespace horae::fabric::pause_waits_test {
namespace {

/// Switches a, b, c in a ring, each with port 0 to the one before and 1 to the next (a: 0 to b, 1
/// to c), and an end point at port 2 of each.
class Ring : public ::testing::Test {
 protected:
  Ring() {
    for (const char* name : {"a", "b", "c"}) topology.add_switch(name);
    topology.add_edge(0, 1);  // a 0, b 0
    topology.add_edge(1, 2);  // b 1, c 0
    topology.add_edge(2, 0);  // c 1, a 1
    for (unsigned i = 0; i < 3; ++i) topology.add_edge(i, topology.add_endpoint("h"));
  }
  static PortClass at(unsigned device, unsigned port, unsigned c = 0) {
    return {device, static_cast<std::uint16_t>(port), static_cast<std::uint16_t>(c)};
  }
  /// Each switch is paused by the next, which keeps its packets for the one after.
  PauseWaits all_wait(unsigned c = 0) const {
    return {
        .held = {at(2, 1, c), at(1, 1, c), at(0, 0, c)},
        .kept_in = {
            {at(1, 0, c), at(1, 1, c)}, {at(2, 0, c), at(2, 1, c)}, {at(0, 1, c), at(0, 0, c)}}};
  }

  Topology topology;
};

TEST_F(Ring, OfQueuesThatWaitForEachOtherIsNamed) {
  const auto ring = pause_ring(topology, all_wait());
  EXPECT_EQ(ring, (std::vector{at(0, 0), at(1, 1), at(2, 1)}));
  EXPECT_EQ(describe(topology, ring),
            "a port 0 (class 0) waits for b port 1, which waits for c port 1, which waits for a "
            "port 0");
  EXPECT_EQ(describe(topology, {}), "");
}

TEST_F(Ring, NeedsEveryLink) {
  for (std::size_t i = 0; i < 3; ++i) {
    PauseWaits waits = all_wait();
    waits.held.erase(waits.held.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(pause_ring(topology, waits).empty()) << i;
    waits = all_wait();
    waits.kept_in.erase(waits.kept_in.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_TRUE(pause_ring(topology, waits).empty()) << i;
  }
}

TEST_F(Ring, IsNoneWhereSomePacketsCanLeave) {
  PauseWaits waits = all_wait();
  waits.kept_in.push_back({at(1, 0), at(1, 2)});  // to its end point, which is not paused
  EXPECT_TRUE(pause_ring(topology, waits).empty());
  waits.held.push_back(at(1, 2));  // paused, but by an end point that says nothing of why
  EXPECT_TRUE(pause_ring(topology, waits).empty());
}

TEST_F(Ring, IsOfOneClass) {
  PauseWaits waits = all_wait(3);
  EXPECT_EQ(pause_ring(topology, waits).size(), 3u);
  waits.held[0].traffic_class = 4;
  EXPECT_TRUE(pause_ring(topology, waits).empty());
}

TEST_F(Ring, IsFoundBehindThoseThatOnlyWaitForIt) {
  PauseWaits waits = all_wait();
  const unsigned d = topology.add_switch("d");
  topology.add_edge(d, 0);  // d 0, a 3
  waits.held.insert(waits.held.begin(), at(d, 0));
  waits.kept_in.push_back({at(0, 3), at(0, 0)});
  EXPECT_EQ(pause_ring(topology, waits), (std::vector{at(0, 0), at(1, 1), at(2, 1)}));
}

// The search may begin outside of the ring: here with the least of all held queues.
TEST_F(Ring, IsLeftWithoutTheWayThatLedToIt) {
  PauseWaits waits = all_wait(1);
  waits.held.push_back(at(0, 0, 0));
  waits.kept_in.push_back({at(1, 0, 0), at(1, 1, 1)});
  EXPECT_EQ(pause_ring(topology, waits), (std::vector{at(0, 0, 1), at(1, 1, 1), at(2, 1, 1)}));
}

}  // namespace
}  // namespace horae::fabric::pause_waits_test
