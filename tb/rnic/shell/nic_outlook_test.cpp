// Events that can still happen in a NIC, and what it counts as events while it waits.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "horae/fabric/outlook.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::nic_outlook_test {
namespace {

using test::messages;
using test::NicAndPeer;
using test::NicPair;

constexpr Picoseconds nothing{-1}, rto = 100_us;

Picoseconds until(const rnic& nic) {
  fabric::Outlook out;
  nic.add_outlook(out);
  return out.until;
}

RnicConfig with_timeout() {
  RnicConfig config = test::odd_latencies();
  config.transport = "go_back_n";
  config.reliability.rto = rto;
  return config;
}

// First the message is due, then its timer; but one that ran out in vain as often as repetition
// allows is no prospect.
TEST(NicOutlook, AMessageThenItsTimerUntilItTires) {
  fabric::sim_context context;
  NicAndPeer line(context, with_timeout());
  line.queue_pair(messages(1024_B, 1, 10_us));
  context.clock.run_to(5_us);
  EXPECT_EQ(until(*line.nic), 10_us);
  const std::int64_t most = context.repetition.most;
  for (std::int64_t n = 1; n <= most; ++n) {
    test::run_on(context, 10_us + rto * n - 1_us);
    EXPECT_EQ(until(*line.nic), 10_us + rto * n) << n;
  }
  test::run_on(context, 10_us + rto * (most + 3));
  EXPECT_GT(line.nic->counters().timeouts, static_cast<std::uint64_t>(most));
  EXPECT_EQ(until(*line.nic), nothing);
}

// A paused packet waits for the peer, with its timer.
TEST(NicOutlook, APausedQueuePairExpectsNothing) {
  fabric::sim_context context;
  NicAndPeer line(context, with_timeout());
  line.queue_pair(messages(1024_B, 2, 10_us));
  line.far->pause(line.pause_known_at(9_us), 0, true);
  line.far->pause(line.pause_known_at(50_us), 0, false);
  context.clock.run_to(20_us);
  EXPECT_EQ(line.nic->counters().sent_packets(), 0u);
  EXPECT_EQ(until(*line.nic), nothing);
  context.clock.run_to(60_us);
  EXPECT_EQ(line.nic->counters().sent_packets(), 2u);
  EXPECT_EQ(until(*line.nic), 50_us + rto);
}

// A response that waits for its delay.
TEST(NicOutlook, AnAckThatIsDue) {
  RnicConfig config = with_timeout();
  config.reliability.ack_every = 1;
  config.ack_delay = 5_us;
  fabric::sim_context context;
  NicAndPeer line(context, config);
  line.queue_pair(nullptr);
  line.far->data(1_us, 0, Opcode::write_only, true);
  const Picoseconds known =
      1_us + test::wire_time(Opcode::write_only, 1024_B) + line.link.delay + config.rx_latency;
  context.clock.run_to(known);
  EXPECT_EQ(until(*line.nic), known);
  context.clock.run_to(known + 1_us);
  EXPECT_EQ(until(*line.nic), known + 5_us);
  context.clock.run_to(known + 6_us);
  EXPECT_EQ(until(*line.nic), nothing);
}

/// A NIC of two ports, and a peer that never answers at each.
struct NicOfTwoPorts {
  NicOfTwoPorts(fabric::sim_context& context, RnicConfig config, const fabric::LinkConfig& link)
      : nic("nic", context, with_rails(std::move(config)), 0),
        left("left", context),
        right("right", context) {
    connect(nic, 0, left, 0, link);
    connect(nic, 1, right, 0, link);
  }
  static RnicConfig with_rails(RnicConfig config) {
    config.ports = 2;
    config.port_choice = PortChoice::rail;
    return config;
  }
  /// Its packets go by the port of its number.
  void queue_pair(std::unique_ptr<traffic::TrafficSource> source) {
    QueuePairConfig config;
    config.remote = Qpn(0x77);
    config.peer = test::peer::node;
    config.ordinal = static_cast<std::uint32_t>(nic.queue_pairs());
    config.source = std::move(source);
    nic.add_queue_pair(std::move(config));
  }
  test::Nic nic;
  test::peer left, right;
};

TEST(NicOutlook, OfSeveralPortsEachQueuePairHasItsTimer) {
  fabric::sim_context context;
  NicOfTwoPorts two(context, with_timeout(), test::odd_link);
  two.queue_pair(messages(1024_B, 1, 10_us));
  two.queue_pair(nullptr);
  context.clock.run_to(5_us);
  EXPECT_EQ(until(two.nic), 10_us);
  test::run_on(context, 20_us);
  EXPECT_EQ(until(two.nic), 10_us + rto);
}

// A wire so slow that timers run out in vain while it sends the first packet: only the second one,
// which nobody has sent yet, is a prospect. When it is on the wire, what waits was there before.
TEST(NicOutlook, OfSeveralPortsAPacketInLineIsDueWhenItsPortIsFree) {
  RnicConfig config = with_timeout();
  config.reliability.rto = 700_ns;
  config.reliability.window = 2;
  fabric::LinkConfig slow = test::odd_link;
  slow.rate = 1_Gbps;
  fabric::sim_context context;
  NicOfTwoPorts two(context, config, slow);
  two.queue_pair(messages(2_KiB));
  test::run_on(context, 8_us);
  ASSERT_GT(two.nic.counters().timeouts, context.repetition.most);
  const Picoseconds free = two.nic.tx(0).busy_until();
  ASSERT_GT(free, 8_us);
  EXPECT_EQ(until(two.nic), free);
  test::run_on(context, free + 5_us);
  ASSERT_GT(two.nic.tx(0).busy_until(), free + 5_us);
  EXPECT_EQ(until(two.nic), nothing);
}

// `now` messages at once, and one later if asked: events of the sender.
std::uint64_t events(std::uint64_t now, bool later) {
  return std::stoull(test::in_child([&] {
    fabric::sim_context context;
    NicPair pair(context, with_timeout());
    std::vector<traffic::TrafficItem> items(now, {.bytes = 1024_B});
    if (later) items.push_back({.at = 900_us, .bytes = 1024_B});
    test::connect_queue_pairs(*pair.a, *pair.b,
                              {.a_to_b = std::make_unique<test::ListSource>(std::move(items))});
    context.clock.run_to(2_ms);
    EXPECT_TRUE(pair.a->finished());
    return std::to_string(pair.a->events_handled());
  }));
}

// A message that is due later is one event more, however often others are completed before it.
TEST(NicEvents, WhatIsDueLaterIsPlannedOnce) {
  const std::uint64_t one = events(1, true) - events(1, false);
  EXPECT_EQ(events(40, true) - events(40, false), one);
}

}  // namespace
}  // namespace horae::rnic::nic_outlook_test
