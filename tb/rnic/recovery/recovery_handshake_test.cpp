// A recovery that waits for the acknowledgement of what it sent again (hypothesis 5').
#include <gtest/gtest.h>

#include "horae/policy/retransmit/parameters.hpp"
#include "recovery.hpp"

namespace horae::rnic::recovery_handshake_test {
namespace {

using policy::SendKind;
using test::Backlog;
using test::HostTimes;
using test::idle_time;
using test::messages;
using test::NicAndPeer;
using test::odd_latencies;
using test::packet_time;
using test::sent;
using test::serving;
using test::train;
using test::with_host;

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

}  // namespace
}  // namespace horae::rnic::recovery_handshake_test
