// Queue pairs that give up: when, what becomes of their messages, and that nothing else changes.
#include <gtest/gtest.h>

#include <string>

#include "nic_parts.hpp"

namespace horae::rnic::error_test {
namespace {

using test::connect_queue_pairs;
using test::messages;
using test::NicAndPeer;
using test::odd_latencies;
using test::TappedPair;

constexpr Picoseconds unit{4'096'000};  // of IBTA's ACK timeout

RnicConfig gives_up(const std::string& transport, std::uint32_t exponent, std::uint32_t retries) {
  RnicConfig config = odd_latencies();
  config.transport = transport;
  config.reliability.ack_timeout = exponent;
  config.reliability.retry_count = retries;
  return config;
}

// (1 + retries) intervals after the first packet, to the picosecond.
TEST(Error, ComesWhenTheRetriesAreUsedUp) {
  for (const std::string transport : {"rnic_sr", "go_back_n", "go_back_0", "timeout_only", "irn"}) {
    const std::string ok = test::in_child([&]() -> std::string {
      RnicConfig config = gives_up(transport, 5, 3);
      config.reliability.window = 8;
      fabric::sim_context context;
      NicAndPeer line(context, config);
      const Picoseconds start = 1'000'001_ps;
      line.queue_pair(messages(Bytes(3 * 1024), 5, start));
      const Picoseconds interval = unit * 32;
      const Picoseconds error = start + interval * 4;
      context.clock.run_to(error);
      EXPECT_EQ(line.nic->counters().errors, 0u) << transport;
      EXPECT_FALSE(line.nic->finished());
      context.clock.run_to(error + 1_ps);
      EXPECT_EQ(line.nic->counters().errors, 1u) << transport;
      EXPECT_EQ(line.nic->counters().messages_failed, 5u);
      EXPECT_EQ(line.nic->counters().timeouts, 4u);
      const auto& progress = line.nic->queue_pair(0).progress();
      EXPECT_EQ(progress.error_time, error);
      EXPECT_EQ(progress.failed_post, start);
      EXPECT_TRUE(line.nic->finished());
      EXPECT_TRUE(line.nic->take_finished().empty());
      const auto sent = line.nic->counters().sent_packets();
      context.clock.run_to(error + 10_ms);
      EXPECT_EQ(line.nic->counters().sent_packets(), sent);
      return "done";
    });
    EXPECT_EQ(ok, "done");
  }
}

// Adaptive resends come first, at their times, and count for nothing.
TEST(Error, AdaptiveResendsComeBeforeTheRetries) {
  const std::string ok = test::in_child([]() -> std::string {
    RnicConfig config = gives_up("go_back_n", 6, 1);
    config.reliability.adaptive_timeout = unit * 4;
    fabric::sim_context context;
    NicAndPeer line(context, config);
    line.queue_pair(messages(Bytes(100), 1));
    std::uint64_t fired = 0;
    Picoseconds at{};
    for (const std::int64_t interval : {4, 8, 16, 32, 64, 64}) {
      at += unit * interval;
      context.clock.run_to(at);
      EXPECT_EQ(line.nic->counters().timeouts, fired);
      context.clock.run_to(at + 1_ps);
      EXPECT_EQ(line.nic->counters().timeouts, ++fired);
    }
    EXPECT_EQ(line.nic->queue_pair(0).progress().error_time, at);
    EXPECT_EQ(test::sent(*line.nic, policy::SendKind::timeout), 5u);
    return "done";
  });
  EXPECT_EQ(ok, "done");
}

// A deadline that comes nearer is not missed: an answer puts the schedule back to its short start.
TEST(Error, AnAnswerBringsTheAdaptiveResendsBack) {
  const std::string ok = test::in_child([]() -> std::string {
    RnicConfig config = gives_up("go_back_n", 8, 1);
    config.reliability.adaptive_timeout = unit * 4;
    config.reliability.ack_every = 1;
    fabric::sim_context context;
    NicAndPeer line(context, config);
    const Picoseconds second = unit * 4 + unit * 8 + unit * 8;  // within the third interval
    line.queue_pair(messages(Bytes(100), 2, 0_ps, second));
    // The first message is answered after two resends, in the third interval.
    line.far->ack(unit * 4 + unit * 8 + unit * 4, 1);
    // The second one goes alone, so its first resend is four units later.
    const std::uint64_t before = 2;
    context.clock.run_to(second + unit * 4);
    EXPECT_EQ(line.nic->counters().timeouts, before);
    context.clock.run_to(second + unit * 4 + 1_ps);
    EXPECT_EQ(line.nic->counters().timeouts, before + 1);
    return "done";
  });
  EXPECT_EQ(ok, "done");
}

// One queue pair's peer is cut off in the middle of a stream. Messages are completed, failed or
// neither, and nothing is counted twice; the other queue pair ends as ever. With PCIe the buffer is
// empty in the end.
TEST(Error, OfOneQueuePairLeavesTheOthersAlone) {
  for (const auto host : {HostModel::none, HostModel::pcie}) {
    const std::string ok = test::in_child([&]() -> std::string {
      RnicConfig config = gives_up("rnic_sr", 4, 2);
      config.host = host;
      config.sram.tx_buffer = 32_KiB;
      fabric::sim_context context;
      int passed = 0;
      TappedPair pair(context, config,
                      [&](unsigned port, const Packet& p) -> std::optional<Picoseconds> {
                        const bool first = p.dest_qp == Qpn(test::Nic::first_qpn);
                        if (port == 0 && first && p.is_data() && ++passed > 40) return std::nullopt;
                        return 0_ps;
                      });
      connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(8 * 1024), 30)});
      connect_queue_pairs(*pair.a, *pair.b, {.a_to_b = messages(Bytes(8 * 1024), 200)});
      context.clock.run_to(20_ms);
      const auto& lost = pair.a->queue_pair(0).progress();
      const auto& other = pair.a->queue_pair(1).progress();
      EXPECT_TRUE(pair.a->finished());
      EXPECT_NE(lost.error_time, never);
      EXPECT_GT(lost.completed_messages, 0u);
      EXPECT_EQ(lost.posted_messages, lost.completed_messages + lost.failed_messages);
      EXPECT_EQ(pair.a->queue_pair(0).outstanding(), 0u);
      EXPECT_EQ(other.error_time, never);
      EXPECT_EQ(other.completed_messages, 200u);
      EXPECT_EQ(other.failed_messages, 0u);
      EXPECT_EQ(pair.a->counters().messages_completed,
                lost.completed_messages + other.completed_messages);
      EXPECT_EQ(pair.a->take_finished().size(), 1u);
      if (host == HostModel::pcie) {
        EXPECT_EQ(pair.a->fetcher()->used(), 0_B);
      }
      return "done";
    });
    EXPECT_EQ(ok, "done");
  }
}

}  // namespace
}  // namespace horae::rnic::error_test
