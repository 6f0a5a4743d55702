// A shared buffer whose starts are taken late against one whose starts are events in their order.
#include <gtest/gtest.h>

#include <string>

#include "fabric_parts.hpp"
#include "leaf_spine.hpp"

namespace horae::fabric::late_starts_test {
namespace {

using test::in_child;
using test::value_in;

// Watched switches start packets by events, one by one. Everything counted, to the byte and at
// three moments, must be the same when they do not.
std::string same_both_ways(test::LeafSpine scenario) {
  const std::string late = in_child([&] { return scenario.run(); });
  observer watcher;
  scenario.watcher = &watcher;
  const std::string by_events = in_child([&] { return scenario.run(); });
  EXPECT_EQ(late, by_events);
  return late;
}

// Bursts into a buffer that holds some tens of packets.
test::LeafSpine crowded() {
  test::LeafSpine scenario;
  scenario.sw.balance = "spray";
  scenario.sw.buffer = 60'000_B;
  scenario.sw.red = {.kmin = 8000_B, .kmax = 25'000_B, .pmax = 0.3};
  scenario.classes = 3;
  scenario.longest_burst = 64;
  scenario.buffers = true;
  return scenario;
}

TEST(LateStarts, WhatASharedBufferDrops) {
  const std::string result = same_both_ways(crowded());
  EXPECT_GT(value_in(result, "buffer_full"), 0u);
  EXPECT_GT(value_in(result, "marked"), 0u);
}

TEST(LateStarts, TheMostThatWasBuffered) {
  test::LeafSpine scenario = crowded();
  scenario.sw.buffer = 100'000'000_B;  // never full
  const std::string result = same_both_ways(scenario);
  EXPECT_EQ(value_in(result, "buffer_full"), 0u);
  EXPECT_GT(value_in(result, "most"), 60'000u);
}

TEST(LateStarts, AQueuesShareOfWhatIsFree) {
  test::LeafSpine scenario = crowded();
  scenario.sw.queue_share = 0.5;
  EXPECT_GT(value_in(same_both_ways(scenario), "queue_full"), 0u);
}

TEST(LateStarts, Deflection) {
  test::LeafSpine scenario = crowded();
  scenario.sw.queue_limit = 20'000_B;
  scenario.sw.deflect = true;
  EXPECT_GT(value_in(same_both_ways(scenario), "deflected"), 0u);
}

TEST(LateStarts, PausesOfAFixedThreshold) {
  test::LeafSpine scenario = crowded();
  scenario.sw.buffer = {};
  scenario.sw.pfc = {.xoff = 12'000_B, .xon = 6000_B, .headroom = 60'000_B};
  const std::string result = same_both_ways(scenario);
  EXPECT_GT(value_in(result, "pauses"), 0u);
  EXPECT_EQ(value_in(result, "headroom_full"), 0u);
}

TEST(LateStarts, PausesOfADynamicThresholdAndAHeadroomThatIsTooSmall) {
  test::LeafSpine scenario = crowded();
  scenario.sw.buffer = 400'000_B;
  scenario.sw.pfc = {.headroom = 6000_B, .alpha = 0.0625, .minimum = 1048_B, .classes = 3};
  const std::string result = same_both_ways(scenario);
  EXPECT_GT(value_in(result, "pauses"), 0u);
  EXPECT_GT(value_in(result, "headroom_full"), 0u);
}

}  // namespace
}  // namespace horae::fabric::late_starts_test
