// Readings of the long-haul paper's notification point, which flows TRP slows, and the life of
// table entries.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <variant>

#include "pnp_trp_parts.hpp"

namespace horae::programs::pnp_trp_test {
namespace {

std::uint64_t entries(const Switch& esw, std::string_view table) {
  for (const auto& o : esw.program->occupancies()) {
    if (o.name == table) return o.entries;
  }
  ADD_FAILURE() << "no table " << table;
  return 0;
}
bool has(const Switch& esw, const std::string& object) {
  return esw.pipeline.design().find(object) != nullptr;
}

TEST(PnpOptions, AMarkCanBeLeft) {
  Switch esw("clear_ce = false");
  const Outcome out = esw(2_ms, marked(leaves));
  EXPECT_EQ(out.packet.ecn, Ecn::ce);  // the receiver sends CNPs as well
  ASSERT_TRUE(out.copy);
  EXPECT_EQ(esw.copied(2_ms, out)->ecn, Ecn::not_ect);
  EXPECT_FALSE(has(esw, "clear_ecn"));
}

TEST(PnpOptions, WithoutTheGapEveryMarkIsAnswered) {
  Switch esw("cnp_gap = false");
  for (int n = 0; n < 10; ++n) EXPECT_TRUE(esw(2_ms, marked(leaves)).copy);
  EXPECT_FALSE(has(esw, "cnp_stamp"));  // nor is it paid for
  EXPECT_FALSE(has(esw, "is_due"));
}

TEST(PnpOptions, TheScopeAnyAnswersWhateverLeaves) {
  Switch esw("scope = \"any\"\ncnp_interval = \"5 us\"");
  // In egress: marks that were made here are there by then.
  EXPECT_FALSE(esw(2_ms, marked(comes), far_port).copy);
  const auto made = [&](Picoseconds t, const Connection& c, unsigned out, unsigned in) {
    const Outcome left = esw.egress(t, marked(c), out, in);
    EXPECT_EQ(left.packet.ecn, Ecn::ect0);
    if (!left.copy) return false;
    EXPECT_EQ(left.copy->egress_port, in);
    const Outcome copy = static_cast<test::PassDriver&>(esw).copied(t, left.packet, *left.copy, in);
    EXPECT_EQ(copy.packet.opcode, Opcode::cnp);
    EXPECT_EQ(copy.packet.dst, c.sender);
    EXPECT_EQ(copy.packet.dest_qp, c.sender_qp);
    return true;
  };
  EXPECT_TRUE(made(2_ms, leaves, far_port, near_port));
  EXPECT_TRUE(made(2_ms, comes, near_port, far_port));
  EXPECT_FALSE(made(2_ms + 5_us, comes, near_port, far_port));
  EXPECT_TRUE(made(2_ms + 5_us + 1_ns, comes, near_port, far_port));
  EXPECT_EQ(esw.count("cnps_made"), 3u);
  Packet ack = marked(leaves);
  ack.opcode = Opcode::acknowledge;
  EXPECT_TRUE(esw.egress(3_ms, ack, far_port).passes());
}

TEST(TrpTargets, TheCacheAlone) {
  Switch esw("target = \"cache\"\ncnp_cache_entries = 1");
  esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes, 1)), 1u);
  EXPECT_EQ(esw.loops(9_ms, data(comes, 2)), 0u);  // recovered; its cell is still there
  esw(9_ms, cnp(comes));
  EXPECT_EQ(esw.loops(9_ms, data(comes, 3)), 1u);
  esw(9_ms, cnp(comes_too));  // throws it out, and nothing brings it back
  for (const Picoseconds t : {9_ms, 10_ms + 1_us}) EXPECT_EQ(esw.loops(t, data(comes, 4)), 0u);
  for (const char* name : {"cnp_store", "cnp_to_cpu", "is_uncached", "tell_recovery"})
    EXPECT_FALSE(has(esw, name)) << name;
}

TEST(TrpTargets, TheStoreAloneComesLate) {
  Switch esw("target = \"store\"\nbeta = \"50 ms\"");
  esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes, 1)), 0u);
  EXPECT_EQ(esw.loops(3_ms - 1_ns, data(comes, 2)), 0u);
  EXPECT_EQ(esw.loops(3_ms, data(comes, 3)), 1u);
  EXPECT_FALSE(has(esw, "cnp_cache"));
  EXPECT_TRUE(has(esw, "cnp_store"));
}

TEST(TrpTargets, AControlPlaneThatNeverAnswersLeavesTheCache) {
  Switch esw("insertion_latency = \"10 s\"\npeer_entries = 0");
  Connection same = comes;
  same.sender_qp = same.receiver_qp;
  esw(2_ms, cnp(same));
  EXPECT_EQ(esw.loops(2_ms, data(same, 1)), 1u);
  const Outcome out = esw(2_ms, marked(leaves));
  ASSERT_TRUE(out.copy);
  EXPECT_FALSE(esw.copied(2_ms, out));
  EXPECT_EQ(esw.count("copies_of_unknown_flows"), 1u);
  EXPECT_EQ(entries(esw, "cnp_store"), 0u);
}

TEST(TrpTargets, AFlowLeavesTheStoreWhenItHasRecoveredAndDrained) {
  Switch esw;
  esw(2_ms, cnp(comes));
  const Outcome looping = esw(2_ms, data(comes, 10), far_port);
  ASSERT_TRUE(looping.loops());
  esw(3_ms, data(leaves));
  EXPECT_EQ(entries(esw, "cnp_store"), 1u);
  // The next packet notices: it is out of turn, so the flow is not drained.
  const Outcome next = esw(3_ms, data(comes, 11), far_port);
  ASSERT_TRUE(next.loops());
  esw(5_ms, data(leaves));
  EXPECT_EQ(entries(esw, "cnp_store"), 1u);
  EXPECT_EQ(esw(5_ms, looping.packet, far_port).verdict, Verdict::forward);
  EXPECT_EQ(esw(5_ms, next.packet, far_port).verdict, Verdict::forward);
  EXPECT_EQ(esw.loops(5_ms, data(comes, 12)), 0u);  // nothing of it is in the loop
  esw(5_ms + 200_us, data(leaves));
  EXPECT_EQ(entries(esw, "cnp_store"), 0u);
  EXPECT_EQ(esw.count("flows_removed"), 1u);
  // The next CNP makes it a target again, at once.
  esw(6_ms, cnp(comes));
  EXPECT_EQ(esw.loops(6_ms, data(comes, 13)), 1u);
}

/// A flow that was slowed, has recovered with PSN 11 and has left the store.
void leave_store(Switch& esw) {
  esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes, 10)), 1u);
  EXPECT_EQ(esw.loops(3_ms, data(comes, 11)), 0u);
  esw(5_ms, data(leaves));
  EXPECT_EQ(entries(esw, "cnp_store"), 0u);
  EXPECT_EQ(esw.count("flows_removed"), 1u);
}

// Its packets are not looked at then, so their PSNs are not known when it is slowed again. If none
// has gone into the loop before it recovers, there is nothing to wait for.
TEST(TrpTargets, AFlowThatIsSlowedAgainWaitsForNothingThatDoesNotLoop) {
  Switch esw;
  leave_store(esw);
  for (std::uint32_t n = 12; n < 30; ++n) EXPECT_EQ(esw.loops(6_ms, data(comes, n)), 0u);
  esw(7_ms, cnp(comes));
  for (std::uint32_t n = 30; n < 34; ++n) EXPECT_EQ(esw.loops(8_ms, data(comes, n)), 0u) << n;
}

// A packet that has gone into the loop is waited for as ever.
TEST(TrpTargets, AFlowThatIsSlowedAgainKeepsItsOrder) {
  Switch esw;
  leave_store(esw);
  esw(7_ms, cnp(comes));
  const Outcome looping = esw(7_ms, data(comes, 30), far_port);
  ASSERT_TRUE(looping.loops());
  EXPECT_TRUE(esw(8_ms, data(comes, 31), far_port).loops());
}

TEST(TrpTargets, AFlowThatIsSlowedAgainStays) {
  Switch esw;
  esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes, 10)), 1u);
  EXPECT_EQ(esw.loops(3_ms, data(comes, 11)), 0u);  // recovers
  esw(3_ms + 500_us, cnp(comes));                   // before the control plane looks
  esw(5_ms, data(leaves));
  EXPECT_EQ(entries(esw, "cnp_store"), 1u);
  EXPECT_EQ(esw.count("flows_removed"), 0u);
}

TEST(TrpTargets, AFullStoreIsCountedOncePerTry) {
  Switch esw("cnp_store_entries = 1\nbeta = \"100 ms\"");
  esw(2_ms, cnp(comes));
  esw(2_ms, cnp(comes));  // it is there already: no overflow
  esw(2_ms, cnp(comes_too));
  esw(4_ms, data(leaves));
  EXPECT_EQ(esw.count("flows_not_stored"), 1u);
  EXPECT_EQ(esw.count("most_flows_stored"), 1u);
}

TEST(QueuePairLife, AnEntryIsThereBeforeTheFirstPacketAndGoesWithTheQueuePair) {
  Switch esw("qp_lead = \"1500 us\"");
  Connection later = leaves;
  later.receiver_qp = Qpn(0x55);
  later.starts = 20_ms;
  esw.program->connect(later);
  const auto answered = [&](Picoseconds t) {
    const Outcome out = esw(t, marked(later));
    return out.copy && esw.copied(t, out).has_value();
  };
  EXPECT_FALSE(answered(19_ms));
  EXPECT_TRUE(answered(19_ms + 500_us));  // half a round trip before its first packet leaves
  EXPECT_EQ(entries(esw, "qp_field"), 2u);
  esw.program->disconnect(later, 25_ms);
  EXPECT_TRUE(answered(26_ms - 1_us));
  EXPECT_FALSE(answered(26_ms));
  EXPECT_EQ(entries(esw, "qp_field"), 1u);
  EXPECT_EQ(esw.count("most_connections"), 2u);
  EXPECT_EQ(esw.count("connections_not_added"), 0u);
}

// Where a half is left out, there is nothing of it to take back.
TEST(QueuePairLife, TheEndOfAFlowIsNothingToAHalfThatIsNotThere) {
  for (const char* half : {"pnp = false", "trp = false"}) {
    Switch esw(half);
    for (const auto& c : {leaves, comes}) esw.program->disconnect(c, 2_ms);
    for (const auto& c : {leaves, comes})
      EXPECT_EQ(esw(4_ms, data(c)).verdict, Verdict::forward) << half;
  }
}

TEST(QueuePairLife, TheEndOfAQueuePairSetsItsStampBack) {
  Switch esw("insertion_latency = \"0 ms\"\ncnp_interval = \"50 us\"");
  EXPECT_TRUE(esw(2_ms, marked(leaves)).copy);
  EXPECT_FALSE(esw(2_ms + 10_us, marked(leaves)).copy);
  esw.program->disconnect(leaves, 2_ms + 11_us);
  EXPECT_TRUE(esw(2_ms + 12_us, marked(leaves)).copy);  // the same numbers, a new connection
}

TEST(QueuePairLife, ATableHoldsThoseThatAreOpenAtOnce) {
  Switch esw("qp_entries = 4\nqp_lead = \"0 us\"\ninsertion_latency = \"0 us\"");
  // `leaves` is one of the four. Sixteen more, one each millisecond, open for 3.5 ms: four at once.
  for (std::uint32_t i = 0; i < 16; ++i) {
    Connection c = leaves;
    c.receiver_qp = Qpn(0x100 + i);
    c.starts = Picoseconds(1_ms) * (10 + i);
    esw.program->connect(c);
  }
  for (std::uint32_t i = 0; i < 16; ++i) {
    const Picoseconds now = Picoseconds(1_ms) * (10 + i) + 500_us;
    esw(now, data(leaves));
    if (i < 3) continue;
    Connection c = leaves;
    c.receiver_qp = Qpn(0x100 + i - 3);
    esw.program->disconnect(c, now);
  }
  esw(40_ms, data(leaves));
  EXPECT_EQ(esw.count("connections_not_added"), 4u);  // each fourth found it full
  EXPECT_EQ(esw.count("most_connections"), 4u);
}

TEST(QueuePairLife, AThrottledFlowLeavesNothingBehind) {
  Switch esw;
  for (int n = 0; n < 7; ++n) esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes, 1)), 2u);
  esw.program->disconnect(comes, 4_ms);
  esw(5_ms, data(leaves));
  EXPECT_EQ(entries(esw, "cnp_store"), 0u);
  EXPECT_EQ(entries(esw, "peer_qp"), 1u);
  esw(6_ms, cnp(comes));  // of a connection that is no more
  EXPECT_EQ(esw.count("cnps_of_unknown_flows"), 1u);
  esw.program->connect(comes);
  esw(8_ms, cnp(comes));
  EXPECT_EQ(esw.loops(8_ms, data(comes, 1)), 1u);  // from the beginning, not from two loops
}

}  // namespace
}  // namespace horae::programs::pnp_trp_test
