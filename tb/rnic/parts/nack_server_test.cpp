// Which NACK is served, which waits and what stalls, for each kind of server; without a clock, a
// NIC or a host.
#include "horae/rnic/parts/nack_server.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "horae/policy/retransmit/parameters.hpp"
#include "queue_pair_parts.hpp"

namespace horae::rnic::nack_server_test {
namespace {

using Fate = NackServer::Fate;
using Step = NackServer::Step;

// Three queue pairs, PSNs 0 to 19 of each sent, 20 to 39 not; the server of one retransmit policy.
struct Bench {
  explicit Bench(const std::string& policy, bool host = false) : Bench(config(policy), host) {}
  explicit Bench(const policy::RetransmitConfig& c, bool host = false)
      : rules(c), server(rules, test::part_window, host) {
    for (int n = 0; n < 3; ++n) {
      qps.push_back(test::make_queue_pair(40));
      test::send(*qps.back(), 20);
      server.add(*qps.back());
    }
  }
  static policy::RetransmitConfig config(const std::string& policy) {
    policy::RetransmitConfig c;
    c.policies = {{policy, {}}};
    return c;
  }
  Fate take(std::size_t i, std::uint32_t psn, Picoseconds now) {
    return server.take(i, Psn(psn), now);
  }
  // Takes a NACK and begins its service; returns the slot.
  std::size_t begin(std::size_t i, std::uint32_t psn, Picoseconds now) {
    EXPECT_EQ(take(i, psn, now), Fate::served);
    const auto start = server.begin(i, Psn(psn), now);
    EXPECT_TRUE(start.asks);
    return start.slot.value();
  }
  // Service that begins now, as "queue pair:PSN".
  std::string next(std::size_t i, Picoseconds now) {
    const auto nack = server.next(i, now);
    return nack ? std::to_string(nack->qp) + ":" + std::to_string(nack->psn.value()) : "none";
  }

  policy::RetransmitUnit rules;
  std::vector<std::unique_ptr<QueuePair>> qps;
  NackServer server;
};

TEST(NackServer, WithoutAServerEachIsServedAtOnce) {
  Bench b("strict_priority");
  const auto first = b.begin(0, 3, 0_ns), second = b.begin(0, 4, 1_ns), third = b.begin(1, 5, 1_ns);
  EXPECT_NE(first, second);
  EXPECT_NE(second, third);
  EXPECT_FALSE(b.server.stalls_port());
  EXPECT_FALSE(b.qps[0]->stalled);
  const auto end = b.server.end(first);
  EXPECT_EQ(end.service.psn, Psn(3));
  EXPECT_EQ(end.service.start, 0_ns);
  EXPECT_TRUE(end.resend);
  EXPECT_FALSE(end.rests);
  // Its slot is free again.
  EXPECT_EQ(b.begin(2, 6, 2_ns), first);
}

TEST(NackServer, OneOfThePortTakesOneAtATimeAndOnePerQueuePairWaits) {
  Bench b("blocking_fetch");
  const auto slot = b.begin(0, 3, 0_ns);
  EXPECT_TRUE(b.server.stalls_port());
  EXPECT_EQ(b.take(1, 5, 1_ns), Fate::waits);
  EXPECT_EQ(b.take(0, 4, 2_ns), Fate::waits);
  EXPECT_EQ(b.take(1, 7, 3_ns), Fate::merged);
  EXPECT_EQ(b.next(0, 4_ns), "none");  // one is in service
  const auto end = b.server.end(slot);
  EXPECT_FALSE(b.server.stalls_port());
  EXPECT_TRUE(end.rests);
  EXPECT_EQ(end.packets, 2u);
  b.server.rest(20_ns);
  EXPECT_EQ(b.next(0, 19_ns), "none");
  EXPECT_EQ(b.take(2, 1, 19_ns), Fate::waits);
  // In the order in which the queue pairs asked first, each with what it asked for last.
  for (const char* expected : {"1:7", "0:4", "2:1", "none"}) EXPECT_EQ(b.next(0, 20_ns), expected);
}

// A NACK is in service until what it asked for is sent: then the next one is served again.
TEST(NackServer, UntilSentTheyMerge) {
  policy::RetransmitConfig c = Bench::config("parts");
  c.parameters.of<policy::RetransmitParts>() = {.server = policy::Scope::queue_pair,
                                                .until = policy::RetransmitParts::Until::sent,
                                                .merge = policy::Merge::ignore};
  Bench b(c);
  const auto slot = b.begin(0, 3, 0_ns);
  EXPECT_TRUE(b.server.end(slot).resend);
  auto& sender = b.qps[0]->sender();
  sender.retransmit(Psn(3), 0_ns);
  EXPECT_EQ(b.take(0, 4, 1_ns), Fate::merged);
  EXPECT_EQ(sender.next(2_ns).psn, Psn(3));
  EXPECT_EQ(b.take(0, 5, 2_ns), Fate::merged) << "the last packet sent waits still";
  EXPECT_EQ(b.take(1, 5, 2_ns), Fate::served) << "another queue pair";
  EXPECT_EQ(sender.next(3_ns).psn, Psn(19));
  EXPECT_EQ(b.next(0, 3_ns), "none") << "what was merged is forgotten";
  EXPECT_EQ(b.take(0, 6, 3_ns), Fate::served);
}

TEST(NackServer, WhereEveryOneIsServedTheyQueueInOrder) {
  Bench b("buffer_thrash");
  const auto slot = b.begin(0, 3, 0_ns);
  EXPECT_EQ(b.take(0, 4, 1_ns), Fate::waits);
  EXPECT_EQ(b.take(0, 4, 2_ns), Fate::waits);
  EXPECT_EQ(b.take(1, 9, 3_ns), Fate::waits);
  b.server.end(slot);
  for (const char* expected : {"0:4", "0:4", "1:9", "none"}) EXPECT_EQ(b.next(0, 4_ns), expected);
}

TEST(NackServer, AStaleOneIsSkipped) {
  Bench b("blocking_fetch");
  test::acknowledge(*b.qps[0], 5);
  EXPECT_EQ(b.take(0, 3, 0_ns), Fate::served);
  const auto start = b.server.begin(0, Psn(3), 0_ns);
  EXPECT_FALSE(start.asks);
  EXPECT_EQ(start.slot, std::nullopt);
  EXPECT_FALSE(b.server.stalls_port());
  EXPECT_EQ(b.qps[0]->in_service, 0u);
}

TEST(NackServer, WhereEveryOneIsServedAStaleOneIsToo) {
  Bench b("buffer_thrash");
  test::acknowledge(*b.qps[0], 5);
  auto start = b.server.begin(0, Psn(3), 0_ns);
  EXPECT_FALSE(start.asks);
  EXPECT_TRUE(b.server.stalls_port());
  EXPECT_TRUE(b.server.end(start.slot.value()).resend);
  // With nothing unacknowledged it only takes its time.
  test::acknowledge(*b.qps[1], 20);
  start = b.server.begin(1, Psn(3), 0_ns);
  EXPECT_FALSE(b.server.end(start.slot.value()).resend);
}

TEST(NackServer, WhatIsForgottenDuringItsServiceIsNotSentAgain) {
  Bench b("blocking_fetch");
  QueuePair& qp = *b.qps[0];
  const auto known = b.begin(0, 3, 0_ns);
  test::acknowledge(qp, 20);
  EXPECT_TRUE(b.server.end(known).resend);  // by less than a window
  const auto long_message = test::make_queue_pair(4 * test::part_window);
  NackServer server(b.rules, test::part_window, false);
  server.add(*long_message);
  test::send(*long_message, test::part_window);
  const auto start = server.begin(0, Psn(3), 0_ns);
  test::acknowledge(*long_message, test::part_window);
  test::send(*long_message, 10);
  test::acknowledge(*long_message, test::part_window + 3);
  EXPECT_FALSE(server.end(start.slot.value()).resend);
}

TEST(NackServer, ReadsAreThoseOfThePolicyThenThePayloads) {
  Bench b("blocking_fetch", true);
  const auto slot = b.begin(0, 3, 0_ns);
  for (std::uint32_t n = 0; n < b.rules.work().serial_reads; ++n) {
    EXPECT_EQ(b.server.step(slot), Step::context_read);
  }
  EXPECT_EQ(b.server.step(slot), Step::two_payloads);
  EXPECT_EQ(b.server.step(slot), Step::done);
  EXPECT_EQ(b.server.end(slot).packets, 2u);
}

TEST(NackServer, TheLastPacketSentIsReadOnce) {
  Bench b("buffer_thrash", true);
  const auto slot = b.begin(0, 19, 0_ns);
  EXPECT_EQ(b.rules.work().serial_reads, 0u);
  EXPECT_EQ(b.server.step(slot), Step::payload_read);
  EXPECT_EQ(b.server.step(slot), Step::done);
  EXPECT_EQ(b.server.end(slot).packets, 1u);
}

TEST(NackServer, WithoutAHostNothingIsRead) {
  Bench b("blocking_fetch");
  EXPECT_EQ(b.server.step(b.begin(0, 3, 0_ns)), Step::done);
}

TEST(NackServer, AHandshakeHoldsNewDataUntilAllSentIsAcknowledged) {
  Bench b("recovery_handshake");
  QueuePair& qp = *b.qps[0];
  const auto slot = b.begin(0, 3, 0_ns);
  EXPECT_TRUE(qp.stalled);
  EXPECT_FALSE(b.qps[1]->stalled);
  EXPECT_TRUE(b.server.end(slot).resend);
  EXPECT_FALSE(qp.stalled);
  EXPECT_TRUE(b.server.hold(0, 0_ns));
  EXPECT_EQ(qp.hold_until, Psn(20));
  EXPECT_FALSE(b.server.hold(0, 1_ns));  // it does already
  EXPECT_EQ(b.take(0, 9, 2_ns), Fate::waits);
  EXPECT_EQ(b.take(0, 8, 3_ns), Fate::merged);
  EXPECT_EQ(b.next(0, 4_ns), "none");
  EXPECT_EQ(b.take(1, 9, 4_ns), Fate::served);  // a server per queue pair
  test::acknowledge(qp, 19);
  EXPECT_FALSE(NackServer::acknowledged(qp));
  test::acknowledge(qp, 20);
  EXPECT_TRUE(NackServer::acknowledged(qp));
  NackServer::release(qp);
  EXPECT_EQ(b.next(0, 5_ns), "0:8");
  EXPECT_EQ(b.next(0, 5_ns), "none");
}

TEST(NackServer, NothingIsHeldWhenNothingIsUnacknowledged) {
  Bench b("recovery_handshake");
  test::acknowledge(*b.qps[0], 20);
  EXPECT_FALSE(b.server.hold(0, 0_ns));
  EXPECT_EQ(b.qps[0]->hold_until, std::nullopt);
}

TEST(NackServer, TheGuardLetsANackThatWaitsEndTheHold) {
  Bench b("recovery_handshake");
  const Picoseconds guard = b.rules.hold_guard();
  EXPECT_FALSE(b.server.guard_expired(0, guard));  // holds nothing
  EXPECT_TRUE(b.server.hold(0, 10_ns));
  EXPECT_FALSE(b.server.guard_expired(0, 10_ns + guard));  // nothing waits
  EXPECT_EQ(b.take(0, 9, 11_ns), Fate::waits);
  EXPECT_FALSE(b.server.guard_expired(0, 9_ns + guard));  // of an older hold
  EXPECT_TRUE(b.server.guard_expired(0, 10_ns + guard));
  EXPECT_EQ(b.next(0, 9_ns + guard), "none");
  EXPECT_EQ(b.next(0, 10_ns + guard), "0:9");
}

TEST(NackServer, AGapIsOpenUntilTheLatestNackedPacketIsAcknowledged) {
  Bench b("window_stall");
  QueuePair& qp = *b.qps[0];
  b.take(0, 3, 0_ns);
  EXPECT_EQ(qp.gap_until, Psn(4));
  b.take(0, 7, 0_ns);
  b.take(0, 5, 0_ns);
  EXPECT_EQ(qp.gap_until, Psn(8));
  test::acknowledge(qp, 7);
  EXPECT_FALSE(NackServer::acknowledged(qp));
  EXPECT_EQ(qp.gap_until, Psn(8));
  test::acknowledge(qp, 8);
  EXPECT_FALSE(NackServer::acknowledged(qp));
  EXPECT_EQ(qp.gap_until, std::nullopt);
  b.take(0, 7, 0_ns);  // stale: opens none
  EXPECT_EQ(qp.gap_until, std::nullopt);
}

}  // namespace
}  // namespace horae::rnic::nack_server_test
