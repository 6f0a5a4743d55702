// HPCC through a switch that adds telemetry.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "horae/policy/congestion/hpcc.hpp"
#include "star.hpp"

namespace horae::rnic::hpcc_network_test {
namespace {

using test::plain_nic;
using test::run_on;
using test::Star;

// The round trip without queues is 4 us of links and half a microsecond of wire.
RnicConfig hpcc(Bytes additive = 80_B) {
  RnicConfig config = plain_nic("hpcc");
  auto& p = config.congestion.parameters.of<policy::HpccConfig>().values.emplace();
  p.base_rtt = 5_us;
  p.additive_increase = additive;
  return config;
}
fabric::SwitchConfig recording() {
  return {.latency = 0_ps, .control_class = 7u, .telemetry = true};
}
double share(double bytes, Picoseconds time) { return bytes * 8 / to_seconds(time) / 100e9; }

TEST(HpccNetwork, OneFlowFillsEtaOfTheLineAndNoQueue) {
  fabric::sim_context context;
  Star star(context, hpcc(), recording(), {{Bytes(100'000'000), 0_ps}});
  run_on(context, 100_us);
  const double before = star.carried();
  const auto depths = star.depths(context, 100_us, 600_us, 1_us);
  EXPECT_NEAR(share(star.carried() - before, 500_us), 0.95, 0.01);
  EXPECT_LT(*std::max_element(depths.begin(), depths.end()), 2 * 1100);
}

TEST(HpccNetwork, TwoFlowsShareAndTheQueueIsShort) {
  fabric::sim_context context;
  Star star(context, hpcc(1_KiB), recording(),
            {{Bytes(100'000'000), 0_ps}, {Bytes(100'000'000), 200_us}});
  run_on(context, 1'500_us);
  const auto delivered = [&](std::size_t qp) {
    return static_cast<double>(star.receiver().queue_pair(qp).progress().delivered_bytes);
  };
  const double a = delivered(0), b = delivered(1), carried = star.carried();
  const auto depths = star.depths(context, 1'500_us, 2'500_us, 1_us);
  const double first = delivered(0) - a, second = delivered(1) - b;
  EXPECT_NEAR(first / (first + second), 0.5, 0.03);
  EXPECT_NEAR(share(star.carried() - carried, 1_ms), 0.95, 0.04);
  EXPECT_LT(std::accumulate(depths.begin(), depths.end(), 0.0) / static_cast<double>(depths.size()),
            8'000);
}

// Eight windows of 62.5 KB meet at one port, then there is no queue to speak of.
TEST(HpccNetwork, IncastFitsEightWindows) {
  fabric::sim_context context;
  fabric::SwitchConfig sw = recording();
  sw.queue_limit = Bytes(8 * 62'500 + 100'000);
  Star star(context, hpcc(), sw, std::vector<Star::Flow>(8, {Bytes(50'000'000), 0_ps}));
  const auto first = star.depths(context, 0_ps, 100_us, 100_ns);
  EXPECT_GT(*std::max_element(first.begin(), first.end()), 100'000);
  const auto later = star.depths(context, 500_us, 1'500_us, 1_us);
  EXPECT_LT(std::accumulate(later.begin(), later.end(), 0.0) / static_cast<double>(later.size()),
            20'000);
  EXPECT_EQ(star.middle->counters().dropped, 0u);
}

// Four flows whose T is three times their round trip. Where W = Wc / (U / eta) + W_AI rests, U is
// eta + 4 W_AI / (B T), 0.952, a part of which is the queue. With steps of addition between they
// come there. A window that follows U at every round trip does not: U remembers the load of T,
// three round trips, so that each is corrected three times over. Algorithm 1 written apart, without
// packets' headers, gives 0.946 and 0.845.
TEST(HpccNetwork, ALoadThatIsRememberedLongerThanARoundTripIsCorrectedTooOften) {
  const auto carried = [](std::uint32_t max_stage) {
    return test::in_child([&]() -> std::string {
      fabric::sim_context context;
      RnicConfig config = hpcc();
      auto& p = *config.congestion.parameters.of<policy::HpccConfig>().values;
      p.base_rtt = 13_us;
      p.max_stage = max_stage;
      Star star(context, config, recording(),
                std::vector<Star::Flow>(4, {Bytes(90'000'000), 0_ps}));
      run_on(context, 2_ms);
      const double before = star.carried();
      run_on(context, 10_ms);
      return std::to_string(share(star.carried() - before, 8_ms));
    });
  };
  EXPECT_NEAR(std::stod(carried(5)), 0.946, 0.01);
  EXPECT_NEAR(std::stod(carried(0)), 0.845, 0.03);
}

// 2 bytes of head and 8 a hop: 1088 bytes leave the NIC with a payload of 1024, less where there
// is no RETH; the acknowledgement brings all back.
TEST(HpccNetwork, TelemetryTakesItsBytesOnTheWire) {
  fabric::sim_context context;
  Star star(context, hpcc(), recording(), {{10_KiB, 0_ps}});
  run_on(context, 100_us);
  ASSERT_TRUE(star.nics[0]->finished());
  const auto plain = static_cast<std::uint64_t>(
      10 * frame_bytes(Opcode::write_middle, 1_KiB).count() + wire::reth);
  EXPECT_EQ(star.nics[0]->tx(0).counters().frame_bytes, plain + 10 * 2);
  EXPECT_EQ(star.middle->tx(1).counters().frame_bytes, plain + 10 * (2 + 8));
  const auto ack = static_cast<std::uint64_t>(frame_bytes(Opcode::acknowledge, 0_B).count());
  EXPECT_EQ(star.receiver().tx(0).counters().frame_bytes, 10 * (ack + 2 + 8));
  EXPECT_EQ(star.middle->tx(0).counters().frame_bytes, 10 * (ack + 2 + 8));
}

TEST(HpccNetwork, WithoutListenersNothingIsAdded) {
  fabric::sim_context context;
  Star star(context, plain_nic("none"), recording(), {{10_KiB, 0_ps}});
  run_on(context, 100_us);
  ASSERT_TRUE(star.nics[0]->finished());
  EXPECT_EQ(star.middle->tx(1).counters().frame_bytes, star.nics[0]->tx(0).counters().frame_bytes);
  EXPECT_FALSE(context.pool.carries_feedback());
}

}  // namespace
}  // namespace horae::rnic::hpcc_network_test
