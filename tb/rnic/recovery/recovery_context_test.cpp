// Blocks of one queue pair: its locked context, and the window behind a gap (hypotheses 4 and 5).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "horae/policy/retransmit/parameters.hpp"
#include "recovery.hpp"

namespace horae::rnic::recovery_context_test {
namespace {

using test::Backlog;
using test::idle_time;
using test::odd_latencies;
using test::serving;
using test::train;

TEST(Recovery, EveryAcknowledgementLocksTheContext) {
  struct Row {
    bool acks;
    std::vector<bool> nacks;  // what comes, 10 ns apart: NACKs or ACKs
    std::int64_t locks;
  };
  const std::vector<Row> rows = {{true, {true}, 1},
                                 {true, {false}, 1},
                                 {false, {false}, 0},
                                 {false, {true}, 1},
                                 {true, {false, true, false}, 3},
                                 {false, {false, true, false}, 1}};
  fabric::sim_context context;
  std::vector<Backlog> lines;
  const Picoseconds lock = 400'007_ps;
  std::vector<Picoseconds> from;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = serving(odd_latencies(), {"context_lock"});
    config.reth_on_every_packet = true;
    config.nack_reaction = 5_us;  // the lock is over when the NACK is served
    config.retransmit.parameters.of<policy::ContextLock>() = {.lock = lock, .acks = rows[i].acks};
    lines.emplace_back(context, config, i);
    Backlog& b = lines[i];
    Picoseconds t = b.middle(100);
    Picoseconds begin = never;
    for (const bool nack : rows[i].nacks) {
      if (nack) {
        b.nack_at(t + config.nack_reaction, 90);
      } else {
        b.ack_at(t, 80);
      }
      if (nack || rows[i].acks) begin = std::min(begin, t);
      t += 10_ns;
    }
    from.push_back(begin);
  }
  test::run_on(context, 14_us);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Backlog& b = lines[i];
    const Picoseconds next =
        rows[i].locks == 0 ? b.slot(101) : std::max(b.slot(101), from[i] + lock * rows[i].locks);
    EXPECT_EQ(b.from(100, 1), train(b.slot(100), {100})) << i;
    EXPECT_EQ(b.from(101, 3), train(next, {101, 102, 103})) << i;
    EXPECT_EQ(idle_time(*b.line.nic, IdleCause::lock), next - b.slot(101)) << i;
    EXPECT_EQ(b.line.nic->counters().lock_time, lock * rows[i].locks) << i;
  }
}

TEST(Recovery, ALockedQueuePairLeavesTheWireToOthers) {
  fabric::sim_context context;
  RnicConfig config = serving(odd_latencies(), {"context_lock"});
  config.reth_on_every_packet = true;
  config.retransmit.parameters.of<policy::ContextLock>().lock = 2_us;
  Backlog b(context, config, 0, Bytes(1 << 20), 2);
  b.ack_at(b.middle(100), 10, 1);
  test::run_on(context, 30_us);
  const auto all = b.from(0, 200);
  for (std::size_t k = 0; k < all.size(); ++k) {
    ASSERT_EQ(all[k].at, b.slot(static_cast<std::int64_t>(k)));
    if (all[k].at >= b.slot(101) && all[k].at < b.middle(100) + 2_us) {
      EXPECT_EQ(b.line.far->seen[k].packet.entropy, 0xc000u) << k;
    }
  }
  EXPECT_EQ(idle_time(*b.line.nic, IdleCause::lock), 0_ps);
}

TEST(Recovery, AGapStopsNewDataAtItsWindow) {
  fabric::sim_context context;
  RnicConfig config = serving(odd_latencies(), {"window_stall"});
  config.reth_on_every_packet = true;
  config.retransmit.parameters.of<policy::WindowStall>().gap_window = 70;
  Backlog b(context, config);
  const Picoseconds t = b.middle(100);
  b.nack_at(t, 50);
  // 50 and 100 again, then 101 to 119: from 50 on 70 packets are in flight.
  const Picoseconds resumed = t + 20_us;
  b.ack_at(resumed, 60);  // closes the gap
  test::run_on(context, 60_us);
  EXPECT_EQ(b.from(101, 3), train(b.slot(101), {50, 100, 101}));
  EXPECT_EQ(b.from(121, 1), train(b.slot(121), {119}));
  EXPECT_EQ(b.from(122, 2), train(resumed, {120, 121}));
  EXPECT_EQ(idle_time(*b.line.nic, IdleCause::gap_window), resumed - b.slot(122));
  EXPECT_GT(b.line.nic->counters().sent[0], 120u + 70u);  // the whole window again
}

// An ACK inside the gap's window moves it; an older NACK that was overtaken does not close it.
TEST(Recovery, AGapStaysOpenUntilItsPacketIsAcknowledged) {
  fabric::sim_context context;
  RnicConfig config = serving(odd_latencies(), {"window_stall"});
  config.reth_on_every_packet = true;
  config.retransmit.parameters.of<policy::WindowStall>().gap_window = 70;
  Backlog b(context, config);
  const Picoseconds t = b.middle(100);
  b.nack_at(t, 50);
  b.nack_at(t + 100_ns, 40);  // was overtaken on its way
  test::run_on(context, 60_us);
  EXPECT_EQ(b.line.nic->counters().sent[0], 50u + 70u);
  EXPECT_EQ(b.line.nic->counters().nacks_stale, 1u);
}

}  // namespace
}  // namespace horae::rnic::recovery_context_test
