// A switch with a queue per destination and a window: what waits, what lets it go, and that no
// lost packet or answer keeps it waiting.
#include "horae/fabric/devices/voq_switch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "fabric_parts.hpp"
#include "horae/fabric/devices/notifying_switch.hpp"

namespace horae::fabric::voq_switch_test {
namespace {

using test::link_of;

constexpr NodeId far_node = 0, near_node = 1, other_near = 2;
constexpr Qpn sender_qp(0x50), receiver_qp(0x60);
constexpr std::uint16_t frame = 1000;

/// Sends packets of one connection's ends when it is told to, and keeps what arrives.
class end_point : public device {
 public:
  end_point(sc_core::sc_module_name name, sim_context& context, NodeId id)
      : device(name, context, 1), id_(id) {}

  void data(Picoseconds at, NodeId to, std::uint32_t psn, Qpn qp = receiver_qp,
            std::uint16_t bytes = frame) {
    Packet p = packet(to, psn, qp);
    p.opcode = Opcode::write_middle;
    p.frame = bytes;
    p.ecn = Ecn::ect0;
    shots_.push_back({at, p});
  }
  /// `psn` as on the wire; `ahead`: of a NACK, how far the packet lies that it answers.
  void answer(Picoseconds at, NodeId to, std::uint32_t psn, std::uint8_t syndrome = syndrome::ack,
              std::uint16_t ahead = 0) {
    Packet p = packet(to, psn, sender_qp);
    p.opcode = Opcode::acknowledge;
    p.frame = 64;
    p.traffic_class = 7;
    p.syndrome = syndrome;
    p.bth_reserved = ahead;
    shots_.push_back({at, p});
  }
  /// The last packet of data has a mark already.
  void mark_last() { shots_.back().packet.ecn = Ecn::ce; }
  void pause(Picoseconds at, bool on) { pauses_.push_back({at, on}); }

  struct Arrival {
    Picoseconds at;
    Packet packet;
  };
  std::vector<Arrival> arrivals;
  std::vector<std::uint32_t> psns() const {
    std::vector<std::uint32_t> out;
    for (const auto& a : arrivals) out.push_back(a.packet.psn.value());
    return out;
  }

 protected:
  void begin() override {
    for (std::size_t i = 0; i < shots_.size(); ++i) schedule(shots_[i].at, device_events, 0, i, i);
    for (std::size_t i = 0; i < pauses_.size(); ++i)
      schedule(pauses_[i].at, device_events + 1, 0, i, i);
  }
  void handle(const Event& e) override {
    const auto kind = key_kind(e.key);
    if (kind == device_events) {
      Packet& p = context_.pool.create();
      p = shots_[e.payload].packet;
      tx(0).send(p, std::max(e.time, tx(0).busy_until()));
    } else if (kind == device_events + 1) {
      tx(0).send_pause(e.time, 0, pauses_[e.payload].on);
    } else if (kind == arrival_event) {
      arrivals.push_back({e.time, arrived(e)});
      context_.pool.deliver(arrived(e));
    }
  }

 private:
  struct Shot {
    Picoseconds at;
    Packet packet;
  };
  struct Pause {
    Picoseconds at;
    bool on;
  };
  Packet packet(NodeId to, std::uint32_t psn, Qpn qp) const {
    Packet p;
    p.src = id_;
    p.dst = to;
    p.psn = Psn(psn);
    p.dest_qp = qp;
    return p;
  }
  NodeId id_;
  std::vector<Shot> shots_;
  std::vector<Pause> pauses_;
};

template <class Switch>
struct Site {
  template <class... More>
  explicit Site(const SwitchConfig& config, const More&... more)
      : sw("sw", context, config, more...),
        far("far", context, far_node),
        near("near", context, near_node),
        other("other", context, other_near) {
    NodeId node = 0;
    for (end_point* e : {&far, &near, &other}) {
      connect(sw, node, *e, 0, link_of(100_Gbps, 1_us));
      sw.routes().set(node, {static_cast<std::uint16_t>(node)});
      ++node;
    }
    sw.learn({far_node, sender_qp, near_node, receiver_qp});
  }
  sim_context context;
  Switch sw;
  end_point far, near, other;
};

SwitchConfig window_of(std::int64_t packets, Picoseconds timeout = 10_ms) {
  SwitchConfig config{.ports = 3, .latency = 0_ns};
  config.voq = VoqConfig{.window = Bytes(packets * frame), .timeout = timeout};
  return config;
}
const std::vector<bool> far_nodes = {true, false, false};

TEST(VoqSwitch, HoldsWhatIsAboveTheWindowUntilAnAckComesBack) {
  Site<voq_switch> s(window_of(3), far_nodes);
  for (std::uint32_t psn = 0; psn < 8; ++psn) s.far.data(0_us, near_node, psn);
  s.near.answer(10_us, far_node, 0);  // the first one
  s.near.answer(20_us, far_node, 2);  // two more at once
  s.context.clock.run_to(9_us);
  EXPECT_EQ(s.near.psns(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(s.sw.waiting(), Bytes(5 * frame));
  EXPECT_EQ(s.sw.waiting_packets(), 5u);
  EXPECT_EQ(s.sw.held(), 5u);
  EXPECT_EQ(s.sw.buffered(), 0_B);
  s.context.clock.run_to(19_us);
  EXPECT_EQ(s.near.psns().size(), 4u);
  s.context.clock.run_to(1_ms);
  EXPECT_EQ(s.near.psns(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5}));
  // The fourth one left when the first ACK was at the switch.
  const Picoseconds ack = serialisation_time(l1_bytes(64_B), 100_Gbps);
  EXPECT_EQ(s.near.arrivals[3].at,
            10_us + ack + 1_us + serialisation_time(l1_bytes(Bytes(frame)), 100_Gbps) + 1_us);
  const auto& c = s.sw.voq();
  EXPECT_EQ(c.passed, 3u);
  EXPECT_EQ(c.held, 5u);
  EXPECT_EQ(c.released, 3u);
  EXPECT_EQ(c.most_bytes, 5 * frame);
  // Each from its last bit on; the fifth packet waits for the second ACK.
  const Picoseconds wire = serialisation_time(l1_bytes(Bytes(frame)), 100_Gbps);
  const Picoseconds first_ack = 10_us + ack + 1_us, second_ack = 20_us + ack + 1_us;
  EXPECT_EQ(c.longest_wait, second_ack - (wire * 5 + 1_us));
  EXPECT_EQ(c.waited, first_ack + second_ack * 2 - wire * (4 + 5 + 6) - 3_us);
  EXPECT_EQ(c.most_under_way, 3 * frame);
  EXPECT_EQ(s.far.arrivals.size(), 2u);  // both ACKs
}

TEST(VoqSwitch, OnlyDataFromFarAwayOfKnownConnectionsWaits) {
  Site<voq_switch> s(window_of(1), far_nodes);
  for (std::uint32_t n = 0; n < 4; ++n) {
    s.far.data(0_us, near_node, n, Qpn(0x99));  // never told of
    s.other.data(0_us, near_node, n);           // within the site
    s.near.data(0_us, far_node, n);             // leaves it
  }
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.near.arrivals.size(), 8u);
  EXPECT_EQ(s.far.arrivals.size(), 4u);
  EXPECT_EQ(s.sw.voq().unknown, 4u);
  EXPECT_EQ(s.sw.voq().held, 0u);
}

TEST(VoqSwitch, WhatWouldFitWaitsBehindWhatDoesNot) {
  Site<voq_switch> s(window_of(3), far_nodes);
  s.far.data(0_us, near_node, 0);
  s.far.data(0_us, near_node, 1);
  s.far.data(0_us, near_node, 2, receiver_qp, 1500);
  s.far.data(0_us, near_node, 3, receiver_qp, 500);
  s.near.answer(10_us, far_node, 0);
  s.context.clock.run_to(9_us);
  EXPECT_EQ(s.near.psns(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(s.sw.waiting(), 2000_B);
  s.context.clock.run_to(1_ms);
  EXPECT_EQ(s.near.psns(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
}

TEST(VoqSwitch, DestinationsDoNotWaitForEachOther) {
  Site<voq_switch> s(window_of(1), far_nodes);
  s.sw.learn({far_node, Qpn(0x51), other_near, Qpn(0x61)});
  for (std::uint32_t n = 0; n < 5; ++n) s.far.data(0_us, near_node, n);
  s.far.data(0_us, other_near, 0, Qpn(0x61));
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.near.arrivals.size(), 1u);
  EXPECT_EQ(s.other.arrivals.size(), 1u);
}

// A NACK that does not tell which packet it answers (go-back-N): all of the flow is discarded.
TEST(VoqSwitch, ANackSettlesItsFlow) {
  Site<voq_switch> s(window_of(4), far_nodes);
  for (std::uint32_t psn = 0; psn < 8; ++psn) s.far.data(0_us, near_node, psn);
  s.near.answer(10_us, far_node, 1, syndrome::nak_psn_sequence);
  s.context.clock.run_to(13_us);
  EXPECT_EQ(s.near.arrivals.size(), 8u);
}

// Behind it the receiver discards in silence until the missing packet comes again: what is still
// let go meanwhile counts for a round trip. So do duplicates.
TEST(VoqSwitch, PacketsThatNobodyAnswersCountForARoundTrip) {
  Site<voq_switch> s(window_of(4), far_nodes);
  for (std::uint32_t psn = 0; psn < 100; ++psn) s.far.data(0_us, near_node, psn);
  s.near.answer(10_us, far_node, 1, syndrome::nak_psn_sequence);
  s.far.data(300_us, near_node, 1);
  s.far.data(300_us, near_node, 2);
  s.near.answer(310_us, far_node, 60);
  s.far.data(320_us, near_node, 50);  // acknowledged long ago
  s.context.clock.run_to(50_us);
  EXPECT_EQ(s.near.arrivals.size(), 4u + 4 * 5);  // at about 11, 19.5, 28, 36 and 44.7 us
  s.context.clock.run_to(1_ms);
  EXPECT_EQ(s.near.arrivals.size(), 103u);
  EXPECT_EQ(s.sw.voq().silent, 97u);
  EXPECT_EQ(s.sw.voq().expired, 0u);
  EXPECT_LE(s.sw.voq().most_under_way, 4 * frame);
}

// The missing packet was only late: its ACK ends the gap, and what follows is answered again.
TEST(VoqSwitch, AnAckBeyondTheGapEndsIt) {
  Site<voq_switch> s(window_of(2), far_nodes);
  for (std::uint32_t psn = 0; psn < 2; ++psn) s.far.data(0_us, near_node, psn);
  s.near.answer(10_us, far_node, 0, syndrome::nak_psn_sequence);
  s.near.answer(20_us, far_node, 1);
  for (std::uint32_t psn = 2; psn < 6; ++psn) s.far.data(30_us, near_node, psn);
  s.context.clock.run_to(1_ms);
  EXPECT_EQ(s.sw.voq().silent, 0u);
  EXPECT_EQ(s.sw.waiting_packets(), 2u);
}

// One that tells settles what was let go before that packet.
TEST(VoqSwitch, ASackSettlesUpToWhatItAnswers) {
  for (const auto kind : {syndrome::nak_psn_sequence, syndrome::sack}) {
    const std::string got = test::in_child([&] {
      Site<voq_switch> s(window_of(4), far_nodes);
      for (std::uint32_t psn = 0; psn < 8; ++psn) s.far.data(0_us, near_node, psn);
      s.near.answer(10_us, far_node, 1, kind, 1);  // 1 is missing, 2 came: 3 is under way
      s.context.clock.run_to(100_us);
      return std::to_string(s.near.arrivals.size());
    });
    EXPECT_EQ(got, "7");
  }
}

// All four are lost behind the switch. The sender sends them again: they take the places of the
// first ones, and nothing deadlocks.
TEST(VoqSwitch, WhatComesAgainTakesThePlaceOfTheLost) {
  Site<voq_switch> s(window_of(4), far_nodes);
  for (std::uint32_t psn = 0; psn < 6; ++psn) s.far.data(0_us, near_node, psn);
  for (std::uint32_t psn = 0; psn < 6; ++psn) s.far.data(50_us, near_node, psn);
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.sw.voq().again, 6u);
  EXPECT_EQ(s.near.psns(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3}));
  EXPECT_EQ(s.sw.waiting_packets(), 2u);
  EXPECT_EQ(s.sw.voq().expired, 0u);
}

// Nothing ever comes back: after the timeout the window is taken as empty.
TEST(VoqSwitch, AWindowThatLeakedOpensAfterTheTimeout) {
  Site<voq_switch> s(window_of(2, 100_us), far_nodes);
  for (std::uint32_t psn = 0; psn < 5; ++psn) s.far.data(0_us, near_node, psn);
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.near.arrivals.size(), 2u);
  s.context.clock.run_to(150_us);
  EXPECT_EQ(s.near.arrivals.size(), 4u);
  s.context.clock.run_to(1_ms);
  EXPECT_EQ(s.near.arrivals.size(), 5u);
  EXPECT_EQ(s.sw.voq().expired, 2u);
  EXPECT_EQ(s.sw.held(), 0u);
}

TEST(VoqSwitch, AWindowSmallerThanAPacketLetsOneGo) {
  SwitchConfig config = window_of(1);
  config.voq->window = 1_B;
  Site<voq_switch> s(config, far_nodes);
  for (std::uint32_t psn = 0; psn < 3; ++psn) s.far.data(0_us, near_node, psn);
  s.near.answer(10_us, far_node, 0);
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.near.arrivals.size(), 2u);
}

// Waiting packets take no buffer and pause nobody, though the buffer would hold only one packet; a
// packet that is refused when its turn comes is not under way.
TEST(VoqSwitch, QueuesAreOutsideOfTheBuffer) {
  SwitchConfig config = window_of(2);
  config.buffer = Bytes(2 * frame);
  config.pfc = {.xoff = Bytes(frame), .xon = 1_B, .headroom = Bytes(10 * frame)};
  Site<voq_switch> s(config, far_nodes);
  for (std::uint32_t psn = 0; psn < 50; ++psn) s.far.data(0_us, near_node, psn);
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.sw.counters().pauses_sent, 0u);
  EXPECT_EQ(s.context.pool.dropped(), 0u);
  EXPECT_EQ(s.sw.waiting_packets(), 48u);
  EXPECT_LE(s.sw.most_buffered(), Bytes(2 * frame));
}

SwitchConfig notices(MarkAt at, NoticeConfig notice = {.gap = 5_us, .delay = 2_us}) {
  SwitchConfig config{.ports = 3, .latency = 0_ns, .control_class = 7};
  config.red = {.kmin = 1_B, .kmax = 1_B, .pmax = 1.0, .at = at};
  config.notify = notice;
  return config;
}

// Marks are made of what waits while the port is paused: from then on each packet but the last one
// leaves with one, which becomes a CNP every five microseconds, two after its mark.
TEST(NotifyingSwitch, MarksBecomeCnpsWithAGap) {
  Site<notifying_switch> s(notices(MarkAt::dequeue));
  s.near.pause(0_us, true);
  s.near.pause(20_us, false);
  constexpr std::uint32_t packets = 200;  // 81.6 ns each
  for (std::uint32_t psn = 0; psn < packets; ++psn) s.far.data(2_us, near_node, psn);
  s.context.clock.run_to(100_us);
  ASSERT_EQ(s.near.arrivals.size(), packets);
  for (const auto& a : s.near.arrivals) EXPECT_NE(a.packet.ecn, Ecn::ce);
  EXPECT_EQ(s.sw.counters().marked, s.sw.notices().answered);
  EXPECT_EQ(s.sw.notices().answered, packets - 1);
  ASSERT_EQ(s.far.arrivals.size(), 4u);  // 16.3 us of marks
  EXPECT_EQ(s.sw.notices().cnps, 4u);
  const Picoseconds cnp = serialisation_time(l1_bytes(frame_bytes(Opcode::cnp, 0_B)), 100_Gbps);
  const Picoseconds resume =
      s.near.arrivals[0].at - 1_us - serialisation_time(l1_bytes(Bytes(frame)), 100_Gbps);
  for (std::size_t i = 0; i < 4; ++i) {
    const Packet& p = s.far.arrivals[i].packet;
    EXPECT_EQ(p.opcode, Opcode::cnp);
    EXPECT_EQ(p.src, near_node);
    EXPECT_EQ(p.dest_qp, sender_qp);
    EXPECT_EQ(p.traffic_class, 7);
    // The first mark after each gap: packets start 81.6 ns apart.
    const Picoseconds start = resume + 81'600_ps * static_cast<std::int64_t>(i * 62);
    EXPECT_EQ(s.far.arrivals[i].at, start + 2_us + cnp + 1_us) << i;
  }
  EXPECT_EQ(s.sw.held(), 0u);
}

TEST(NotifyingSwitch, MarksMadeAtEnqueueAreAnsweredAsWell) {
  Site<notifying_switch> s(notices(MarkAt::enqueue));
  s.near.pause(0_us, true);
  s.near.pause(50_us, false);
  for (std::uint32_t psn = 0; psn < 10; ++psn) s.far.data(2_us, near_node, psn);
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.near.arrivals.size(), 10u);
  EXPECT_EQ(s.sw.notices().answered, 9u);  // all but the first found somebody before them
  EXPECT_EQ(s.far.arrivals.size(), 1u);
  for (const auto& a : s.near.arrivals) EXPECT_NE(a.packet.ecn, Ecn::ce);
}

// The second packet has the first mark; the third one comes a gap later.
void marks_apart(Picoseconds more, std::size_t cnps) {
  Site<notifying_switch> s(notices(MarkAt::enqueue));
  s.near.pause(0_us, true);
  const Picoseconds first = 2_us;
  s.far.data(first, near_node, 0);
  s.far.data(first, near_node, 1);
  const Picoseconds second = first + serialisation_time(l1_bytes(Bytes(frame)), 100_Gbps);
  s.far.data(second + 5_us + more, near_node, 2);
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.sw.notices().answered, 2u);
  EXPECT_EQ(s.far.arrivals.size(), cnps);
}
TEST(NotifyingSwitch, MarksThatAreAGapApartMakeOneCnp) { marks_apart(0_ps, 1); }
TEST(NotifyingSwitch, MarksThatAreFurtherApartMakeTwo) { marks_apart(1_ps, 2); }

TEST(NotifyingSwitch, MarksOfUnknownConnectionsStay) {
  Site<notifying_switch> s(notices(MarkAt::dequeue));
  s.near.pause(0_us, true);
  s.near.pause(50_us, false);
  for (std::uint32_t psn = 0; psn < 10; ++psn) s.far.data(2_us, near_node, psn, Qpn(0x99));
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.far.arrivals.size(), 0u);
  EXPECT_EQ(s.sw.notices().unknown, 9u);
  int marked = 0;
  for (const auto& a : s.near.arrivals) marked += a.packet.ecn == Ecn::ce ? 1 : 0;
  EXPECT_EQ(marked, 9);
}

// A CNP goes to the node that sent the packet.
TEST(NotifyingSwitch, TheSenderGetsTheCnp) {
  Site<notifying_switch> s(notices(MarkAt::enqueue));
  const Qpn at_other(0x51), at_near(0x61);
  s.sw.learn({other_near, at_other, near_node, at_near});
  s.near.pause(0_us, true);
  for (std::uint32_t psn = 0; psn < 3; ++psn) s.other.data(2_us, near_node, psn, at_near);
  s.context.clock.run_to(100_us);
  EXPECT_EQ(s.sw.notices().answered, 2u);
  EXPECT_EQ(s.far.arrivals.size(), 0u);
  ASSERT_EQ(s.other.arrivals.size(), 1u);
  EXPECT_EQ(s.other.arrivals[0].packet.dest_qp, at_other);
  EXPECT_EQ(s.other.arrivals[0].packet.dst, other_near);
}

// Marks of others: answered with the scope `any` only; and kept with clear_ce = false.
void others_marks(NoticeScope scope, MarkAt at) {
  const std::string got = test::in_child([&] {
    Site<notifying_switch> s(notices(at, {.gap = 5_us, .clear_ce = false, .scope = scope}));
    s.far.data(2_us, near_node, 0);
    s.far.mark_last();
    s.context.clock.run_to(100_us);
    EXPECT_EQ(s.near.arrivals.at(0).packet.ecn, Ecn::ce);
    return std::to_string(s.far.arrivals.size());
  });
  EXPECT_EQ(got, scope == NoticeScope::any ? "1" : "0");
}
TEST(NotifyingSwitch, ScopeAndClearing) {
  for (const auto scope : {NoticeScope::own, NoticeScope::any}) {
    for (const auto at : {MarkAt::enqueue, MarkAt::dequeue}) others_marks(scope, at);
  }
}

}  // namespace
}  // namespace horae::fabric::voq_switch_test
