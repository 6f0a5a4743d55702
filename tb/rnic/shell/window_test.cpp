// The transport's window: what may be in flight, and what that makes of the throughput.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "nic_parts.hpp"

namespace horae::rnic::window_test {
namespace {

using test::ack_return;
using test::connect_queue_pairs;
using test::idle_time;
using test::messages;
using test::Nic;
using test::NicAndPeer;
using test::NicPair;
using test::odd_latencies;
using test::one_way;
using test::wire_time;

// All packets alike: 1024 bytes and a RETH each.
const Picoseconds wire = wire_time(Opcode::write_first, 1024_B);

RnicConfig window_of(std::uint32_t window, std::uint32_t ack_every) {
  RnicConfig config = odd_latencies();
  config.reth_on_every_packet = true;
  config.reliability.window = window;
  config.reliability.ack_every = ack_every;
  config.reliability.ack_request_every = 0;
  return config;
}

TEST(Window, ExactlyTheWindowLeavesBeforeTheFirstAck) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const std::vector<std::uint32_t> windows = {1, 2, 16, 511, 512};
  for (unsigned i = 0; i < windows.size(); ++i) {
    lines.emplace_back(context, window_of(windows[i], 32), test::odd_link, i);
    lines.back().queue_pair(messages(Bytes(1024 * 1024)));
  }
  const Picoseconds now = 200_us;  // long after the last, long before any timeout
  test::run_on(context, now);
  for (unsigned i = 0; i < windows.size(); ++i) {
    const Nic& nic = *lines[i].nic;
    const std::vector<std::uint32_t> psns = lines[i].far->psns_seen();
    ASSERT_EQ(psns.size(), windows[i]);
    for (std::uint32_t k = 0; k < windows[i]; ++k) {
      EXPECT_EQ(psns[k], k);
      EXPECT_EQ(lines[i].decided(lines[i].far->seen[k]), wire * k);
      // The packet that closes the window requests an ACK, or the sender could wait for the
      // timeout.
      EXPECT_EQ(lines[i].far->seen[k].packet.ack_request, k + 1 == windows[i]);
    }
    EXPECT_EQ(idle_time(nic, IdleCause::window), now - wire * windows[i]);
    EXPECT_EQ(idle_time(nic), idle_time(nic, IdleCause::window));
    test::expect_time_accounted(nic, now);
    EXPECT_EQ(nic.queue_pair(0).sender().unacked(), windows[i]);
  }
}

TEST(Window, AnAckOpensItByWhatItAcknowledges) {
  fabric::sim_context context;
  NicAndPeer line(context, window_of(16, 32));
  line.queue_pair(messages(Bytes(1024 * 1024)));
  const Picoseconds acked = 50_us;
  line.far->ack(line.response_known_at(acked), 5);
  test::run_on(context, 100_us);
  ASSERT_EQ(line.far->seen.size(), 21u);
  for (std::int64_t k = 16; k < 21; ++k) {
    EXPECT_EQ(line.far->seen[static_cast<std::size_t>(k)].psn(), k);
    EXPECT_EQ(line.decided(line.far->seen[static_cast<std::size_t>(k)]), acked + wire * (k - 16));
  }
}

// When packet k starts, in closed form. With an ACK per packet the window slides: packet k follows
// the ACK of packet k - window, or the packet before it when the window is larger than the product
// of bandwidth and delay. With one ACK per window, windows follow one another.
struct Row {
  std::uint32_t window;
  bool ack_each;
  Picoseconds delay;
};
Picoseconds start_of(std::int64_t k, const Row& row, const RnicConfig& config,
                     const fabric::LinkConfig& link) {
  // From the start of a packet to the arrival of its ACK at the sender's transport.
  const Picoseconds round = wire + one_way(config, link) + ack_return(config, link);
  const std::int64_t w = row.window;
  const Picoseconds period = row.ack_each ? std::max(round, wire * w) : wire * (w - 1) + round;
  return period * (k / w) + wire * (k % w);
}

const std::vector<Row> rows = {
    {1, true, 20_us},     // stop and wait
    {16, true, 20_us},    // far below bandwidth times delay (about 470 packets)
    {400, true, 20_us},   // just below
    {16, false, 20_us},   // window after window
    {100, false, 40_us},  //
    {512, true, 20_us},   // above: the wire is the limit
    {64, true, 1_us},     //
};

TEST(Window, ThroughputIsWindowPerRoundTrip) {
  fabric::sim_context context;
  std::vector<NicPair> pairs;
  std::vector<RnicConfig> configs;
  std::vector<fabric::LinkConfig> links;
  for (unsigned i = 0; i < rows.size(); ++i) {
    configs.push_back(window_of(rows[i].window, rows[i].ack_each ? 1 : 4096));
    links.push_back({.rate = 100_Gbps, .delay = rows[i].delay});
    pairs.emplace_back(context, configs[i], links[i], i);
    connect_queue_pairs(*pairs[i].a, *pairs[i].b, {.a_to_b = messages(Bytes(100 * 1024 * 1024))});
  }
  for (const Picoseconds now : {30_us, 50'000'001_ps, 123'456'789_ps, 400_us, 1'600_us}) {
    test::run_on(context, now);
    for (unsigned i = 0; i < rows.size(); ++i) {
      std::int64_t started = 0;
      while (start_of(started, rows[i], configs[i], links[i]) < now) ++started;
      std::int64_t decided = 0;
      const Picoseconds path = wire + one_way(configs[i], links[i]);
      while (start_of(decided, rows[i], configs[i], links[i]) + path < now) ++decided;
      const Nic& a = *pairs[i].a;
      const Nic& b = *pairs[i].b;
      EXPECT_EQ(a.counters().sent_packets(), static_cast<std::uint64_t>(started)) << i;
      EXPECT_EQ(b.counters().delivered_bytes, 1024u * static_cast<std::uint64_t>(decided)) << i;

      // A queue pair that is not busy waits for the window.
      const Picoseconds until = std::max(now, a.tx(0).busy_until());
      EXPECT_EQ(idle_time(a, IdleCause::window), until - wire * started) << i;
      EXPECT_EQ(idle_time(a), idle_time(a, IdleCause::window)) << i;
      test::expect_time_accounted(a, now);
      test::expect_time_accounted(b, now);
      EXPECT_EQ(idle_time(b), idle_time(b, IdleCause::no_work)) << i;
    }
  }
  // And so the mean rate, within one window: window x payload / round trip, or the wire's.
  const Picoseconds all = 1'600_us;
  for (unsigned i = 0; i < rows.size(); ++i) {
    const Picoseconds round =
        wire + one_way(configs[i], links[i]) + ack_return(configs[i], links[i]);
    const Picoseconds period = rows[i].ack_each ? std::max(round, wire * rows[i].window)
                                                : round + wire * (rows[i].window - 1);
    const double windows = static_cast<double>(all.count()) / static_cast<double>(period.count());
    const double bytes = windows * rows[i].window * 1024;
    EXPECT_NEAR(static_cast<double>(pairs[i].b->counters().delivered_bytes), bytes,
                rows[i].window * 1024.0 + 1024.0 * static_cast<double>(rows[i].delay / wire));
  }
}

TEST(Window, NothingPostedIsNoWork) {
  fabric::sim_context context;
  NicAndPeer line(context, window_of(16, 32));
  line.queue_pair(messages(Bytes(8 * 1024), 1, 10_us));  // less than the window
  test::run_on(context, 100_us);
  EXPECT_EQ(idle_time(*line.nic, IdleCause::no_work), 100_us - wire * 8);
  EXPECT_EQ(idle_time(*line.nic), 100_us - wire * 8);
  test::expect_time_accounted(*line.nic, 100_us);
}

// While one queue pair waits for its window, the others have the wire.
TEST(Window, AnotherQueuePairGoesOn) {
  fabric::sim_context context;
  NicAndPeer line(context, window_of(8, 32));
  line.queue_pair(messages(Bytes(100 * 1024)));
  line.queue_pair(messages(1024_B, 1, 20_us));
  test::run_on(context, 100_us);
  ASSERT_EQ(line.far->seen.size(), 9u);
  EXPECT_EQ(line.decided(line.far->seen[8]), 20_us);
  EXPECT_EQ(idle_time(*line.nic, IdleCause::window), 100_us - wire * 9);
  EXPECT_EQ(idle_time(*line.nic, IdleCause::no_work), 0_ps);
}

// The depth of the send queue limits messages as the window limits packets.
TEST(Window, TheDepthLimitsOutstandingMessages) {
  fabric::sim_context context;
  NicAndPeer line(context, window_of(512, 32));
  line.queue_pair(messages(1024_B, 100), 3);
  line.far->ack(line.response_known_at(50_us), 1);
  test::run_on(context, 20_us);
  EXPECT_EQ(line.far->seen.size(), 3u);
  EXPECT_EQ(line.nic->queue_pair(0).outstanding(), 3u);
  EXPECT_EQ(idle_time(*line.nic, IdleCause::no_work), 20_us - wire * 3);
  test::run_on(context, 100_us);
  ASSERT_EQ(line.far->seen.size(), 4u);
  EXPECT_EQ(line.decided(line.far->seen[3]), 50_us);
  EXPECT_EQ(line.nic->queue_pair(0).progress().posted_messages, 4u);
}

}  // namespace
}  // namespace horae::rnic::window_test
