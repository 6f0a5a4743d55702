// kind = "pipeline": micro-batches from layer to layer.
#include <map>

#include "horae/workload/traffic.hpp"
#include "placed.hpp"

namespace horae::test::pipeline_test {
namespace {

using workload::Flow;

std::string pipeline(const std::string& rest) {
  return "kind = \"pipeline\"\nlayers = 4\nsize = \"100 KB\"\nduration = \"1 ms\"\n" + rest;
}

TEST(PipelineTraffic, ItsLoadIsThatOfTheLayersBetween) {
  // 100 Gbps: 20 Gbps of 200 KB both ways are a micro-batch every 80 us, 13 in a millisecond.
  const auto platform = eight_placed(pipeline("load = 0.2\nconnections = 4\n"));
  const auto flows = flows_of(platform);
  std::map<unsigned, std::int64_t> sent;
  Picoseconds last{};
  for (const Flow& f : flows) {
    EXPECT_EQ(f.message, Bytes(25'000));
    EXPECT_EQ(std::max(f.from, f.to) - std::min(f.from, f.to), 2u);
    sent[f.from] += f.message.count();
    if (f.trigger == 0) last = std::max(last, f.start);
  }
  EXPECT_EQ(last, 80_us * 12);
  EXPECT_EQ(sent, (std::map<unsigned, std::int64_t>{{0, 1'300'000},
                                                    {1, 1'300'000},
                                                    {2, 2'600'000},
                                                    {3, 2'600'000},
                                                    {4, 2'600'000},
                                                    {5, 2'600'000},
                                                    {6, 1'300'000},
                                                    {7, 1'300'000}}));
  EXPECT_EQ(workload::traffic_of(platform, 0).measure(), workload::Measure::messages);
}

TEST(PipelineTraffic, ForwardOnlyTheSameLoadIsTwiceAsManyMicroBatches) {
  for (const bool backward : {true, false}) {
    Picoseconds second = never;
    for (const Flow& f :
         flows_of(eight_placed(pipeline(fmt::format("load = 0.2\nbackward = {}\n", backward))))) {
      if (f.trigger == 0 && f.start > 0_ps) second = std::min(second, f.start);
    }
    EXPECT_EQ(second, backward ? 80_us : 40_us);
  }
}

TEST(PipelineTraffic, ComputingComesBeforeWhatWaits) {
  for (const Flow& f : flows_of(eight_placed(pipeline("compute = \"3 us\"\n"))))
    EXPECT_EQ(f.notify_delay, f.fires_at_receiver != 0 ? 3_us : 0_ps);
}

TEST(PipelineTraffic, WhatDoesNotDivideIsRefused) {
  expect_refused("kind = \"pipeline\"\nlayers = 3\n", 2, "8 members do not make 3 layers");
  expect_refused(pipeline("connections = 7\n"), 5, "100000 bytes do not divide into 7 messages");
  expect_refused("kind = \"pipeline\"\nlayer = 3\n", 2, "'layers'");
}

}  // namespace
}  // namespace horae::test::pipeline_test
