// The long-haul program without a chip: CNPs from the exit switch, and flows that loop.
#include "horae/programs/pnp_trp/pnp_trp.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "horae/dataplane/price/ledger.hpp"
#include "horae/params/document.hpp"
#include "horae/params/section.hpp"
#include "pnp_trp_parts.hpp"

namespace horae::programs::pnp_trp_test {
namespace {

TEST(PnpTrp, AMarkBecomesACnpToTheSenderAndIsCleared) {
  Switch esw;
  const Outcome out = esw(2_ms, marked(leaves, 77));
  EXPECT_EQ(out.verdict, Verdict::forward);
  EXPECT_EQ(out.port, far_port);
  EXPECT_EQ(out.packet.ecn, Ecn::ect0);  // may be marked again further on
  EXPECT_EQ(out.packet.opcode, Opcode::write_middle);
  EXPECT_EQ(out.packet.payload, 1024);
  ASSERT_TRUE(out.copy);
  EXPECT_EQ(out.copy->egress_port, near_port);  // back where it came from
  EXPECT_NE(out.copy->type, 0);
  const auto sent = esw.copied(2_ms, out);
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->src, far_node);
  EXPECT_EQ(sent->dst, near_node);
  EXPECT_EQ(sent->dest_qp, leaves.sender_qp);
  EXPECT_EQ(sent->opcode, Opcode::cnp);
  EXPECT_EQ(sent->payload, 0);
  EXPECT_EQ(sent->frame, 78);  // Ethernet 18, IPv4 20, UDP 8, BTH 12, padding 16, ICRC 4
  EXPECT_EQ(sent->ecn, Ecn::not_ect);
  EXPECT_EQ(esw.count("cnps_made"), 1u);
}

TEST(PnpTrp, CnpsOfAFlowAreFurtherApartThanTheInterval) {
  Switch esw;
  const auto made = [&](Picoseconds t) {
    const Outcome out = esw(t, marked(leaves));
    EXPECT_EQ(out.packet.ecn, Ecn::ect0);  // every mark is cleared
    return out.copy.has_value();
  };
  EXPECT_TRUE(made(2_ms));
  EXPECT_FALSE(made(2_ms));
  EXPECT_FALSE(made(2_ms + 50_us - 1_ns));
  EXPECT_FALSE(made(2_ms + 50_us));
  EXPECT_TRUE(made(2_ms + 50_us + 1_ns));  // marks in between have not moved it
  EXPECT_FALSE(made(2_ms + 100_us + 1_ns));
  EXPECT_TRUE(made(2_ms + 100_us + 2_ns));
  // The clock turns over after 2^32 ns.
  Switch late;
  const Picoseconds turn(std::int64_t{1000} << 32);
  EXPECT_TRUE(late(turn - 10_us, marked(leaves)).copy);
  EXPECT_FALSE(late(turn + 40_us, marked(leaves)).copy);
  EXPECT_TRUE(late(turn + 40_us + 1_ns, marked(leaves)).copy);
}

TEST(PnpTrp, OnlyMarkedDataThatLeavesIsAnswered) {
  Switch esw;
  const auto untouched = [&](const Packet& p) {
    const Outcome out = esw(2_ms, p);
    EXPECT_EQ(out.verdict, Verdict::forward);
    EXPECT_FALSE(out.copy);
    EXPECT_EQ(out.packet.ecn, p.ecn);
  };
  untouched(data(leaves));
  untouched(marked(comes));  // its mark is for the receiver
  Packet ack = marked(leaves);
  ack.opcode = Opcode::acknowledge;
  untouched(ack);
  Packet lost = marked(leaves);
  lost.dst = 99;
  EXPECT_EQ(esw(2_ms, lost).verdict, Verdict::drop);
}

TEST(PnpTrp, AnUnknownFlowMakesNoCnp) {
  Switch esw;
  Packet stranger = marked(leaves);
  stranger.dest_qp = Qpn(0x99);
  const Outcome out = esw(2_ms, stranger);
  EXPECT_EQ(out.packet.ecn, Ecn::ect0);
  ASSERT_TRUE(out.copy);  // ingress does not know it is one
  EXPECT_FALSE(esw.copied(2_ms, out));
  EXPECT_EQ(esw.count("cnps_made"), 0u);
  EXPECT_EQ(esw.count("copies_of_unknown_flows"), 1u);
}

TEST(PnpTrp, AnEntryTakesTheInsertionLatency) {
  for (const bool early : {true, false}) {
    Switch esw("insertion_latency = \"200 us\"");
    const Picoseconds t = early ? 200_us - 1_ns : 200_us;
    const Outcome out = esw(t, marked(leaves));
    ASSERT_TRUE(out.copy);
    EXPECT_EQ(esw.copied(t, out).has_value(), !early);
  }
}

TEST(PnpTrp, AFullTableTakesNoMoreConnections) {
  Switch esw("qp_entries = 1");
  Connection second = leaves;
  second.receiver_qp = Qpn(0x23);
  esw.program->connect(second);
  const Outcome out = esw(2_ms, marked(second));
  ASSERT_TRUE(out.copy);
  EXPECT_FALSE(esw.copied(2_ms, out));
  EXPECT_EQ(esw.count("connections_not_added"), 1u);
}

// A flow that comes has a peer; of two the table takes the first.
TEST(PnpTrp, AFullTableTakesNoMorePeers) {
  Switch esw("peer_entries = 1");
  esw(2_ms, data(comes));
  EXPECT_EQ(esw.count("peers_not_added"), 1u);
  EXPECT_EQ(esw.count("most_peers"), 1u);
}

TEST(PnpTrp, LoopsGrowWithEveryAlphaCnpsAndAlphaGrows) {
  Switch esw;
  EXPECT_EQ(esw.loops(2_ms, data(comes)), 0u);
  // Steps at the first CNP and alpha CNPs later, where every step adds one to alpha.
  const auto expected = [](unsigned cnps) {
    return cnps >= 22 ? 4u : cnps >= 14 ? 3u : cnps >= 7 ? 2u : 1u;
  };
  for (unsigned n = 1; n <= 30; ++n) {
    const Outcome out = esw(2_ms, cnp(comes));
    EXPECT_EQ(out.verdict, Verdict::forward);  // the sender gets it as well
    EXPECT_EQ(out.port, far_port);
    EXPECT_EQ(esw.loops(2_ms, data(comes, n)), expected(n)) << n << " CNPs";
  }
  EXPECT_EQ(esw.count("loop_steps"), 4u);
  EXPECT_EQ(esw.count("cnps_seen"), 30u);
}

TEST(PnpTrp, LoopsHaveABound) {
  Switch esw("most_loops = 3\nalpha = 1");
  for (unsigned n = 0; n < 100; ++n) esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes)), 3u);
  // All 12 bits of the loop header.
  Switch wide("alpha = 1\nstep = \"literal\"");
  for (unsigned n = 0; n < 5000; ++n) wide(2_ms, cnp(comes));
  EXPECT_EQ(wide.loops(2_ms, data(comes)), 4095u);
}

TEST(PnpTrp, OnlyTheFlowOfTheCnpLoops) {
  Switch esw;
  esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes)), 1u);
  EXPECT_EQ(esw.loops(2_ms, data(comes_too)), 0u);
  Packet ack = data(comes);
  ack.opcode = Opcode::acknowledge;
  EXPECT_EQ(esw.loops(2_ms, ack), 0u);
  EXPECT_EQ(esw(2_ms, data(leaves)).verdict, Verdict::forward);
  // A CNP that comes in is for a sender here, which hears it at once.
  Switch other;
  other(2_ms, cnp(leaves), far_port);
  EXPECT_EQ(other(2_ms, data(leaves)).verdict, Verdict::forward);
  EXPECT_EQ(other.count("cnps_seen"), 0u);
  // One whose flow is not known slows nothing.
  Packet unknown = cnp(comes);
  unknown.dest_qp = Qpn(0x77);
  other(2_ms, unknown);
  EXPECT_EQ(other.count("cnps_seen"), 0u);
}

TEST(PnpTrp, WithoutThePeerTableOnlyEqualQueuePairsMatch) {
  Switch esw("peer_entries = 0");
  esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes)), 0u);  // as the paper hashes it
  Connection same = comes;
  same.sender_qp = same.receiver_qp;
  esw(2_ms, cnp(same));
  EXPECT_EQ(esw.loops(2_ms, data(same)), 1u);
}

TEST(PnpTrp, TheStoreCatchesWhatTheCacheLoses) {
  // One cell: the second CNP throws the first one's flow out.
  Switch esw("cnp_cache_entries = 1\nbeta = \"100 ms\"");
  esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes)), 1u);
  esw(2_ms + 10_us, cnp(comes_too));
  EXPECT_EQ(esw.loops(2_ms + 20_us, data(comes)), 0u);
  EXPECT_EQ(esw.loops(2_ms + 20_us, data(comes_too)), 1u);
  // Entries are there a millisecond after their CNPs.
  EXPECT_EQ(esw.loops(3_ms - 1_ns, data(comes)), 0u);
  EXPECT_EQ(esw.loops(3_ms, data(comes)), 1u);
  EXPECT_EQ(esw.loops(3_ms + 10_us, data(comes_too)), 1u);
  // A store without room: the cache alone, until the control plane resets it.
  Switch small("cnp_store_entries = 1\nbeta = \"100 ms\"");
  small(2_ms, cnp(comes));
  small(2_ms, cnp(comes_too));
  EXPECT_EQ(small.loops(3_ms - 1_ns, data(comes_too)), 1u);
  EXPECT_EQ(small.loops(3_ms, data(comes)), 1u);
  EXPECT_EQ(small.loops(3_ms, data(comes_too)), 0u);
  EXPECT_EQ(small.count("flows_not_stored"), 1u);
}

// The control plane clears the cell of the flow that it stored, unless another has it by now.
TEST(PnpTrp, WhatIsStoredLeavesTheCacheToANewerFlow) {
  Switch esw("cnp_cache_entries = 1\ncnp_store_entries = 1\nbeta = \"100 ms\"");
  esw(2_ms, cnp(comes));
  esw(2_ms + 500_us, cnp(comes_too));  // takes the cell; the first is stored at 3 ms
  EXPECT_EQ(esw.loops(3_ms + 1_us, data(comes)), 1u);
  EXPECT_EQ(esw.loops(3_ms + 1_us, data(comes_too)), 1u);  // by the cache: it is not stored
}

TEST(PnpTrp, AFlowRecoversWhenItsLastCnpIsLongAgo) {
  Switch esw;
  for (int n = 0; n < 7; ++n) esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes, 10)), 2u);
  EXPECT_EQ(esw.loops(2_ms + 500_us, data(comes, 11)), 2u);  // not longer than beta
  EXPECT_EQ(esw.count("recoveries"), 0u);
  // Out of turn the packet that notices loops as before; in turn it would go straight.
  EXPECT_EQ(esw.loops(2_ms + 500_us + 1_ns, data(comes, 13)), 2u);
  EXPECT_EQ(esw.count("recoveries"), 1u);
  // Out of turn it loops as before; in turn it goes straight, and so do all after it.
  EXPECT_EQ(esw.loops(2_ms + 501_us, data(comes, 20)), 2u);
  EXPECT_EQ(esw.loops(2_ms + 501_us, data(comes, 21)), 0u);
  EXPECT_EQ(esw.loops(2_ms + 501_us, data(comes, 30)), 0u);
  EXPECT_EQ(esw.count("recoveries"), 1u);
}

TEST(PnpTrp, AfterRecoveryTheNextCnpStartsOverWithHalfOfAlpha) {
  Switch esw;
  for (int n = 0; n < 7; ++n) esw(2_ms, cnp(comes));  // alpha 7 now
  EXPECT_EQ(esw.loops(3_ms, data(comes, 10)), 2u);    // halved: 3
  EXPECT_EQ(esw.loops(3_ms, data(comes, 11)), 0u);    // none in the loop: back to no loops
  unsigned cnps = 0;
  const auto next = [&] {
    ++cnps;
    esw(3_ms, cnp(comes));
    return esw.loops(3_ms, data(comes, 11 + cnps));
  };
  std::vector<unsigned> seen;
  while (cnps < 10) seen.push_back(next());
  // 1, then 4 more, then 5 more.
  EXPECT_EQ(seen, (std::vector<unsigned>{1, 1, 1, 1, 2, 2, 2, 2, 2, 3}));
}

TEST(PnpTrp, PsnsTurnOverInRecovery) {
  Switch esw;
  esw(2_ms, cnp(comes));
  EXPECT_EQ(esw.loops(2_ms, data(comes, 0xfffffe)), 1u);
  EXPECT_EQ(esw.loops(3_ms, data(comes, 0xffffff)), 0u);  // notices, and its predecessor has left
  EXPECT_EQ(esw.loops(3_ms, data(comes, 0)), 0u);
  EXPECT_EQ(esw.loops(3_ms, data(comes, 1)), 0u);
}

// A flow through the switch whose loop takes `loop`: PSNs in the order in which they leave. CNPs
// come at 2 ms + each of `cnps`.
std::vector<std::uint32_t> departures(Switch& esw, const std::vector<Picoseconds>& cnps,
                                      Picoseconds gap, Picoseconds loop, std::uint32_t packets) {
  struct Looping {
    Picoseconds at;
    Packet packet;
  };
  std::deque<Looping> looping;
  std::vector<std::uint32_t> left;
  const auto pass = [&](Picoseconds now, const Packet& p) {
    const Outcome out = esw(now, p, far_port);
    if (out.verdict == Verdict::recirculate)
      looping.push_back({now + loop, out.packet});
    else
      left.push_back(out.packet.psn.value());
  };
  std::size_t cnp_at = 0;
  for (std::uint32_t n = 0; n < packets || !looping.empty();) {
    const Picoseconds fresh = n < packets ? 2_ms + gap * n : 1000_ms;
    const Picoseconds back = looping.empty() ? 1000_ms : looping.front().at;
    if (cnp_at < cnps.size() && 2_ms + cnps[cnp_at] <= std::min(fresh, back)) {
      esw(2_ms + cnps[cnp_at++], cnp(comes));
    } else if (back <= fresh) {
      const Looping next = looping.front();
      looping.pop_front();
      pass(next.at, next.packet);
    } else {
      pass(fresh, data(comes, n++));
    }
  }
  return left;
}

TEST(PnpTrp, AFlowKeepsItsOrderWhenItRecovers) {
  std::vector<Picoseconds> cnps;
  for (int n = 0; n < 22; ++n) cnps.push_back(10_us + 50_us * n);   // to four loops
  for (int n = 0; n < 8; ++n) cnps.push_back(2500_us + 50_us * n);  // and again after a recovery
  for (const Picoseconds gap : {100_ns, 730_ns, 1_us, 3_us}) {
    for (const Picoseconds loop : {300_ns, 1_us, 2500_ns}) {
      const auto packets = static_cast<std::uint32_t>(4_ms / gap);
      Switch esw;
      const auto left = departures(esw, cnps, gap, loop, packets);
      ASSERT_EQ(left.size(), packets);
      for (std::uint32_t n = 0; n < packets; ++n) ASSERT_EQ(left[n], n) << gap.count();
      EXPECT_EQ(esw.count("recoveries"), 2u);
      EXPECT_GT(esw.count("loops"), esw.count("packets_looped"));
      // Going straight at once does not keep it, unless there is nothing in the loop to overtake.
      Switch direct("recovery = \"direct\"");
      const auto disordered = departures(direct, cnps, gap, loop, packets);
      ASSERT_EQ(disordered.size(), packets);
      if (gap < loop) {
        EXPECT_FALSE(std::is_sorted(disordered.begin(), disordered.end()))
            << gap.count() << " " << loop.count();
      }
    }
  }
}

TEST(PnpTrp, RemoteNodesCanBeNamed) {
  const Routes attached{{{near_node, {near_port}, true}, {far_node, {far_port}, true}}, {}};
  Switch nobody("", attached);
  EXPECT_FALSE(nobody(2_ms, marked(leaves)).copy);
  Switch named("remote_nodes = [2]", attached);
  EXPECT_TRUE(named(2_ms, marked(leaves)).copy);
  EXPECT_NE(refusal("remote_nodes = [9]").find("is no node"), std::string::npos);
}

TEST(PnpTrp, HalvesCanBeLeftOut) {
  Switch no_pnp("pnp = false");
  EXPECT_EQ(no_pnp(2_ms, marked(leaves)).packet.ecn, Ecn::ce);
  no_pnp(2_ms, cnp(comes));
  EXPECT_EQ(no_pnp.loops(2_ms, data(comes)), 1u);
  Switch no_trp("trp = false");
  EXPECT_TRUE(no_trp(2_ms, marked(leaves)).copy);
  no_trp(2_ms, cnp(comes));
  EXPECT_EQ(no_trp.loops(2_ms, data(comes)), 0u);
}

TEST(PnpTrp, BadParametersAreRefused) {
  const auto says = [](const std::string& parameters, const std::string& text) {
    EXPECT_NE(refusal(parameters).find(text), std::string::npos) << refusal(parameters);
  };
  says("cnp_cache_entries = 1000", "cnp_cache_entries = 1000 is no power of two");
  says("cnp_stamp_entries = 3", "cnp_stamp_entries = 3 is no power of two");
  says("tcp_cookie_entries = 3", "tcp_cookie_entries = 3 is no power of two");
  says("flow_entries = 1023", "flow_entries = 1023 is no power of two");
  says("alpha = 0", "alpha = 0 is below the minimum 1");
  says("most_loops = 4096", "most_loops = 4096 is above the maximum 4095");
  says("step = \"texts\"", "text");
  says("recovery = \"order\"", "ordered");
  says("target = \"cached\"", "cache");
  says("scope = \"all\"", "any");
  says("qp_entries = 0", "qp_entries = 0 is below the minimum 1");
  says("cnp_interval = \"3000 ms\"", "above the maximum");
  says("member_entries = 1", "member_entries = 1 is too small for 2 ports");
  says("route_entries = 2", "route_entries = 2 is too small for 3 nodes");
  says("beat = \"1 us\"", "beta");
  EXPECT_EQ(refusal("peer_entries = 0"), "accepted");
}

TEST(PnpTrp, TheReactionPointWantsOnePipeline) {
  Routes two = routes;
  two.pipeline_of_port = {0, 0, 0, 0, 0, 1, 1, 1};
  EXPECT_NE(refusal("", two).find("all ports on one pipeline"), std::string::npos);
  EXPECT_EQ(refusal("trp = false", two), "accepted");
}

TEST(PnpTrp, ThePapersStateIsPaidForAndFitsTofino) {
  Switch esw;
  auto design = esw.pipeline.design();
  design.name = "esw";
  for (const char* name : {"cnp_stamp", "tcp_cookie", "cnp_cache", "cnp_time", "flow_status",
                           "cnp_num_alpha", "loop_num", "last_psn"}) {
    const auto* object = design.find(name);
    ASSERT_NE(object, nullptr) << name;
    ASSERT_TRUE(std::holds_alternative<dataplane::RegisterSpec>(object->spec)) << name;
    EXPECT_EQ(std::get<dataplane::RegisterSpec>(object->spec).entries, 1024u) << name;
  }
  for (const auto& [name, key] : {std::pair{"set_cnp", 88u}, std::pair{"cnp_store", 56u}}) {
    const auto* object = design.find(name);
    ASSERT_NE(object, nullptr) << name;
    EXPECT_EQ(std::get<dataplane::MatchSpec>(object->spec).key_bits, key);
    EXPECT_EQ(std::get<dataplane::MatchSpec>(object->spec).entries, 1024u);
  }
  const auto chip = dataplane::ChipSpec::find({"tofino1", {}});
  const auto ledger = make_ledger(design, chip, place(design, chip));
  EXPECT_TRUE(ledger.refused.empty());
  EXPECT_EQ(ledger.total[dataplane::Resource::stateful_alu], 8);
}

}  // namespace
}  // namespace horae::programs::pnp_trp_test
