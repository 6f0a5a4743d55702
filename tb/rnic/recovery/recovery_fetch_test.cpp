// Serving a NACK by reading its packets again: what the reads, a flush and a full buffer do to the
// wire, to the picosecond (hypotheses 1, 2, 3 and 6).
#include <gtest/gtest.h>

#include <vector>

#include "horae/policy/retransmit/parameters.hpp"
#include "recovery.hpp"

namespace horae::rnic::recovery_fetch_test {
namespace {

using test::Backlog;
using test::idle_time;
using test::messages;
using test::odd_link;
using test::packet_time;
using test::serving;
using test::train;
using test::with_host;

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

// Packets acknowledged long ago are not sent again, whatever was decided when their NACK came.
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

}  // namespace
}  // namespace horae::rnic::recovery_fetch_test
