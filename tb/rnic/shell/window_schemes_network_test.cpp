// Windows in the NIC's time, and DCTCP, Swift and TIMELY through a switch.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "horae/policy/congestion/dctcp.hpp"
#include "horae/policy/congestion/swift.hpp"
#include "horae/policy/congestion/timely.hpp"
#include "host_parts.hpp"
#include "star.hpp"

namespace horae::rnic::window_schemes_network_test {
namespace {

using test::messages;
using test::NicAndPeer;
using test::plain_nic;
using test::run_on;
using test::Star;

double mean(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

// ---- the window

RnicConfig four_packets() {
  RnicConfig config = test::odd_latencies();
  config.reliability.ack_every = 1;
  config.congestion.algorithm = "dctcp";
  config.congestion.parameters.of<policy::DctcpConfig>().values.emplace().initial_window = 4_KiB;
  return config;
}

TEST(CongestionWindow, NewDataWaitsForRoom) {
  fabric::sim_context context;
  NicAndPeer line(context, four_packets());
  line.queue_pair(messages(16_KiB));
  line.far->ack(line.response_known_at(10_us), 1);
  line.far->ack(line.response_known_at(20_us), 4);
  run_on(context, 40_us);
  // Four at once; one for the first acknowledgement, whose growth of a quarter opens another (so
  // long as less than the window is in flight, a packet goes); then three and the growth.
  const auto at = test::decisions(line);
  ASSERT_GE(at.size(), 9u);
  EXPECT_LT(at[3], 1_us);
  EXPECT_EQ(at[4], 10_us);
  EXPECT_LT(at[5], 10'200_ns);
  EXPECT_EQ(at[6], 20_us);
  EXPECT_GT(test::idle_time(*line.nic, IdleCause::window), 15_us);
}

// A NACK halves the window, and what it asks for goes all the same.
TEST(CongestionWindow, RetransmissionsDoNotWait) {
  fabric::sim_context context;
  RnicConfig config = four_packets();
  config.transport = "go_back_n";
  NicAndPeer line(context, config);
  line.queue_pair(messages(16_KiB));
  line.far->nack(line.response_known_at(10_us), 0);
  run_on(context, 20_us);
  const auto psns = line.far->psns_seen();
  ASSERT_EQ(psns.size(), 8u);
  EXPECT_EQ(psns[4], 0u);
  EXPECT_EQ(psns[7], 3u);
}

// ---- DCTCP

// Alizadeh et al., SIGCOMM 2010, 3.3: N flows in step with windows up to (C x RTT + K) / N keep the
// queue between K + N and that less D, with alpha = sqrt(2 / w*) and D = N w* alpha / 2.
TEST(DctcpNetwork, TheQueueSwingsBelowTheThreshold) {
  fabric::sim_context context;
  RnicConfig config = plain_nic("dctcp");
  config.mtu = 1000_B;
  auto& p = config.congestion.parameters.of<policy::DctcpConfig>().values.emplace();
  p.increase = 1000_B;
  p.initial_window = 60_KiB;
  const double k = 65'000;
  fabric::SwitchConfig sw{.latency = 0_ps, .control_class = 7u};
  sw.red = {.kmin = Bytes(65'000), .kmax = Bytes(65'000), .pmax = 1.0};
  Star star(context, config, sw, {{Bytes(500'000'000), 0_ps}, {Bytes(500'000'000), 0_ps}});
  run_on(context, 3_ms);
  const double before = star.carried();
  const auto depths = star.depths(context, 3_ms, 6_ms, 1_us);
  // Bytes of frames: a packet is 1062, the round trip 4.4 us with 55 KB on the way.
  const double packet = 1062;
  const double w = (100e9 / 8 * 4.4e-6 + k) / 2 / packet;
  const double swing = 2 * w * std::sqrt(2 / w) / 2 * packet;
  EXPECT_LT(*std::max_element(depths.begin(), depths.end()), k + 6 * packet);
  EXPECT_GT(*std::min_element(depths.begin(), depths.end()), k - 1.5 * swing);
  EXPECT_NEAR(mean(depths), k + 2 * packet - swing / 2, 0.15 * k);
  EXPECT_GT((star.carried() - before) * 8 / 3e-3, 0.999 * 100e9);
  const auto* dctcp =
      dynamic_cast<const policy::Dctcp*>(star.nics[0]->queue_pair(0).reaction.get());
  ASSERT_NE(dctcp, nullptr);
  EXPECT_NEAR(dctcp->alpha(), std::sqrt(2 / w), 0.5 * std::sqrt(2 / w));
}

// Figure 12 of the same paper: 10 Gbps, a round trip of 100 us, 1500-byte packets, K = 40. Its
// curves swing between K + N and that less D = sqrt(2 N (C x RTT + K)) / 2, once in
// D / N round trips.
void swings_as_published(std::size_t flows) {
  fabric::sim_context context;
  RnicConfig config = plain_nic("dctcp");
  config.mtu = 1438_B;
  auto& p = config.congestion.parameters.of<policy::DctcpConfig>().values.emplace();
  p.increase = 1438_B;
  p.initial_window = 20_KiB;
  fabric::SwitchConfig sw{.latency = 0_ps, .control_class = 7u};
  sw.red = {.kmin = 60'000_B, .kmax = 60'000_B, .pmax = 1.0};
  // Four links, and a packet on the wire twice.
  const Picoseconds link(24'350'000);
  Star star(context, config, sw, std::vector<Star::Flow>(flows, {Bytes(500'000'000), 0_ps}),
            10_Gbps, link);
  run_on(context, 40_ms);
  auto depths = star.depths(context, 40_ms, 80_ms, 10_us);
  for (double& d : depths) d /= 1500;
  const auto n = static_cast<double>(flows);
  const double way = 10e9 / 8 * 100e-6 / 1500 + 40;  // packets
  const double swing = std::sqrt(2 * n * way) / 2;
  const auto [least, most] = std::minmax_element(depths.begin(), depths.end());
  EXPECT_NEAR(*most, 40 + n, 2);
  EXPECT_NEAR(*least, 40 + n - swing, 0.25 * swing);
  EXPECT_NEAR(mean(depths), 40 + n - swing / 2, 2);
  const double middle = 40 + n - swing / 2;
  int falls = 0;
  bool high = false;
  for (const double d : depths) {
    if (d > middle + swing / 4) high = true;
    if (!high || d > middle - swing / 4) continue;
    high = false;
    ++falls;
  }
  // The queue is part of a round trip. Cuts of several flows take one or two more.
  const double round_trips = 40e-3 / falls / (100e-6 + middle * 1.2e-6);
  EXPECT_GT(round_trips, 0.9 * swing / n);
  EXPECT_LT(round_trips, swing / n + 2);
}
TEST(DctcpNetwork, TwoFlowsSwingAsPublished) { swings_as_published(2); }
TEST(DctcpNetwork, TenFlowsSwingAsPublished) { swings_as_published(10); }

// ---- Swift

// Two flows keep the round trip at the target: the queue is what the target leaves for it.
TEST(SwiftNetwork, TheQueueIsWhatTheTargetLeaves) {
  fabric::sim_context context;
  RnicConfig config = plain_nic("swift");
  auto& p = config.congestion.parameters.of<policy::SwiftConfig>().values.emplace();
  p.base_target = 15_us;
  p.flow_range = 0_ps;
  fabric::SwitchConfig sw{.latency = 0_ps, .control_class = 7u};
  Star star(context, config, sw, {{Bytes(500'000'000), 0_ps}, {Bytes(500'000'000), 0_ps}});
  run_on(context, 3_ms);
  const double before = star.carried();
  const auto depths = star.depths(context, 3_ms, 6_ms, 1_us);
  // 4 us of links, and the wire times of two packets and the acknowledgement.
  const double queue = (15e-6 - 4.2e-6) * 100e9 / 8;
  EXPECT_NEAR(mean(depths), queue, 0.1 * queue);
  EXPECT_GT((star.carried() - before) * 8 / 3e-3, 0.999 * 100e9);
}

TEST(SwiftNetwork, TimesTakeEightBytesEachWay) {
  fabric::sim_context context;
  Star star(context, plain_nic("swift"), {.latency = 0_ps}, {{1_KiB, 0_ps}});
  run_on(context, 50_us);
  EXPECT_EQ(star.middle->tx(1).counters().frame_bytes,
            static_cast<std::uint64_t>(frame_bytes(Opcode::write_only, 1_KiB).count() + 8));
  EXPECT_EQ(star.middle->tx(0).counters().frame_bytes,
            static_cast<std::uint64_t>(frame_bytes(Opcode::acknowledge, 0_B).count() + 8));
}

// ---- TIMELY

// Four senders: the round trip comes to lie between the two thresholds, and the port is full.
TEST(TimelyNetwork, TheRoundTripStaysBetweenItsThresholds) {
  fabric::sim_context context;
  RnicConfig config = plain_nic("timely");
  auto& p = config.congestion.parameters.of<policy::TimelyConfig>().values.emplace();
  p.low = 10_us;
  p.high = 60_us;
  p.increase = 1_Gbps;
  p.min_rate = 1_Gbps;
  fabric::SwitchConfig sw{.latency = 0_ps, .control_class = 7u};
  Star star(context, config, sw, std::vector<Star::Flow>(4, {Bytes(500'000'000), 0_ps}));
  run_on(context, 5_ms);
  const double before = star.carried();
  const auto depths = star.depths(context, 5_ms, 8_ms, 1_us);
  EXPECT_GT(mean(depths), 0.5 * (10e-6 - 4.2e-6) * 100e9 / 8);
  EXPECT_LT(mean(depths), (60e-6 - 4.2e-6) * 100e9 / 8);
  EXPECT_GT((star.carried() - before) * 8 / 3e-3, 0.9 * 100e9);
}

}  // namespace
}  // namespace horae::rnic::window_schemes_network_test
