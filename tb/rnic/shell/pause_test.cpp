// PFC at the NIC: a paused class stops at the packet boundary and goes on when it is resumed.
#include <gtest/gtest.h>

#include <vector>

#include "nic_parts.hpp"

namespace horae::rnic::pause_test {
namespace {

using test::ack_time;
using test::idle_time;
using test::messages;
using test::NicAndPeer;
using test::odd_latencies;
using test::odd_link;
using test::wire_time;

const Picoseconds wire = wire_time(Opcode::write_first, 1024_B);

RnicConfig of_classes(std::uint32_t data, std::uint32_t acks) {
  RnicConfig config = odd_latencies();
  config.reth_on_every_packet = true;
  config.traffic_class = data;
  config.ack_traffic_class = acks;
  return config;
}

TEST(Pause, DataStopsAtThePacketBoundaryAndGoesOnAtTheResume) {
  fabric::sim_context context;
  NicAndPeer line(context, of_classes(3, 3));
  line.queue_pair(messages(Bytes(200 * 1024)));
  const Picoseconds paused = wire * 30 + 1_ns;  // packet 30 has begun and is finished
  const Picoseconds resumed = 10'000'001_ps;
  line.far->pause(line.pause_known_at(paused), 3, true);
  line.far->pause(line.pause_known_at(resumed), 3, false);
  test::run_on(context, 100_us);
  ASSERT_EQ(line.far->seen.size(), 200u);
  for (std::int64_t k = 0; k < 200; ++k) {
    EXPECT_EQ(line.decided(line.far->seen[static_cast<std::size_t>(k)]),
              k <= 30 ? wire * k : resumed + wire * (k - 31))
        << k;
    EXPECT_EQ(line.far->seen[static_cast<std::size_t>(k)].packet.traffic_class, 3);
  }
  EXPECT_EQ(idle_time(*line.nic, IdleCause::paused), resumed - wire * 31);
  test::expect_time_accounted(*line.nic, 100_us);
}

// At the boundary itself the pause comes first: nothing starts at the time it is known.
TEST(Pause, APauseAtTheBoundaryHoldsTheNextPacket) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  for (unsigned i = 0; i < 2; ++i) {
    lines.emplace_back(context, of_classes(0, 1), odd_link, i);
    lines[i].queue_pair(messages(Bytes(200 * 1024)));
    lines[i].far->pause(lines[i].pause_known_at(wire * 30 + 1_ps * i), 0, true);
  }
  test::run_on(context, 100_us);
  EXPECT_EQ(lines[0].far->seen.size(), 30u);
  EXPECT_EQ(lines[1].far->seen.size(), 31u);
  EXPECT_EQ(idle_time(*lines[0].nic, IdleCause::paused), 100_us - wire * 30);
}

TEST(Pause, ResponsesOfAnotherClassGoOn) {
  fabric::sim_context context;
  const RnicConfig config = of_classes(3, 5);
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(200 * 1024)));
  line.far->pause(line.pause_known_at(5_us), 3, true);
  for (std::uint32_t k = 0; k < 10; ++k) line.far->data(10_us + 1_us * k, k, Opcode::write_only);
  test::run_on(context, 100_us);
  std::vector<test::peer::Seen> acks;
  for (const auto& s : line.far->seen) {
    if (!s.data()) acks.push_back(s);
    EXPECT_EQ(s.packet.traffic_class, s.data() ? 3 : 5);
  }
  ASSERT_EQ(acks.size(), 10u);
  for (std::uint32_t k = 0; k < 10; ++k) {
    EXPECT_EQ(line.decided(acks[k]), 10_us + 1_us * k + wire_time(Opcode::write_only, 1024_B) +
                                         odd_link.delay + config.rx_latency + config.ack_delay);
  }
  const std::int64_t sent = (Picoseconds(5_us).count() + wire.count() - 1) / wire.count();
  EXPECT_EQ(line.far->psns_seen().size(), static_cast<std::size_t>(sent));
  EXPECT_EQ(idle_time(*line.nic, IdleCause::paused), 100_us - wire * sent - ack_time() * 10);
  test::expect_time_accounted(*line.nic, 100_us);
}

TEST(Pause, ResponsesOfAPausedClassWait) {
  fabric::sim_context context;
  NicAndPeer line(context, of_classes(3, 5));
  line.queue_pair(messages(Bytes(20 * 1024), 1, 30_us));
  line.far->pause(0_ps, 5, true);
  for (std::uint32_t k = 0; k < 10; ++k) line.far->data(10_us + 1_us * k, k, Opcode::write_only);
  line.far->pause(line.pause_known_at(50_us), 5, false);
  test::run_on(context, 100_us);
  ASSERT_EQ(line.far->seen.size(), 30u);
  for (std::int64_t k = 0; k < 30; ++k) {
    const auto& s = line.far->seen[static_cast<std::size_t>(k)];
    EXPECT_EQ(s.data(), k < 20) << k;
    EXPECT_EQ(line.decided(s), k < 20 ? 30_us + wire * k : 50_us + ack_time() * (k - 20)) << k;
  }
  test::expect_time_accounted(*line.nic, 100_us);
}

TEST(Pause, AnotherClassDoesNotMatter) {
  fabric::sim_context context;
  NicAndPeer line(context, of_classes(3, 5));
  line.queue_pair(messages(Bytes(200 * 1024)));
  for (const unsigned c : {0u, 2u, 4u, 7u}) line.far->pause(1_us, c, true);
  test::run_on(context, 100_us);
  EXPECT_EQ(line.far->seen.size(), 200u);
  EXPECT_EQ(idle_time(*line.nic, IdleCause::paused), 0_ps);
}

// Paused, the timer still runs; what it wants to send waits for the resume.
TEST(Pause, TheTimerRunsOn) {
  RnicConfig config = of_classes(0, 0);
  config.reliability.rto = 20_us;
  fabric::sim_context context;
  NicAndPeer line(context, config);
  line.queue_pair(messages(1024_B));
  line.far->pause(5_us, 0, true);
  line.far->pause(line.pause_known_at(30_us), 0, false);
  test::run_on(context, 35_us);
  EXPECT_EQ(line.nic->counters().timeouts, 1u);
  ASSERT_EQ(line.far->seen.size(), 2u);
  EXPECT_EQ(line.decided(line.far->seen[1]), 30_us);
  test::expect_time_accounted(*line.nic, 35_us);
}

}  // namespace
}  // namespace horae::rnic::pause_test
