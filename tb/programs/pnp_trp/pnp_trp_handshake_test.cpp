// The TCP handshake monitor of the long-haul paper, with the segments of real handshakes.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "horae/core/codec/tcp_segment.hpp"
#include "pnp_trp_parts.hpp"

namespace horae::programs::pnp_trp_test {
namespace {

constexpr std::uint16_t client_port = 40000;

Packet segment(NodeId from, NodeId to, std::uint8_t flags, Psn sequence, Psn acknowledgement = {}) {
  Packet p;
  p.src = from;
  p.dst = to;
  p.entropy = client_port;
  TcpSegment{flags, sequence, acknowledgement}.write_to(p);
  return p;
}
Packet syn(Psn isn) { return segment(near_node, far_node, TcpSegment::syn, isn); }
Packet ack(Psn sequence, Psn of) {
  return segment(near_node, far_node, TcpSegment::ack, sequence, of);
}

bool passes(const Outcome& out) { return out.verdict == Verdict::forward && out.port == far_port; }
bool goes_back(const Outcome& out) {
  return out.verdict == Verdict::forward && out.port == near_port && out.packet.src == far_node &&
         out.packet.dst == near_node;
}

// A connection's first five segments at the exit switch: SYN, SYN-ACK, ACK, RST, SYN. The SYN-ACK
// and the ACK of the second handshake follow.
void shake_hands(Switch& esw, Picoseconds t) {
  const Outcome cookie = esw(t, syn(Psn(1000)));
  ASSERT_TRUE(goes_back(cookie));
  const TcpSegment answer = TcpSegment::of(cookie.packet);
  EXPECT_EQ(answer.flags, TcpSegment::syn_ack);
  EXPECT_EQ(answer.acknowledgement, Psn(1001));
  const Outcome reset = esw(t, ack(Psn(1001), answer.sequence + 1));
  ASSERT_TRUE(goes_back(reset));
  EXPECT_EQ(TcpSegment::of(reset.packet).flags, TcpSegment::rst);
  EXPECT_EQ(TcpSegment::of(reset.packet).sequence, answer.sequence + 1);
  EXPECT_TRUE(passes(esw(t, syn(Psn(5000)))));
  const Outcome theirs =
      esw(t, segment(far_node, near_node, TcpSegment::syn_ack, Psn(77), Psn(5001)), far_port);
  EXPECT_EQ(theirs.port, near_port);
  EXPECT_TRUE(passes(esw(t, ack(Psn(5001), Psn(78)))));
}

TEST(HandshakeMonitor, ASecondHandshakePassesAndIsTold) {
  Switch esw("handshakes = true");
  shake_hands(esw, 2_ms);
  EXPECT_EQ(esw.count("cookies_sent"), 1u);
  EXPECT_EQ(esw.count("handshakes_reset"), 1u);
  EXPECT_EQ(esw.count("handshakes_told"), 1u);
  // Later ACKs of the connection are of no interest.
  EXPECT_TRUE(passes(esw(2_ms, ack(Psn(6001), Psn(99)))));
  EXPECT_EQ(esw.count("handshakes_told"), 1u);
}

TEST(HandshakeMonitor, WhoDoesNotAnswerTheCookieLeavesNothing) {
  Switch esw("handshakes = true");
  for (std::uint32_t n = 0; n < 5000; ++n) {  // a flood of SYNs
    Packet p = syn(Psn(n));
    p.entropy = static_cast<std::uint16_t>(n);
    EXPECT_TRUE(goes_back(esw(2_ms, p)));
  }
  const Outcome cookie = esw(2_ms, syn(Psn(1000)));
  ASSERT_TRUE(goes_back(cookie));
  const Psn right = TcpSegment::of(cookie.packet).sequence + 1;
  EXPECT_TRUE(passes(esw(2_ms, ack(Psn(1001), right + 1))));  // a wrong number
  EXPECT_TRUE(passes(esw(2_ms, ack(Psn(1002), right))));      // of another first number
  EXPECT_TRUE(goes_back(esw(2_ms, syn(Psn(1000)))));          // still unknown
  EXPECT_EQ(esw.count("handshakes_reset"), 0u);
  EXPECT_EQ(esw.count("handshakes_told"), 0u);
}

TEST(HandshakeMonitor, OnlyConnectionsOverTheLongHaulAreWatched) {
  Switch esw("handshakes = true");
  Packet from_far = segment(far_node, near_node, TcpSegment::syn, Psn(1));
  const Outcome out = esw(2_ms, from_far, far_port);
  EXPECT_EQ(out.port, near_port);
  EXPECT_EQ(TcpSegment::of(out.packet).flags, TcpSegment::syn);
  EXPECT_EQ(esw.count("cookies_sent"), 0u);
  // Without a monitor all pass.
  Switch none("handshake_monitor = false");
  EXPECT_TRUE(passes(none(2_ms, syn(Psn(1)))));
}

TEST(HandshakeMonitor, ADaemonsMessageCountsOnlyAfterAHandshake) {
  for (const bool shaken : {true, false}) {
    Switch esw("handshakes = true\ninsertion_latency = \"100 us\"");
    if (shaken) shake_hands(esw, 10_ms);
    Connection c = leaves;
    c.receiver_qp = Qpn(0x99);
    c.starts = 12_ms;
    esw.program->connect(c);
    const Outcome out = esw(12_ms, marked(c));
    ASSERT_TRUE(out.copy);
    EXPECT_EQ(esw.copied(12_ms, out).has_value(), shaken);
    // Those of the switch's own list, at time zero, were too early.
    EXPECT_EQ(esw.count("connections_without_handshake"), shaken ? 1u : 2u);
  }
}

// Where NICs shake hands, the daemons' message comes behind the last segment, whenever that is.
TEST(HandshakeMonitor, ADaemonsMessageFollowsTheHandshakeOfItsConnection) {
  Switch esw("handshakes = true\ninsertion_latency = \"100 us\"");
  Connection c = leaves;
  c.receiver_qp = Qpn(0x99);
  c.entropy = client_port;
  c.shakes_hands = true;
  esw.program->connect(c);
  const auto answered = [&](Picoseconds t) { return esw.copied(t, esw(t, marked(c))).has_value(); };
  EXPECT_FALSE(answered(9_ms));
  shake_hands(esw, 10_ms);
  EXPECT_FALSE(answered(10'090_us));
  EXPECT_TRUE(answered(10'150_us));
}

TEST(HandshakeMonitor, NeedsTheMonitor) {
  EXPECT_NE(refusal("handshakes = true\nhandshake_monitor = false").find("needs"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::programs::pnp_trp_test
