// ConWeave at the source ToR: epochs, late replies, reroutes, busy paths.
#include <algorithm>
#include <set>

#include "conweave_parts.hpp"

namespace horae::programs::conweave_source_test {
namespace {

using namespace conweave_test;

// A ToR with one flow to another rack. Replies are late after eight ticks.
struct Sender {
  explicit Sender(const std::string& parameters = "", const char* timeout = "8.192 us")
      : tor("reply_timeout = \"" + std::string(timeout) + "\"\n" + parameters) {
    tor.program->connect(connection(near_node, far_node));
    tor.program->connect(connection(near_node, far_other));
  }
  Outcome send(std::int64_t tick, NodeId dst = far_node) {
    return tor.ingress(at_tick(tick), data(near_node, dst), near_port);
  }
  // A control packet from the destination; what became of it.
  Outcome control(std::int64_t tick, unsigned kind, unsigned epoch, bool phase = false,
                  unsigned path = 0, bool marked = false, NodeId from = far_node) {
    Packet p = data(from, near_node);
    p.payload = 0;
    p.frame = 64;
    Header{path, kind, epoch, phase, false, false, marked, 0, 0}.put(p);
    return tor.ingress(at_tick(tick), p, first_uplink);
  }
  // Goes around once if it is accepted.
  bool accepts(std::int64_t tick, unsigned epoch, bool phase = false, bool marked = false) {
    const Outcome first = control(tick, reply_kind, epoch, phase, 0, marked);
    if (!first.loops()) {
      EXPECT_TRUE(first.dropped());
      return false;
    }
    EXPECT_TRUE(tor.ingress(at_tick(tick + 1), first.packet, first_uplink).dropped());
    return true;
  }
  void all_busy(std::int64_t tick, std::set<unsigned> except = {}, NodeId from = far_node) {
    for (unsigned path = 0; path < uplinks; ++path) {
      if (!except.contains(path)) control(tick, notify_kind, 0, false, path, false, from);
    }
  }
  Tor tor;
};

TEST(ConweaveSource, TheFirstPacketAsksForAReply) {
  Sender s;
  const Outcome o = s.send(100);
  const Header h = Header::of(o);
  EXPECT_EQ(o.verdict, Verdict::forward);
  EXPECT_EQ(o.port, first_uplink + h.path);
  EXPECT_EQ(h.kind, data_kind);
  EXPECT_EQ(h.epoch, 1u);
  EXPECT_TRUE(h.request);
  EXPECT_FALSE(h.rerouted || h.tail || h.marked);
  EXPECT_EQ(h.sent, 100);
  EXPECT_EQ(h.tail_sent, 0);
  EXPECT_EQ(o.packet.frame, 1086 + 4);
  // The next is plain, on the same path.
  const Header next = Header::of(s.send(101));
  EXPECT_EQ(next.path, h.path);
  EXPECT_EQ(next.epoch, 1u);
  EXPECT_EQ(next.sent, 101);
  EXPECT_FALSE(next.request || next.rerouted || next.tail);
}

TEST(ConweaveSource, AReplyInTimeLetsTheNextPacketOpenAnEpoch) {
  Sender s;
  const unsigned path = Header::of(s.send(100)).path;
  EXPECT_TRUE(s.accepts(108, 1));
  EXPECT_EQ(s.tor.count("replies_in_time"), 1u);
  const Header next = Header::of(s.send(120));
  EXPECT_TRUE(next.request);
  EXPECT_EQ(next.epoch, 2u);
  EXPECT_EQ(next.path, path);  // an answered epoch moves nothing
  EXPECT_FALSE(Header::of(s.send(121)).request);
}

TEST(ConweaveSource, EpochsTurnOver) {
  Sender s;
  std::vector<unsigned> epochs;
  for (int i = 0; i < 6; ++i) {
    const Header h = Header::of(s.send(100 + 10 * i));
    EXPECT_TRUE(h.request);
    epochs.push_back(h.epoch);
    EXPECT_TRUE(s.accepts(103 + 10 * i, h.epoch));
  }
  EXPECT_EQ(epochs, (std::vector<unsigned>{1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(s.tor.count("epochs"), 6u);
}

// The last packet of the old path is the TAIL; the flow's next is on the new one.
TEST(ConweaveSource, ALateReplyReroutesTheFlow) {
  std::set<unsigned> paths;
  bool moved = false;
  for (std::uint64_t i = 0; i < 20; ++i) {
    Sender s("nodes_per_rack = 1\n");
    for (std::uint64_t k = 0; k < i; ++k) s.send(1, far_other);  // other random numbers
    const unsigned old = Header::of(s.send(100)).path;
    EXPECT_FALSE(Header::of(s.send(108)).tail);  // not late yet
    const Outcome tail = s.send(109);
    EXPECT_TRUE(Header::of(tail).tail);
    EXPECT_FALSE(Header::of(tail).rerouted);
    EXPECT_EQ(Header::of(tail).path, old);
    EXPECT_EQ(tail.port, first_uplink + old);
    EXPECT_EQ(Header::of(tail).tail_sent, 109);
    const Header next = Header::of(s.send(110));
    EXPECT_TRUE(next.rerouted);
    EXPECT_FALSE(next.tail);
    EXPECT_EQ(next.epoch, 1u);
    EXPECT_EQ(next.tail_sent, 109);
    EXPECT_EQ(next.sent, 110);
    EXPECT_TRUE(Header::of(s.send(300)).rerouted);  // and so it stays: no second TAIL
    paths.insert(next.path);
    moved |= next.path != old;
    EXPECT_EQ(s.tor.count("reroutes"), 1u);
  }
  EXPECT_TRUE(moved);
  EXPECT_GT(paths.size(), 1u);
}

// theta_reply is 7.8 ticks. A deadline of n ticks is over n to n + 1 ticks after it was set, which
// is nearest to that with seven.
TEST(ConweaveSource, TheReplyTimeoutIsTheNearestInTicks) {
  Sender s("", "8 us");
  s.send(100);
  EXPECT_FALSE(Header::of(s.send(107)).tail);
  EXPECT_TRUE(Header::of(s.send(108)).tail);
  Sender short_one("", "2 us");
  short_one.send(100);
  EXPECT_FALSE(Header::of(short_one.send(101)).tail);
  EXPECT_TRUE(Header::of(short_one.send(102)).tail);
}

// A switch has been up for longer than a flow: its first packet takes a sampled path that is not
// busy, also in the first 300 us of a run. By the hash alone 50 of 200 would be on the open path,
// with samples 200 x (7/16 + 9/16 x 1/4) = 116.
TEST(ConweaveSource, TheFirstPacketAvoidsNotedPathsFromTheBeginning) {
  Sender s;
  for (int i = 0; i < 200; ++i)
    s.tor.program->connect(connection(near_node, far_node, static_cast<std::uint16_t>(0xd000 + i)));
  s.all_busy(1, {3});
  int open = 0;
  for (int i = 0; i < 200; ++i) {
    Packet p = data(near_node, far_node, static_cast<std::uint16_t>(0xd000 + i));
    open += Header::of(s.tor.ingress(at_tick(2), p, near_port)).path == 3 ? 1 : 0;
  }
  EXPECT_GT(open, 85);
  EXPECT_LT(open, 150);
}

TEST(ConweaveSource, RepliesOfThePastAreIgnored) {
  Sender s;
  s.send(100);
  EXPECT_FALSE(s.accepts(109, 1));        // late by a tick
  EXPECT_FALSE(s.accepts(103, 2));        // of another epoch
  EXPECT_FALSE(s.accepts(103, 1, true));  // a CLEAR of a flow that was not rerouted
  EXPECT_EQ(s.tor.count("replies_ignored"), 3u);
  EXPECT_TRUE(Header::of(s.send(115)).tail);
  EXPECT_FALSE(s.accepts(116, 1));  // an RTT_REPLY after the TAIL
  EXPECT_TRUE(Header::of(s.send(117)).rerouted);
}

TEST(ConweaveSource, AClearEndsTheReroute) {
  Sender s;
  s.send(100);
  s.send(110);
  const unsigned path = Header::of(s.send(111)).path;
  EXPECT_FALSE(s.accepts(115, 0, true));  // of another epoch
  EXPECT_TRUE(s.accepts(190, 1, true));   // whenever it comes
  EXPECT_EQ(s.tor.count("clears_seen"), 1u);
  const Header next = Header::of(s.send(200));
  EXPECT_TRUE(next.request);
  EXPECT_FALSE(next.rerouted);
  EXPECT_EQ(next.epoch, 2u);
  EXPECT_EQ(next.tail_sent, 0);
  EXPECT_EQ(next.path, path);
}

// While a reply goes around, the flow is not late.
TEST(ConweaveSource, AReplyThatGoesAroundPutsTheDeadlineOff) {
  Sender s;
  s.send(100);
  const Outcome first = s.control(108, reply_kind, 1);
  ASSERT_TRUE(first.loops());
  EXPECT_FALSE(Header::of(s.send(109)).tail);
  EXPECT_FALSE(Header::of(s.send(112)).tail);  // 108 and an extension of four ticks
  EXPECT_TRUE(s.tor.ingress(at_tick(113), first.packet, first_uplink).dropped());
  EXPECT_TRUE(Header::of(s.send(114)).request);
}

// When the CLEAR is lost, only silence lets the flow go on: it starts over and moves at once.
TEST(ConweaveSource, ASilentFlowStartsOver) {
  Sender s;
  s.send(100);
  s.send(110);  // TAIL
  EXPECT_TRUE(Header::of(s.send(111)).rerouted);
  EXPECT_TRUE(Header::of(s.send(111 + 293)).rerouted);  // 300 us are 293 ticks: not yet
  for (int i = 0; i < 40 && s.tor.count("moves_after_silence") == 0; ++i) {
    const Header next = Header::of(s.send(698 + 294 * (i + 1)));
    EXPECT_TRUE(next.request);
    EXPECT_FALSE(next.rerouted || next.tail);
    EXPECT_EQ(next.epoch, (2u + static_cast<unsigned>(i)) & 3);
  }
  EXPECT_EQ(s.tor.count("moves_after_silence"), 1u);
}

// Only a path that no NOTIFY named within 8 us is taken.
TEST(ConweaveSource, BusyPathsAreAvoided) {
  for (unsigned open = 0; open < uplinks; ++open) {
    Sender s;
    unsigned rerouted_to = 99;
    std::int64_t t = 100;
    const unsigned old = Header::of(s.send(t)).path;
    s.all_busy(t + 8, {open});
    // Aborted while both samples are busy: the first TAIL is sent when the open path is sampled.
    int tails = 0;
    for (t += 9; t < 116; ++t) {
      for (int k = 0; k < 20 && tails == 0; ++k) tails += Header::of(s.send(t)).tail ? 1 : 0;
    }
    ASSERT_EQ(tails, 1);
    rerouted_to = Header::of(s.send(116)).path;
    EXPECT_EQ(rerouted_to, open) << "from " << old;
  }
}

TEST(ConweaveSource, WithoutAPathTheRerouteIsAborted) {
  Sender s;
  const unsigned path = Header::of(s.send(100)).path;
  s.all_busy(105);
  for (std::int64_t t = 109; t < 113; ++t) {  // the paths are busy until tick 113
    const Header h = Header::of(s.send(t));
    EXPECT_FALSE(h.tail || h.rerouted);
    EXPECT_EQ(h.path, path);
  }
  EXPECT_TRUE(Header::of(s.send(113)).tail);
}

// As the authors' code does it: the TAIL is sent, and the flow stays where it is.
TEST(ConweaveSource, OrRerouteOntoTheSamePath) {
  Sender s("abort_without_path = false\n");
  const unsigned path = Header::of(s.send(100)).path;
  s.all_busy(105);
  EXPECT_TRUE(Header::of(s.send(109)).tail);
  const Header next = Header::of(s.send(110));
  EXPECT_TRUE(next.rerouted);
  EXPECT_EQ(next.path, path);
}

TEST(ConweaveSource, BusyPathsAreOfARack) {
  Sender one("nodes_per_rack = 10\n"), other("nodes_per_rack = 20\n");
  for (auto* s : {&one, &other}) {
    s->send(100);
    s->all_busy(105, {}, far_other);
  }
  // Nodes 10 and 20 are in racks of their own, or not: with 20 nodes per rack 0 to 19 are one.
  EXPECT_TRUE(Header::of(one.send(109)).tail);
  EXPECT_TRUE(Header::of(other.send(109)).tail);
  Sender same("nodes_per_rack = 100\n");
  same.send(100);
  same.all_busy(105, {}, far_other);
  EXPECT_FALSE(Header::of(same.send(109)).tail);
}

// A reply may say that its packet was marked.
TEST(ConweaveSource, AMarkedReplyIsANotificationToo) {
  Sender s;
  s.send(100);
  for (unsigned path = 0; path < uplinks; ++path) {
    EXPECT_TRUE(s.control(105, reply_kind, 0, false, path, true).dropped());
  }
  EXPECT_EQ(s.tor.count("notifies_seen"), 4u);
  EXPECT_FALSE(Header::of(s.send(109)).tail);
}

TEST(ConweaveSource, OthersAreSentByTheirHash) {
  Sender s;
  for (std::uint16_t entropy = 0; entropy < 50; ++entropy) {
    const Outcome o = s.tor.ingress(at_tick(100), data(near_node, far_node, entropy), near_port);
    EXPECT_EQ(o.packet.bth_reserved, 0);
    EXPECT_EQ(o.packet.frame, 1086);
    EXPECT_EQ(o.port, s.tor.ingress(at_tick(900), data(near_node, far_node, entropy), 0).port);
  }
  EXPECT_EQ(s.tor.count("unknown_flow_packets"), 100u);
  Packet ack = data(near_node, far_node);
  ack.opcode = Opcode::acknowledge;
  EXPECT_EQ(s.tor.ingress(at_tick(100), ack, near_port).packet.bth_reserved, 0);
  const Outcome local = s.tor.ingress(at_tick(100), data(near_node, near_other), near_port);
  EXPECT_EQ(local.port, 1u);
  EXPECT_EQ(local.packet.bth_reserved, 0);
}

TEST(ConweaveSource, AFullTableLeavesFlowsToTheirHash) {
  Sender s("flow_entries = 2\n");
  s.tor.program->connect(connection(near_other, far_node));
  s.tor.program->connect(connection(near_node, far_node));  // known already
  EXPECT_EQ(s.tor.count("flows_not_added"), 1u);
  const Outcome o = s.tor.ingress(at_tick(1), data(near_other, far_node), 1);
  EXPECT_EQ(o.verdict, Verdict::forward);
  EXPECT_EQ(o.packet.bth_reserved, 0);
  EXPECT_EQ(Header::of(s.send(2)).kind, data_kind);
}

std::string refusal(const std::string& parameters, const Routes& table = routes) {
  return test::refusal_of([&] { Tor(parameters, table); });
}

TEST(ConweaveSource, WhatCannotWorkIsRefused) {
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(refusal("queues = 20\n"), "test.toml:2:10: queues = 20 is not three times a power of two");
  Routes spread = routes;
  spread.pipeline_of_port[3] = 1;
  has(refusal("", spread), "ConWeave needs all ports on one pipeline");
  Routes few = routes;
  few.queues_per_port = 16;
  has(refusal("", few), "program.queues = 24 need queues_per_port = 32 of the chip, which has 16");
  EXPECT_EQ(refusal("queues = 6\n", few), "accepted");
  has(refusal("queue_entries = 47\n"), "program.queue_entries = 47 is too small for 24 queues");
  has(refusal("rack_entries = 3\n"), "program.rack_entries = 3 is too small for 4 racks");
  has(refusal("flow_entry = 3\n"), "flow_entries");
}

}  // namespace
}  // namespace horae::programs::conweave_source_test
