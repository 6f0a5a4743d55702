// Pipeline-parallel training: who sends what, and what waits for what.
#include "horae/traffic/pipeline.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::traffic::pipeline_test {
namespace {

TEST(Pipeline, AMicroBatchGoesForwardAndBackLayerByLayer) {
  const auto flows = pipeline_flows({.layers = 3, .width = 1, .start = 5_us});
  ASSERT_EQ(flows.size(), 4u);
  const std::vector<std::pair<unsigned, unsigned>> way = {{0, 1}, {1, 2}, {2, 1}, {1, 0}};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(std::pair(flows[i].from, flows[i].to), way[i]) << i;
    // Each but the first is started by the one before.
    EXPECT_EQ(flows[i].trigger, i == 0 ? 0 : flows[i - 1].fires) << i;
    EXPECT_EQ(flows[i].fires != 0, i < 3) << i;
  }
  EXPECT_EQ(flows[0].start, 5_us);
}

TEST(Pipeline, OnlyForward) {
  const auto flows = pipeline_flows({.layers = 4, .width = 2, .backward = false});
  ASSERT_EQ(flows.size(), 6u);
  for (const auto& f : flows) EXPECT_EQ(f.to, f.from + 2);  // the same worker of the next layer
}

TEST(Pipeline, MicroBatchesEnterAtTheirTimesAndDoNotWaitForEachOther) {
  const auto flows = pipeline_flows(
      {.layers = 3, .width = 2, .micro_batches = 5, .connections = 3, .interval = 10_us});
  ASSERT_EQ(flows.size(), 5u * 2 * 3 * 4);
  std::map<std::uint32_t, unsigned> fired, waiting;
  unsigned first = 0;
  for (const auto& f : flows) {
    if (f.fires != 0) ++fired[f.fires];
    if (f.trigger == 0) {
      EXPECT_EQ(f.start, 10_us * static_cast<std::int64_t>(first++ / 6));  // 2 workers, 3 messages
      continue;
    }
    EXPECT_EQ(f.after, 3u);
    ++waiting[f.trigger];
  }
  EXPECT_EQ(first, 30u);
  // Messages that wait for a trigger are fired by all connections of the hop before, and by nothing
  // else.
  EXPECT_EQ(fired, waiting);
  for (const auto& [trigger, times] : fired) EXPECT_EQ(times, 3u) << trigger;
}

TEST(Pipeline, OneLayerIsNone) { EXPECT_THROW(pipeline_flows({.layers = 1}), InputError); }

}  // namespace
}  // namespace horae::traffic::pipeline_test
