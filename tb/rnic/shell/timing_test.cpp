// The NIC's latencies, each in its place, to the picosecond.
#include <gtest/gtest.h>

#include <vector>

#include "nic_parts.hpp"

namespace horae::rnic::timing_test {
namespace {

using policy::SendKind;
using test::ack_return;
using test::ack_time;
using test::connect_queue_pairs;
using test::messages;
using test::NicAndPeer;
using test::NicPair;
using test::odd_latencies;
using test::odd_link;
using test::one_way;
using test::wire_time;

const Picoseconds first_time = wire_time(Opcode::write_first, 1024_B);
const Picoseconds middle_time = wire_time(Opcode::write_middle, 1024_B);
const Picoseconds last_time = wire_time(Opcode::write_last, 1024_B);

TEST(Timing, AResultIsNotAccidental) {  // sums below are of these
  EXPECT_EQ(first_time, 89'760_ps);
  EXPECT_EQ(middle_time, 88'480_ps);
  EXPECT_EQ(ack_time(), 6'880_ps);
}

TEST(Timing, TheLastBitArrivesAfterPipeSerialisationAndDelay) {
  struct Row {
    BitRate rate;
    Bytes bytes;
  };
  const std::vector<Row> rows = {{100_Gbps, 1024_B},
                                 {100_Gbps, 0_B},
                                 {25_Gbps, 1_B},
                                 {400_Gbps, 1000_B},
                                 {BitRate(7'000'000'000), 777_B}};
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  std::vector<NicAndPeer> at_peer;
  std::vector<NicPair> nics;
  std::vector<std::pair<Picoseconds, std::size_t>> expected;
  const Picoseconds start = 1'234'567_ps;
  for (unsigned i = 0; i < rows.size(); ++i) {
    const fabric::LinkConfig link{.rate = rows[i].rate, .delay = 500_ns + 1_ns * i};
    const Picoseconds wire = wire_time(Opcode::write_only, rows[i].bytes, rows[i].rate);
    at_peer.emplace_back(context, config, link, i);
    at_peer.back().queue_pair(messages(rows[i].bytes, 1, start));
    nics.emplace_back(context, config, link, i);
    connect_queue_pairs(*nics.back().a, *nics.back().b,
                        {.a_to_b = messages(rows[i].bytes, 1, start)});
    expected.emplace_back(start + config.tx_latency + wire + link.delay, i);
  }
  std::sort(expected.begin(), expected.end());
  for (const auto& [at, i] : expected) {
    context.clock.run_to(at);
    EXPECT_TRUE(at_peer[i].far->seen.empty()) << i;
    context.clock.run_to(at + 1_ps);
    ASSERT_EQ(at_peer[i].far->seen.size(), 1u) << i;
    EXPECT_EQ(at_peer[i].far->seen[0].at, at);
    EXPECT_EQ(at_peer[i].far->seen[0].packet.created, start);
  }
}

TEST(Timing, ThePeerDecidesOneReceivePipeLater) {
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = messages(1024_B)});
  const Picoseconds decided =
      wire_time(Opcode::write_only, 1024_B) + config.tx_latency + odd_link.delay + 287'003_ps;
  context.clock.run_to(decided);
  EXPECT_EQ(nics.b->counters().data_received, 0u);
  context.clock.run_to(decided + 1_ps);
  EXPECT_EQ(nics.b->counters().data_received, 1u);
  EXPECT_EQ(nics.b->counters().delivered_bytes, 1024u);

  // And the ACK returns after: delay to acknowledge, pipe, its wire time, delay, pipe.
  const Picoseconds acked = decided + config.ack_delay + config.tx_latency + ack_time() +
                            odd_link.delay + config.rx_latency;
  context.clock.run_to(acked);
  EXPECT_EQ(nics.b->counters().acks_sent, 1u);
  EXPECT_EQ(nics.a->counters().acks_received, 0u);
  EXPECT_EQ(nics.a->counters().messages_completed, 0u);
  EXPECT_FALSE(nics.a->finished());
  context.clock.run_to(acked + 1_ps);
  EXPECT_EQ(nics.a->counters().acks_received, 1u);
  EXPECT_EQ(nics.a->counters().messages_completed, 1u);
  EXPECT_TRUE(nics.a->finished());
  EXPECT_EQ(nics.a->queue_pair(0).progress().last_completion, acked);
}

// A message completes when the ACK of its last packet is taken.
TEST(Timing, MessagesCompleteInClosedForm) {
  struct Row {
    Bytes bytes;
    Picoseconds wire;  // of all of its packets
  };
  const std::vector<Row> rows = {
      {0_B, wire_time(Opcode::write_only, 0_B)},
      {1_B, wire_time(Opcode::write_only, 1_B)},
      {1024_B, wire_time(Opcode::write_only, 1024_B)},
      {1025_B, first_time + wire_time(Opcode::write_last, 1_B)},
      {2048_B, first_time + last_time},
      {Bytes(10 * 1024), first_time + middle_time * 8 + last_time},
      {Bytes(100 * 1024), first_time + middle_time * 98 + last_time},
      {Bytes(512 * 1024 - 3),
       first_time + middle_time * 510 + wire_time(Opcode::write_last, 1021_B)},
  };
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  std::vector<NicPair> nics;
  const Picoseconds start = 3'333'333_ps;
  for (unsigned i = 0; i < rows.size(); ++i) {
    nics.emplace_back(context, config, odd_link, i);
    // Five messages, one at a time: each posted when the one before completes.
    connect_queue_pairs(*nics.back().a, *nics.back().b,
                        {.a_to_b = messages(rows[i].bytes, 5, start), .depth = 1});
  }
  context.clock.run_to(1_ms);
  for (unsigned i = 0; i < rows.size(); ++i) {
    const Picoseconds latency =
        rows[i].wire + one_way(config, odd_link) + ack_return(config, odd_link);
    const QueuePair& qp = nics[i].a->queue_pair(0);
    ASSERT_EQ(qp.message_latency().count(), 5) << i;
    EXPECT_EQ(qp.message_latency().min(), latency.count()) << i;
    EXPECT_EQ(qp.message_latency().max(), latency.count()) << i;
    EXPECT_EQ(qp.progress().first_post, start);
    EXPECT_EQ(qp.progress().last_completion, start + latency * 5) << i;
  }
  EXPECT_EQ(context.pool.live(), 0u);
}

TEST(Timing, AWorkRequestOfABacklogCountsItsWait) {
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  NicPair nics(context, config);
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = messages(1024_B, 3)});  // all posted at 0
  context.clock.run_to(100_us);
  const Picoseconds only = wire_time(Opcode::write_only, 1024_B);
  const Picoseconds path = one_way(config, odd_link) + ack_return(config, odd_link);
  const auto& latency = nics.a->queue_pair(0).message_latency();
  EXPECT_EQ(latency.min(), (only + path).count());
  EXPECT_EQ(latency.max(), (only * 3 + path).count());
  EXPECT_DOUBLE_EQ(latency.mean(), static_cast<double>((only * 2 + path).count()));
}

// From the decision about the first packet out of order.
TEST(Timing, ANackLeavesItsDelayAfterThePacketOutOfOrder) {
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  NicAndPeer line(context, config);
  line.queue_pair(nullptr);
  for (const std::uint32_t psn : {0, 2, 3, 4}) line.far->data(10_us + middle_time * psn, psn);
  context.clock.run_to(100_us);
  const auto& seen = line.far->seen;
  ASSERT_EQ(seen.size(), 1u);  // one NACK for an expected PSN, however many follow
  EXPECT_TRUE(seen[0].nack());
  EXPECT_EQ(seen[0].psn(), 1u);
  const Picoseconds decided = 10_us + middle_time * 3 + odd_link.delay + config.rx_latency;
  EXPECT_EQ(line.decided(seen[0]), decided + config.nack_delay);
  EXPECT_EQ(seen[0].at, decided + 1'013'009_ps + 301'001_ps + 6'880_ps + 503'017_ps);
  EXPECT_EQ(seen[0].packet.dst, test::peer::node);
  EXPECT_EQ(seen[0].packet.dest_qp, Qpn(0x77));
  EXPECT_EQ(line.nic->counters().out_of_order, 3u);
  EXPECT_EQ(line.nic->reorder_depth().min(), 1);
  EXPECT_EQ(line.nic->reorder_depth().max(), 3);
}

TEST(Timing, TheNextNackNeedsTheExpectedPacketFirst) {
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  NicAndPeer line(context, config);
  line.queue_pair(nullptr);
  const Picoseconds spacing = 5_us;
  const std::vector<std::uint32_t> order = {1, 2, 0, 5, 3, 7, 4, 6};
  for (std::size_t i = 0; i < order.size(); ++i) {
    line.far->data(spacing * static_cast<std::int64_t>(i), order[i]);
  }
  context.clock.run_to(100_us);
  // Expected 0 at packet 1; 3 at packet 5; with 3 there, 4 at packet 7; 4 and 5 there, 6 at none.
  struct Expected {
    std::size_t by;
    std::uint32_t psn;
  };
  const std::vector<Expected> nacks = {{0, 0}, {3, 3}, {5, 4}};
  ASSERT_EQ(line.far->seen.size(), nacks.size());
  for (std::size_t i = 0; i < nacks.size(); ++i) {
    EXPECT_TRUE(line.far->seen[i].nack());
    EXPECT_EQ(line.far->seen[i].psn(), nacks[i].psn);
    EXPECT_EQ(line.decided(line.far->seen[i]), spacing * static_cast<std::int64_t>(nacks[i].by) +
                                                   middle_time + odd_link.delay +
                                                   config.rx_latency + config.nack_delay);
  }
}

TEST(Timing, AnAckDoesNotOvertakeANack) {
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  NicAndPeer line(context, config);
  line.queue_pair(nullptr);
  line.far->data(0_ps, 1);
  line.far->data(0_ps, 0, Opcode::write_first, true);  // asks for an ACK, while the NACK waits
  context.clock.run_to(100_us);
  ASSERT_EQ(line.far->seen.size(), 2u);
  EXPECT_TRUE(line.far->seen[0].nack());
  EXPECT_EQ(line.far->seen[0].psn(), 0u);
  EXPECT_FALSE(line.far->seen[1].nack());
  EXPECT_EQ(line.far->seen[1].psn(), 1u);  // the last one received in order
  EXPECT_EQ(line.decided(line.far->seen[1]), line.decided(line.far->seen[0]) + ack_time());
}

// A NACK makes the sender send two packets again: the one it names, and the last one sent.
TEST(Timing, TwoPacketsAreSentAgainTheReactionLater) {
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(10 * 1024)));
  const Picoseconds nacked = 20_us;
  line.far->nack(line.response_known_at(nacked), 3);
  context.clock.run_to(nacked);
  EXPECT_EQ(line.nic->counters().nacks_received, 0u);
  context.clock.run_to(nacked + 1_ps);
  EXPECT_EQ(line.nic->counters().nacks_received, 1u);
  const Picoseconds again = nacked + config.nack_reaction;
  context.clock.run_to(again);
  EXPECT_EQ(line.nic->counters().sent_packets(), 10u);
  context.clock.run_to(again + 1_ps);
  EXPECT_EQ(test::sent(*line.nic, SendKind::expected), 1u);
  context.clock.run_to(1_ms);
  const auto& seen = line.far->seen;
  ASSERT_EQ(seen.size(), 12u);
  EXPECT_EQ(seen[10].psn(), 3u);
  EXPECT_EQ(line.decided(seen[10]), again);
  EXPECT_EQ(seen[10].at, nacked + 1'511'011_ps + 301'001_ps + middle_time + odd_link.delay);
  EXPECT_EQ(seen[10].packet.opcode, Opcode::write_middle);
  EXPECT_EQ(seen[11].psn(), 9u);
  EXPECT_EQ(line.decided(seen[11]), again + middle_time);
  EXPECT_EQ(seen[11].packet.opcode, Opcode::write_last);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].packet.retransmission, i >= 10);
  EXPECT_FALSE(seen[10].packet.ack_request);
  EXPECT_TRUE(seen[11].packet.ack_request);
  EXPECT_EQ(test::sent(*line.nic, SendKind::last), 1u);
  EXPECT_EQ(line.nic->counters().nacks_served, 1u);
}

TEST(Timing, ANackForTheLastPacketSendsOne) {
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(10 * 1024)));
  line.far->nack(line.response_known_at(20_us), 9);
  context.clock.run_to(1_ms);
  ASSERT_EQ(line.far->seen.size(), 11u);
  EXPECT_EQ(line.far->seen[10].psn(), 9u);
  EXPECT_EQ(test::sent(*line.nic, SendKind::expected), 1u);
  EXPECT_EQ(test::sent(*line.nic, SendKind::last), 0u);
}

TEST(Timing, AStaleNackSendsNothing) {
  fabric::sim_context context;
  NicAndPeer line(context, odd_latencies());
  line.queue_pair(messages(Bytes(10 * 1024)));
  line.far->ack(line.response_known_at(20_us), 5);
  line.far->nack(line.response_known_at(30_us), 3);
  context.clock.run_to(1_ms);
  EXPECT_EQ(line.far->seen.size(), 10u);
  EXPECT_EQ(line.nic->counters().nacks_stale, 1u);
  EXPECT_EQ(line.nic->counters().nacks_served, 0u);
}

// On a busy wire they go next, before anything new, at the packet boundary.
TEST(Timing, RetransmissionsGoBeforeNewPackets) {
  fabric::sim_context context;
  RnicConfig config = odd_latencies();
  config.reth_on_every_packet = true;  // all packets take the same time
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(400 * 1024)));
  const Picoseconds wire = first_time;
  // Known in the middle of packet 200.
  const Picoseconds due = wire * 200 + 1_ns;
  line.far->nack(line.response_known_at(due - config.nack_reaction), 150);
  context.clock.run_to(1_ms);
  const std::vector<std::uint32_t> psns = line.far->psns_seen();
  ASSERT_EQ(psns.size(), 402u);
  // The last one sent ends no message here, and asks for an ACK all the same.
  EXPECT_FALSE(line.far->seen[201].packet.ack_request);
  EXPECT_TRUE(line.far->seen[202].packet.ack_request);
  for (std::uint32_t i = 0; i < 402; ++i) {
    const std::uint32_t expected = i <= 200 ? i : i == 201 ? 150 : i == 202 ? 200 : i - 2;
    EXPECT_EQ(psns[i], expected) << i;
    EXPECT_EQ(line.decided(line.far->seen[i]), wire * i) << i;
  }
}

// Responses are taken in the order they come: an ACK behind a NACK waits for it.
TEST(Timing, AnAckBehindANackTakesEffectWithIt) {
  fabric::sim_context context;
  const RnicConfig config = odd_latencies();
  NicAndPeer line(context, config);
  line.queue_pair(messages(1024_B, 10));
  const Picoseconds nacked = 20_us;
  line.far->nack(line.response_known_at(nacked), 3);
  line.far->ack(line.response_known_at(nacked + 100_ns), 10);
  const Picoseconds served = nacked + config.nack_reaction;
  context.clock.run_to(served);
  EXPECT_EQ(line.nic->counters().acks_received, 1u);
  EXPECT_EQ(line.nic->counters().messages_completed, 0u);
  context.clock.run_to(served + 1_ps);
  EXPECT_EQ(line.nic->counters().nacks_served, 1u);
  EXPECT_EQ(line.nic->counters().messages_completed, 10u);
  // The NACK was served first: both of its packets go out, of messages that are completed by now.
  context.clock.run_to(1_ms);
  EXPECT_EQ(line.nic->counters().sent_packets(), 12u);
}

// Responses go before data, at the packet boundary after they are ready.
TEST(Timing, AResponseWaitsForThePacketOnTheWire) {
  fabric::sim_context context;
  RnicConfig config = odd_latencies();
  config.reth_on_every_packet = true;
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(100 * 1024)));
  const Picoseconds wire = first_time;
  line.far->data(0_ps, 0, Opcode::write_only);
  const Picoseconds ready =
      wire_time(Opcode::write_only, 1024_B) + odd_link.delay + config.rx_latency + config.ack_delay;
  const std::int64_t before = (ready.count() + wire.count() - 1) / wire.count();  // boundary after
  ASSERT_NE(wire * before, ready);
  context.clock.run_to(1_ms);
  ASSERT_EQ(line.far->seen.size(), 101u);
  for (std::int64_t i = 0; i < 101; ++i) {
    const auto& s = line.far->seen[static_cast<std::size_t>(i)];
    EXPECT_EQ(s.data(), i != before);
    EXPECT_EQ(line.decided(s), i <= before ? wire * i : wire * (i - 1) + ack_time()) << i;
  }
}

TEST(Timing, AnAckNamesTheLastPacketAndTheMessage) {
  fabric::sim_context context;
  NicAndPeer line(context, odd_latencies());
  line.queue_pair(nullptr);
  for (std::uint32_t psn = 0; psn < 3; ++psn) {
    line.far->data(1_us * psn, psn, Opcode::write_only);
  }
  context.clock.run_to(1_ms);
  ASSERT_EQ(line.far->seen.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Packet& p = line.far->seen[i].packet;
    EXPECT_EQ(p.opcode, Opcode::acknowledge);
    EXPECT_EQ(p.psn, Psn(i));
    EXPECT_EQ(p.msn, i + 1);
    EXPECT_EQ(p.frame, 66);
    EXPECT_FALSE(syndrome::is_nak(p.syndrome));
  }
}

}  // namespace
}  // namespace horae::rnic::timing_test
