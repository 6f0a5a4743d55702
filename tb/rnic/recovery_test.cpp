// What each hypothesis about serving a NACK does to the wire, to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "horae/policy/retransmit/parameters.hpp"
#include "host_parts.hpp"

namespace horae::rnic {
namespace {

using policy::Merge;
using policy::SendKind;
using test::decisions;
using test::HostTimes;
using test::idle_time;
using test::messages;
using test::NicAndPeer;
using test::odd_latencies;
using test::odd_link;
using test::packet_time;
using test::sent;
using test::serving;
using test::with_host;

// A backlogged sender whose packet k begins at `first` + k packets, and NACKs that are taken
// (receive and reaction behind them) in the middle of packet 100.
struct Backlog {
  Backlog(fabric::sim_context& context, const RnicConfig& config, unsigned index = 0,
          Bytes bytes = Bytes(1 << 20), unsigned queue_pairs = 1)
      : host(config), line(context, config, odd_link, index) {
    for (unsigned i = 0; i < queue_pairs; ++i) line.queue_pair(messages(bytes));
    if (config.host == HostModel::pcie) first = host.first_packet(1024_B);
  }
  /// Begin of the n-th packet, while nothing holds the wire up.
  Picoseconds slot(std::int64_t n) const { return first + packet_time * n; }
  Picoseconds middle(std::int64_t n) const { return slot(n) + 45'017_ps; }
  /// A NACK whose service begins at `t`, an ACK of all before `psn` that is known at `t`.
  void nack_at(Picoseconds t, std::uint32_t psn, std::uint32_t qp = 0) {
    line.far->nack(line.response_known_at(t - line.nic->config().nack_reaction), psn, qp);
  }
  void ack_at(Picoseconds t, std::uint32_t next, std::uint32_t qp = 0) {
    line.far->ack(line.response_known_at(t), next, qp);
  }
  /// The packets from the n-th on, as "PSN at begin" relative to `t`.
  struct Sent {
    std::uint32_t psn;
    Picoseconds at;
    bool operator==(const Sent&) const = default;
  };
  std::vector<Sent> from(std::size_t n, std::size_t count) const {
    const auto at = decisions(line);
    const auto psns = line.far->psns_seen();
    std::vector<Sent> all;
    for (std::size_t i = n; i < at.size() && i < n + count; ++i) all.push_back({psns[i], at[i]});
    return all;
  }

  HostTimes host;
  NicAndPeer line;
  Picoseconds first{};
};
using Sent = Backlog::Sent;
void PrintTo(const Sent& s, std::ostream* out) { *out << s.psn << " at " << s.at.count(); }

// PSNs one after the other from `at` on.
std::vector<Sent> train(Picoseconds at, const std::vector<std::uint32_t>& psns) {
  std::vector<Sent> all;
  for (std::size_t i = 0; i < psns.size(); ++i) {
    all.push_back({psns[i], at + packet_time * static_cast<std::int64_t>(i)});
  }
  return all;
}

// ---- H1

TEST(Recovery, BlockingFetchStallsForItsReads) {
  struct Row {
    std::uint32_t reads;
    std::uint32_t psn;
    int payloads;
  };
  // The last packet sent is 100: a NACK for it needs one payload only.
  const std::vector<Row> rows = {{2, 90, 2}, {1, 90, 2}, {3, 90, 2}, {2, 100, 1}};
  fabric::sim_context context;
  std::vector<Backlog> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = serving(with_host(), {"blocking_fetch"});
    config.retransmit.parameters.of<policy::BlockingFetch>().serial_reads = rows[i].reads;
    lines.emplace_back(context, config, i);
    lines[i].nack_at(lines[i].middle(100), rows[i].psn);
  }
  test::run_on(context, 40_us);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Backlog& b = lines[i];
    const Picoseconds stall = b.host.read(64_B) * static_cast<std::int64_t>(rows[i].reads) +
                              b.host.read(1024_B, rows[i].payloads);
    const Picoseconds over = b.middle(100) + stall;
    EXPECT_EQ(b.from(99, 2), train(b.slot(99), {99, 100})) << i;
    EXPECT_EQ(b.from(101, 4), rows[i].psn == 100 ? train(over, {100, 101, 102, 103})
                                                 : train(over, {90, 100, 101, 102}))
        << i;
    const RnicCounters& c = b.line.nic->counters();
    EXPECT_EQ(idle_time(*b.line.nic, IdleCause::retransmit), over - b.slot(101));
    EXPECT_EQ(c.services, 1u);
    EXPECT_EQ(c.nacks_served, 1u);
    EXPECT_EQ(c.service_time, stall);
    EXPECT_EQ(c.retransmit_reads, rows[i].reads + static_cast<unsigned>(rows[i].payloads));
    EXPECT_EQ(c.retransmit_read_bytes, 64 * rows[i].reads + 1024 * rows[i].payloads);
    EXPECT_EQ(b.line.nic->fetcher()->counters().discarded_bytes, 0);
    test::expect_time_accounted(*b.line.nic, 40_us);
  }
}

// The stall is the host's, whatever the network's round trip is.
TEST(Recovery, ResponsesGoOutDuringAStall) {
  fabric::sim_context context;
  Backlog b(context, serving(with_host(), {"blocking_fetch"}));
  b.nack_at(b.middle(100), 90);
  const Picoseconds asked = b.middle(104);
  b.line.far->data(asked - odd_link.delay - b.line.nic->config().rx_latency -
                       test::wire_time(Opcode::write_middle, 1024_B),
                   0, Opcode::write_middle, true);
  test::run_on(context, 30_us);
  bool acked = false;
  for (const auto& s : b.line.far->seen) {
    if (s.data()) continue;
    acked = true;
    EXPECT_EQ(b.line.decided(s), asked + b.line.nic->config().ack_delay);
  }
  EXPECT_TRUE(acked);
}

// ---- merging

struct Merging {
  Merge merge;
  std::vector<std::uint32_t> first;  // PSNs sent again when the wire is free
  std::uint64_t served, stale, merged, services;
};

// Four NACKs: the first is served, three come while it is. What is fetched for one leaves before
// the next is served, and nothing new in between. Each acknowledges what lies before it, so of
// those that wait only the last is not stale.
TEST(Recovery, NacksDuringAServiceMerge) {
  const std::vector<Merging> rows = {
      {Merge::every, {80, 100, 84, 100, 88, 100, 92, 100, 101}, 2, 2, 0, 4},
      {Merge::one_pending, {80, 100, 92, 100, 101}, 2, 0, 2, 2},
      {Merge::ignore, {80, 100, 101}, 1, 0, 3, 1}};
  fabric::sim_context context;
  std::vector<Backlog> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = serving(with_host(), {"blocking_fetch"});
    config.retransmit.parameters.of<policy::BlockingFetch>().merge = rows[i].merge;
    lines.emplace_back(context, config, i);
    for (std::uint32_t n = 0; n < 4; ++n) {
      lines[i].nack_at(lines[i].middle(100) + 100_ns * n, 80 + 4 * n);
    }
  }
  test::run_on(context, 60_us);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Backlog& b = lines[i];
    const RnicCounters& c = b.line.nic->counters();
    EXPECT_EQ(c.nacks_received, 4u);
    EXPECT_EQ(c.nacks_served, rows[i].served) << i;
    EXPECT_EQ(c.nacks_stale, rows[i].stale) << i;
    EXPECT_EQ(c.nacks_merged, rows[i].merged) << i;
    EXPECT_EQ(c.services, rows[i].services) << i;
    std::vector<std::uint32_t> again;
    for (const Sent& s : b.from(101, rows[i].first.size())) again.push_back(s.psn);
    EXPECT_EQ(again, rows[i].first) << i;
    // One service after the other, and nothing but them on the host's link.
    const Picoseconds stall = b.host.read(64_B) * 2 + b.host.read(1024_B, 2);
    EXPECT_EQ(c.service_time, stall * static_cast<std::int64_t>(rows[i].services)) << i;
  }
}

// The NACK that waits turns stale by an ACK: nothing is served for it, and the wire goes on.
TEST(Recovery, AStaleNackIsSkipped) {
  fabric::sim_context context;
  std::vector<Backlog> lines;
  const std::vector<std::vector<std::string>> policies = {
      {"blocking_fetch"}, {"firmware_event"}, {"recovery_handshake"}};
  for (unsigned i = 0; i < policies.size(); ++i) {
    RnicConfig config = serving(with_host(), policies[i]);
    lines.emplace_back(context, config, i);
    Backlog& b = lines[i];
    b.nack_at(b.middle(100), 80);
    b.nack_at(b.middle(101), 90);
    b.ack_at(b.middle(102) + config.nack_reaction, 101);  // taken during the first service
  }
  test::run_on(context, 150_us);  // the handshake waits for its guard: the ACK was not of all
  for (const Backlog& b : lines) {
    const RnicCounters& c = b.line.nic->counters();
    EXPECT_EQ(c.nacks_served, 1u);
    EXPECT_EQ(c.nacks_stale, 1u);
    EXPECT_EQ(c.services, 1u);
    EXPECT_EQ(sent(*b.line.nic, SendKind::expected), 1u);
    EXPECT_EQ(sent(*b.line.nic, SendKind::last), 1u);
    EXPECT_EQ(c.sent[0], 101u + 512u);  // up to the window, nothing is stuck
  }
}

// ... but `every` serves it all the same, and sends again what it names.
TEST(Recovery, EveryServesAStaleNackBlindly) {
  fabric::sim_context context;
  RnicConfig config = serving(with_host(), {"blocking_fetch"});
  config.retransmit.parameters.of<policy::BlockingFetch>().merge = Merge::every;
  Backlog b(context, config);
  b.nack_at(b.middle(100), 80);
  b.nack_at(b.middle(101), 90);
  b.ack_at(b.middle(110), 98);
  test::run_on(context, 80_us);
  const RnicCounters& c = b.line.nic->counters();
  EXPECT_EQ(c.services, 2u);
  EXPECT_EQ(c.nacks_stale, 1u);
  std::vector<std::uint32_t> again;
  for (const Sent& s : b.from(101, 5)) again.push_back(s.psn);
  EXPECT_EQ(again, (std::vector<std::uint32_t>{80, 100, 90, 100, 101}));
}

TEST(Recovery, QueuePairsWaitForTheOneServerInTurn) {
  fabric::sim_context context;
  Backlog b(context, serving(with_host(), {"blocking_fetch"}), 0, Bytes(1 << 20), 3);
  const Picoseconds t = b.middle(150);
  for (std::uint32_t qp = 0; qp < 3; ++qp) {
    b.nack_at(t + 100_ns * qp, 20 + qp, qp);
    b.nack_at(t + 400_ns + 100_ns * qp, 30 + qp, qp);  // takes its place, or waits
  }
  test::run_on(context, 60_us);
  const RnicCounters& c = b.line.nic->counters();
  EXPECT_EQ(c.services, 4u);  // 20, then the last of each
  EXPECT_EQ(c.nacks_merged, 2u);
  std::vector<std::pair<unsigned, std::uint32_t>> expected;
  for (const auto& s : b.line.far->seen) {
    if (s.data() && s.packet.retransmission && s.psn() < 40) {
      expected.emplace_back(s.packet.entropy - 0xc000u, s.psn());
    }
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(expected,
            (std::vector<std::pair<unsigned, std::uint32_t>>{{0, 20}, {0, 30}, {1, 31}, {2, 32}}));
}

// ---- H2

TEST(Recovery, AFlushIsPaidForByReadingAgain) {
  fabric::sim_context context;
  RnicConfig config = serving(with_host(), {"pipeline_flush"});
  Backlog b(context, config);
  b.nack_at(b.middle(100), 90);
  test::run_on(context, 40_us);
  const auto& c = b.line.nic->counters();
  const Picoseconds over = b.middle(100) +
                           config.retransmit.parameters.of<policy::PipelineFlush>().flush +
                           b.host.read(64_B) + b.host.read(1024_B, 2);
  EXPECT_EQ(b.from(101, 2), train(over, {90, 100}));
  // Then the WQE and the payloads again, from when the service ended.
  const Picoseconds refilled = over + b.host.read(64_B) + b.host.read(1024_B);
  EXPECT_EQ(b.from(103, 5), train(refilled, {101, 102, 103, 104, 105}));
  const auto& f = b.line.nic->fetcher()->counters();
  EXPECT_EQ(f.discarded_bytes, 16 * 1024);
  EXPECT_EQ(f.wqe_reads, 2u);
  EXPECT_EQ(f.payload_bytes - f.discarded_bytes - b.line.nic->fetcher()->used().count(),
            static_cast<std::int64_t>(c.sent[0]) * 1024);
  EXPECT_EQ(idle_time(*b.line.nic, IdleCause::retransmit), over - b.slot(101));
  EXPECT_EQ(idle_time(*b.line.nic, IdleCause::wqe),
            b.host.read(64_B) * 2 - packet_time * 2);  // the first packet's, and this one
}

// ---- H3

TEST(Recovery, StrictPriorityNeverStopsTheWire) {
  for (const bool host : {false, true}) {
    const std::string done = test::in_child([&]() -> std::string {
      fabric::sim_context context;
      RnicConfig config = serving(with_host(), {"strict_priority"});
      if (!host) config.host = HostModel::none;
      Backlog b(context, config);
      b.nack_at(b.middle(100), 90);
      b.nack_at(b.middle(103), 95);
      test::run_on(context, 30_us);
      const auto all = b.from(0, 200);
      for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_EQ(all[k].at, b.slot(static_cast<std::int64_t>(k))) << k;
      }
      // Both are served on their own; the first slot after its payload is there.
      const Picoseconds service = host ? b.host.read(64_B) + b.host.read(1024_B, 2) : 0_ps;
      for (const auto& [nack, psn] : {std::pair{100, 90u}, std::pair{103, 95u}}) {
        const auto k = static_cast<std::size_t>((b.middle(nack) + service - b.first) / packet_time);
        EXPECT_EQ(all[k + 1].psn, psn) << nack;
        EXPECT_EQ(all[k + 2].psn, all[k].psn) << nack;  // the last one sent
      }
      EXPECT_EQ(idle_time(*b.line.nic, IdleCause::retransmit), 0_ps);
      return "done";
    });
    EXPECT_EQ(done, "done");
  }
}

// ---- H4

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

// ---- H5

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

// ---- a service longer than a window

// What was acknowledged long ago is not sent again, whatever was decided when its NACK came.
TEST(Recovery, WhatIsForgottenIsNotSentAgain) {
  fabric::sim_context context;
  RnicConfig config = serving(with_host(), {"strict_priority"});
  config.retransmit.parameters.of<policy::StrictPriority>().serial_reads = 8;
  config.reliability.window = 4;
  Backlog b(context, config, 0, 100_B);
  b.line.queue_pair(messages(100_B, 40));
  const Picoseconds t = b.host.first_packet(100_B, 8) + 3_us;
  b.nack_at(t, 0, 1);
  for (std::uint32_t n = 1; n <= 4; ++n) b.ack_at(t + 1_us * n, 4 * n, 1);
  test::run_on(context, 40_us);
  EXPECT_EQ(b.line.nic->counters().services, 1u);
  EXPECT_EQ(b.line.nic->queue_pair(1).sender().oldest_unacked(), Psn(16));
  for (const auto& s : b.line.far->seen) {
    EXPECT_EQ(s.packet.opcode, Opcode::write_only) << s.psn();
    EXPECT_EQ(s.packet.payload, 100) << s.psn();
    EXPECT_FALSE(s.packet.retransmission) << s.psn();
  }
}

// ---- H5'

struct Handshake : Backlog {
  Handshake(fabric::sim_context& context, RnicConfig config, unsigned index = 0)
      : Backlog(context, config, index) {}
  static RnicConfig with(Picoseconds guard = 50_us) {
    RnicConfig config = serving(odd_latencies(), {"recovery_handshake"});
    config.reth_on_every_packet = true;
    config.retransmit.parameters.of<policy::RecoveryHandshake>().guard = guard;
    return config;
  }
};

TEST(Recovery, AHandshakeSendsNothingNewUntilItsAck) {
  fabric::sim_context context;
  Handshake b(context, Handshake::with());
  const Picoseconds t = b.middle(100), acked = t + 7'777'777_ps;
  b.nack_at(t, 90);
  b.ack_at(t + 3_us, 100);  // not all of it
  b.ack_at(acked, 101);
  test::run_on(context, 30_us);
  EXPECT_EQ(b.from(101, 2), train(b.slot(101), {90, 100}));
  EXPECT_TRUE(b.line.far->seen[102].packet.ack_request);  // the solicit
  EXPECT_EQ(b.from(103, 3), train(acked, {101, 102, 103}));
  EXPECT_EQ(idle_time(*b.line.nic, IdleCause::recovery), acked - b.slot(103));
}

// New data is held from the NACK on, or goes on during the reads; then the two, and nothing after
// them.
TEST(Recovery, AHandshakeReadsBeforeItSends) {
  fabric::sim_context context;
  RnicConfig config = serving(with_host(), {"recovery_handshake"});
  Backlog held(context, config, 1);
  config.retransmit.parameters.of<policy::RecoveryHandshake>().hold_from =
      policy::RecoveryHandshake::HoldFrom::retransmission;
  Backlog b(context, config);
  const Picoseconds t = b.middle(100);
  b.nack_at(t, 90);
  held.nack_at(t, 90);
  test::run_on(context, 30_us);
  const Picoseconds reads = b.host.read(64_B) + b.host.read(1024_B, 2);
  EXPECT_EQ(held.from(101, 100), train(t + reads, {90, 100}));
  EXPECT_EQ(idle_time(*held.line.nic, IdleCause::retransmit), t + reads - b.slot(101));
  const auto k = static_cast<std::size_t>((t + reads - b.first) / packet_time);
  const auto last = static_cast<std::uint32_t>(k);
  EXPECT_EQ(b.from(k + 1, 100), train(b.slot(static_cast<std::int64_t>(k) + 1), {90, last}));
}

TEST(Recovery, ASecondLossIsServedAfterTheGuard) {
  const Picoseconds guard = 20'000'123_ps;
  fabric::sim_context context;
  Handshake during(context, Handshake::with(guard)), at(context, Handshake::with(guard), 1),
      after(context, Handshake::with(guard), 2), latest(context, Handshake::with(guard), 3);
  const Picoseconds t = during.middle(100);
  for (Handshake* b : {&during, &at, &after, &latest}) b->nack_at(t, 90);
  during.nack_at(t + 5_us, 95);
  at.nack_at(t + guard - 1_ps, 95);
  after.nack_at(t + guard + 3_us, 95);
  latest.nack_at(t + 5_us, 93);
  latest.nack_at(t + 6_us, 95);
  test::run_on(context, 100_us);
  for (const Handshake* b : {&during, &at, &latest}) {
    EXPECT_EQ(b->from(103, 10), train(t + guard, {95, 100}));
    EXPECT_EQ(b->line.nic->counters().nacks_served, 2u);
  }
  EXPECT_EQ(latest.line.nic->counters().nacks_merged, 1u);
  // Without the guard in the way, a NACK is served at once.
  EXPECT_EQ(after.from(103, 10), train(t + guard + 3_us, {95, 100}));
}

// A NACK that comes while a NACK is served after the guard waits for that service only.
TEST(Recovery, AfterTheGuardNacksAreServedOneAfterTheOther) {
  fabric::sim_context context;
  RnicConfig config = serving(with_host(), {"recovery_handshake"});
  config.retransmit.parameters.of<policy::RecoveryHandshake>().guard = 5_us;
  Backlog b(context, config);
  const Picoseconds t = b.middle(100);
  b.nack_at(t, 90);
  b.nack_at(t + 20_us, 93);           // long after the guard
  b.nack_at(t + 20_us + 500_ns, 95);  // while that is served
  test::run_on(context, 60_us);
  EXPECT_EQ(b.line.nic->counters().nacks_served, 3u);
  EXPECT_EQ(sent(*b.line.nic, SendKind::expected), 3u);
}

TEST(Recovery, ATimeoutEndsAHandshake) {
  fabric::sim_context context;
  RnicConfig config = Handshake::with(10_ms);
  config.reliability.rto = 30_us;
  Handshake b(context, config);
  const Picoseconds t = b.middle(100);
  b.nack_at(t, 90);
  b.nack_at(t + 5_us, 95);
  test::run_on(context, t + 40_us);
  // Nothing comes back: a timeout after the last advance the pending NACK is served, and what is
  // unacknowledged is sent again.
  EXPECT_EQ(b.line.nic->counters().timeouts, 1u);
  EXPECT_EQ(b.line.nic->counters().nacks_served, 2u);
  EXPECT_EQ(b.from(103, 20), train(t + 35_us, {95, 100, 95, 96, 97, 98, 99, 100}));
}

// Everything is acknowledged while the NACK is served: then there is no ACK to wait for.
TEST(Recovery, AHandshakeWithNothingUnacknowledgedHoldsNothing) {
  fabric::sim_context context;
  RnicConfig config = serving(with_host(), {"recovery_handshake"});
  NicAndPeer line(context, config);
  line.queue_pair(messages(10_KiB, 2), 1);  // the second when the first is complete
  const HostTimes host(config);
  const Picoseconds t = host.first_packet(1024_B) + packet_time * 12;
  line.far->nack(line.response_known_at(t - config.nack_reaction), 5);
  line.far->ack(line.response_known_at(t + 300_ns), 10);
  line.far->ack(line.response_known_at(t + 60_us), 20);
  test::run_on(context, 100_us);
  EXPECT_EQ(line.nic->counters().nacks_served, 1u);
  EXPECT_EQ(line.nic->counters().sent[0], 20u);
  EXPECT_TRUE(line.nic->finished());
}

// ---- H6

TEST(Recovery, AFullBufferGivesWayToRetransmissions) {
  struct Row {
    Bytes buffer;
    std::int64_t discarded;
  };
  const std::vector<Row> rows = {{16_KiB, 2048}, {17_KiB, 1024}, {18_KiB, 0}, {128_KiB, 0}};
  fabric::sim_context context;
  std::vector<Backlog> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = serving(with_host(), {"buffer_thrash"});
    config.sram.tx_buffer = rows[i].buffer;
    lines.emplace_back(context, config, i);
    lines[i].nack_at(lines[i].middle(100), 90);
  }
  test::run_on(context, 40_us);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Backlog& b = lines[i];
    const Picoseconds over = b.middle(100) + b.host.read(1024_B, 2);
    EXPECT_EQ(b.from(101, 10), train(over, {90, 100, 101, 102, 103, 104, 105, 106, 107, 108})) << i;
    const auto* f = b.line.nic->fetcher();
    EXPECT_EQ(f->counters().discarded_bytes, rows[i].discarded) << i;
    EXPECT_LE(f->most_used(), rows[i].buffer) << i;
    EXPECT_EQ(f->counters().payload_bytes - f->counters().discarded_bytes - f->used().count(),
              static_cast<std::int64_t>(b.line.nic->counters().sent[0]) * 1024);
  }
}

// ---- H7

TEST(Recovery, FirmwareTakesOneEventAtATime) {
  fabric::sim_context context;
  RnicConfig config = serving(odd_latencies(), {"firmware_event"});
  config.reth_on_every_packet = true;
  config.retransmit.parameters.of<policy::FirmwareEvent>().event = 5'000'003_ps;
  Backlog b(context, config, 0, Bytes(1 << 20), 2);
  const Picoseconds t = b.middle(100), event = 5'000'003_ps;
  b.nack_at(t, 20, 0);
  b.nack_at(t + 1_us, 30, 1);
  test::run_on(context, 40_us);
  const RnicCounters& c = b.line.nic->counters();
  EXPECT_EQ(c.services, 2u);
  EXPECT_EQ(c.service_time, event * 2);
  const auto at = decisions(b.line);
  std::vector<Picoseconds> again;
  for (std::size_t k = 0; k < at.size(); ++k) {
    const auto& p = b.line.far->seen[k].packet;
    // The wire is never idle: there is always the other one.
    ASSERT_EQ(at[k], b.slot(static_cast<std::int64_t>(k)));
    if (at[k] > t && at[k] < t + event) {
      EXPECT_EQ(p.entropy, 0xc001u) << k;
    }
    if (at[k] > t + event + packet_time && at[k] < t + event * 2) {
      EXPECT_EQ(p.entropy, 0xc000u) << k;
    }
    if (p.psn == Psn(20) && p.retransmission) again.push_back(at[k] - t - event);
    if (p.psn == Psn(30) && p.retransmission) again.push_back(at[k] - t - event * 2);
  }
  ASSERT_EQ(again.size(), 2u);
  for (const Picoseconds late : again) {
    EXPECT_GE(late, 0_ps);
    EXPECT_LE(late, packet_time * 2);  // the packet on the wire, and the other one's turn
  }
  EXPECT_EQ(idle_time(*b.line.nic, IdleCause::retransmit), 0_ps);
}

TEST(Recovery, AFirmwareEventStallsWhatItIsToldTo) {
  using policy::Scope;
  const std::vector<Scope> rows = {Scope::none, Scope::queue_pair, Scope::port};
  fabric::sim_context context;
  std::vector<Backlog> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = serving(odd_latencies(), {"firmware_event"});
    config.reth_on_every_packet = true;
    config.retransmit.parameters.of<policy::FirmwareEvent>().stall = rows[i];
    lines.emplace_back(context, config, i);
    lines[i].nack_at(lines[i].middle(100), 90);
  }
  test::run_on(context, 30_us);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Backlog& b = lines[i];
    const Picoseconds over = b.middle(100) + 5_us;
    EXPECT_EQ(idle_time(*b.line.nic, IdleCause::retransmit),
              rows[i] == Scope::none ? 0_ps : over - b.slot(101));
    if (rows[i] == Scope::none) {
      const auto k = static_cast<std::size_t>((over - b.first) / packet_time);
      EXPECT_EQ(b.from(k + 1, 1), train(b.slot(static_cast<std::int64_t>(k) + 1), {90}));
    } else {
      EXPECT_EQ(b.from(101, 3), train(over, {90, 100, 101}));
    }
  }
}

// ---- H8

// PSN 1 before 0: a NACK at 1 us. Then 3 before 2, so that the next one is due: at 4 us, `later`
// after the first, and 5 us after that.
void out_of_order(test::peer& far, Picoseconds later) {
  far.data(1_us, 1);
  far.data(2_us, 0);
  far.data(4_us, 3);
  far.data(1_us + later, 4);
  far.data(1_us + later + 5_us, 5);
}

TEST(Recovery, ASuppressedNackComesWithTheNextPacketOutOfOrder) {
  const Picoseconds interval = 10'000'019_ps;
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  RnicConfig config = serving(odd_latencies(), {"nack_rate_limit"});
  config.retransmit.parameters.of<policy::NackRateLimit>().interval = interval;
  const Picoseconds wire = test::wire_time(Opcode::write_middle, 1024_B);
  for (unsigned i = 0; i < 2; ++i) {
    lines.emplace_back(context, config, odd_link, i);
    lines[i].queue_pair(nullptr);
    out_of_order(*lines[i].far, i == 0 ? interval : interval - 1_ps);
  }
  test::run_on(context, 100_us);
  const Picoseconds decided = wire + odd_link.delay + config.rx_latency + config.nack_delay;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& seen = lines[i].far->seen;
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0].psn(), 0u);
    EXPECT_EQ(lines[i].decided(seen[0]), 1_us + decided);
    EXPECT_EQ(seen[1].psn(), 2u);
    // In time, or brought by the packet 5 us later.
    const Picoseconds by = 1_us + (i == 0 ? interval : interval - 1_ps + 5_us);
    EXPECT_EQ(lines[i].decided(seen[1]), by + decided);
    EXPECT_EQ(lines[i].nic->counters().nacks_suppressed, i == 0 ? 1u : 2u);
    EXPECT_EQ(lines[i].nic->counters().nacks_sent, 2u);
  }
}

}  // namespace
}  // namespace horae::rnic
