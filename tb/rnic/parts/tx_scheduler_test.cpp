// Whose turn it is and what a queue pair waits for, without a wire.
#include "horae/rnic/parts/tx_scheduler.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "queue_pair_parts.hpp"

namespace horae::rnic::tx_scheduler_test {
namespace {

constexpr Bytes wire = 1000_B;  // 800 ns at 10 Gbps

// Queue pairs with so many packets each, none sent.
struct Bench {
  Bench(std::vector<std::uint32_t> packets, const RnicConfig& config = {},
        const std::string& policy = "strict_priority")
      : rules(retransmit(policy)), scheduler(config, rules) {
    for (const std::uint32_t n : packets) {
      qps.push_back(test::make_queue_pair(n));
      scheduler.add(*qps.back());
    }
    scheduler.begin();
    for (std::size_t i = 0; i < qps.size(); ++i) scheduler.refresh(i);
  }
  static policy::RetransmitConfig retransmit(const std::string& policy) {
    policy::RetransmitConfig c;
    c.policies = {{policy, {}}};
    return c;
  }
  int pick(Picoseconds now) {
    return scheduler.pick(now, next, [this](std::size_t, QueuePair&) { return on_chip; });
  }
  // Whose packets go at `now`, one after the other, `most` at most.
  std::vector<int> turns(Picoseconds now, int most = 100) {
    std::vector<int> order;
    for (int n = 0; n < most; ++n) {
      const int i = pick(now);
      if (i < 0) break;
      order.push_back(i);
      QueuePair& qp = *qps[static_cast<std::size_t>(i)];
      test::send(qp, 1);
      scheduler.sent(qp, wire, now);
      scheduler.refresh(static_cast<std::size_t>(i));
    }
    return order;
  }
  IdleCause cause(std::size_t i) const { return scheduler.gate(i).cause; }

  policy::RetransmitUnit rules;
  std::vector<std::unique_ptr<QueuePair>> qps;
  TxScheduler scheduler;
  Gate next{};
  bool on_chip = true;
};

using Turns = std::vector<int>;

TEST(TxScheduler, QueuePairsTakeTurns) {
  Bench b({3, 1, 2, 0});
  EXPECT_EQ(b.scheduler.ready(), 3u);
  EXPECT_EQ(b.turns(0_ns), (Turns{0, 1, 2, 0, 2, 0}));
  EXPECT_EQ(b.scheduler.ready(), 0u);
  EXPECT_EQ(b.next.cause, IdleCause::no_work);
  EXPECT_EQ(b.next.at, never);
  EXPECT_EQ(b.scheduler.first_gate(0_ns), never);
}

TEST(TxScheduler, WhatWasAcknowledgedMeanwhileLosesItsTurn) {
  Bench b({2, 1});
  b.turns(0_ns, 3);
  b.qps[0]->sender().on_timeout(0_ns);
  b.scheduler.refresh(0);
  EXPECT_TRUE(b.scheduler.any_can_send());
  EXPECT_EQ(b.scheduler.ready(), 1u);
  test::acknowledge(*b.qps[0], 2);
  b.scheduler.refresh(0);
  EXPECT_EQ(b.turns(0_ns), Turns{});
  EXPECT_FALSE(b.scheduler.any_can_send());
  EXPECT_EQ(b.scheduler.ready(), 0u);
}

TEST(TxScheduler, EachPacketWaitsForItsTimeAtTheRate) {
  RnicConfig config;
  config.qp_rate = 10_Gbps;
  Bench b({3, 3}, config);
  EXPECT_EQ(b.turns(100_ns), (Turns{0, 1}));
  EXPECT_EQ(b.next.at, 900_ns);
  EXPECT_EQ(b.next.cause, IdleCause::shaper);
  EXPECT_EQ(b.scheduler.first_gate(100_ns), 900_ns);
  EXPECT_EQ(b.scheduler.first_gate(1_us), 1_us);
  EXPECT_TRUE(b.turns(899_ns).empty());
  EXPECT_EQ(b.turns(900_ns), (Turns{0, 1}));
}

TEST(TxScheduler, ABurstGoesAtOnceAndIsPaidForAfterwards) {
  RnicConfig config;
  config.qp_rate = 10_Gbps;
  config.shaping = Shaping::quantum;
  config.quantum = 2 * wire;
  Bench b({5, 1}, config);
  EXPECT_EQ(b.turns(0_ns), (Turns{0, 0, 1}));
  EXPECT_EQ(b.next.at, 1600_ns);
  EXPECT_EQ(b.turns(1600_ns), (Turns{0, 0}));
  EXPECT_EQ(b.next.at, 3200_ns);
  EXPECT_EQ(b.turns(3200_ns), (Turns{0}));
  // The end of its work ends its turn: what follows waits for what that burst took.
  EXPECT_EQ(b.scheduler.gate(0).at, 4_us);
}

TEST(TxScheduler, AFullWindowIsNotATurn) {
  Bench b({test::part_window + 5, 3});
  EXPECT_FALSE(b.scheduler.any_blocked());
  const Turns order = b.turns(0_ns);
  EXPECT_EQ(order.size(), test::part_window + 3);
  EXPECT_TRUE(b.scheduler.any_blocked());
  EXPECT_FALSE(b.scheduler.any_can_send());
  test::acknowledge(*b.qps[0], 2);
  b.scheduler.refresh(0);
  EXPECT_FALSE(b.scheduler.any_blocked());
  EXPECT_EQ(b.turns(0_ns), (Turns{0, 0}));
  EXPECT_TRUE(b.scheduler.any_blocked());
}

TEST(TxScheduler, AMissingContextPassesTheTurnOn) {
  Bench b({2, 2});
  b.on_chip = false;
  b.qps[0]->context_ready = 700_ns;
  b.qps[1]->context_ready = 500_ns;
  EXPECT_EQ(b.pick(0_ns), -1);
  EXPECT_EQ(b.next.at, 500_ns);
  EXPECT_EQ(b.next.cause, IdleCause::context);
}

TEST(TxScheduler, TheLatestOfItsGatesHoldsAQueuePairBack) {
  Bench b({30}, {}, "recovery_handshake");
  QueuePair& qp = *b.qps[0];
  test::send(qp, 10);
  qp.allowed_at = 10_ns;
  EXPECT_EQ(b.cause(0), IdleCause::shaper);
  qp.locked_until = 20_ns;
  EXPECT_EQ(b.cause(0), IdleCause::lock);
  qp.context_ready = 30_ns;
  EXPECT_EQ(b.scheduler.gate(0).at, 30_ns);
  EXPECT_EQ(b.cause(0), IdleCause::context);
  qp.hold_until = Psn(10);
  EXPECT_EQ(b.scheduler.gate(0).at, never);
  EXPECT_EQ(b.cause(0), IdleCause::recovery);
  // A retransmission passes the hold, and nothing a stall.
  qp.sender().retransmit(Psn(3), 0_ns);
  EXPECT_EQ(b.scheduler.gate(0).at, 30_ns);
  qp.stalled = true;
  EXPECT_EQ(b.scheduler.gate(0).at, never);
  EXPECT_EQ(b.cause(0), IdleCause::retransmit);
}

TEST(TxScheduler, AnOpenGapNarrowsTheWindow) {
  const policy::RetransmitUnit rules(Bench::retransmit("window_stall"));
  const std::uint32_t most = rules.gap_window();
  const auto qp = test::make_queue_pair(2 * most, {}, 2 * most);
  TxScheduler scheduler({}, rules);
  scheduler.add(*qp);
  test::send(*qp, most - 1);
  qp->gap_until = Psn(4);
  EXPECT_EQ(scheduler.gate(0).at, 0_ns);
  test::send(*qp, 1);
  EXPECT_EQ(scheduler.gate(0).at, never);
  EXPECT_EQ(scheduler.gate(0).cause, IdleCause::gap_window);
  qp->gap_until.reset();
  EXPECT_EQ(scheduler.gate(0).at, 0_ns);
}

TEST(TxScheduler, NewPacketsWaitForTheirPayload) {
  struct NoHost final : HostPort {
    Picoseconds read(Picoseconds now, std::uint64_t, Bytes) override { return now + 700_ns; }
    Picoseconds write(Picoseconds now, std::uint64_t, Bytes) override { return now; }
    Picoseconds doorbell(Picoseconds now) override { return now; }
  } host;
  RnicConfig config;
  config.host = HostModel::pcie;
  Bench b({3}, config);
  Picoseconds wqe_at{};
  PayloadFetcher fetcher({}, 16_KiB, host, [&](std::size_t, Picoseconds at) { wqe_at = at; });
  fetcher.add(*b.qps[0]);
  b.scheduler.wait_for(fetcher);
  EXPECT_EQ(b.pick(0_ns), -1);
  EXPECT_EQ(b.next.cause, IdleCause::doorbell);
  fetcher.rung(0, 1, 0_ns);
  EXPECT_EQ(b.cause(0), IdleCause::wqe);
  fetcher.wqe_arrived(0, wqe_at);
  EXPECT_EQ(b.cause(0), IdleCause::payload);
  EXPECT_EQ(b.scheduler.gate(0).at, 1400_ns);
  EXPECT_EQ(b.pick(1400_ns), 0);
}

}  // namespace
}  // namespace horae::rnic::tx_scheduler_test
