// TCP handshakes of NICs: segments of both ends, a switch in between that sends cookies.
#include "horae/rnic/handshakes.hpp"

#include <gtest/gtest.h>

namespace horae::rnic {
namespace {

constexpr bool client = true, server = false, of_peer = true, of_switch = false;
constexpr std::size_t qp = 3;

TEST(Handshakes, SynSynAckAck) {
  Handshakes a, b;
  const TcpSegment syn = a.begin(qp);
  EXPECT_EQ(syn.flags, TcpSegment::syn);
  const auto syn_ack = b.receive(qp, server, syn, of_peer);
  ASSERT_TRUE(syn_ack.answer);
  EXPECT_EQ(syn_ack.answer->flags, TcpSegment::syn_ack);
  EXPECT_EQ(syn_ack.answer->acknowledgement, syn.sequence + 1);
  const auto ack = a.receive(qp, client, *syn_ack.answer, of_peer);
  EXPECT_TRUE(ack.connected);
  ASSERT_TRUE(ack.answer);
  EXPECT_EQ(ack.answer->flags, TcpSegment::ack);
  EXPECT_EQ(ack.answer->sequence, syn.sequence + 1);
  EXPECT_EQ(ack.answer->acknowledgement, syn_ack.answer->sequence + 1);
  EXPECT_FALSE(b.receive(qp, server, *ack.answer, of_peer).answer);
  // The same answer once more changes nothing.
  EXPECT_FALSE(a.receive(qp, client, *syn_ack.answer, of_peer).answer);
  EXPECT_EQ(a.counts().connected, 1u);
}

TEST(Handshakes, AfterACookieAndARstItBeginsAgain) {
  Handshakes a;
  const TcpSegment first = a.begin(qp);
  const TcpSegment cookie{TcpSegment::syn_ack, Psn(0xc00c1e), first.sequence + 1};
  const auto ack = a.receive(qp, client, cookie, of_switch);
  ASSERT_TRUE(ack.answer);
  EXPECT_EQ(ack.answer->acknowledgement, Psn(0xc00c1f));
  EXPECT_FALSE(ack.connected);
  EXPECT_TRUE(a.receive(qp, client, {TcpSegment::rst, Psn(0xc00c1f)}, of_switch).again);
  const TcpSegment second = a.begin(qp);
  EXPECT_EQ(a.attempts(qp), 2u);
  EXPECT_NE(second.sequence, first.sequence);
  // What answers the first SYN is too late.
  EXPECT_FALSE(a.receive(qp, client, cookie, of_switch).answer);
  EXPECT_TRUE(
      a.receive(qp, client, {TcpSegment::syn_ack, Psn(9), second.sequence + 1}, of_peer).connected);
  EXPECT_EQ(a.counts().resets, 1u);
}

TEST(Handshakes, ARstThatAnswersNothingIsIgnored) {
  Handshakes a;
  a.begin(qp);
  EXPECT_FALSE(a.receive(qp, client, {TcpSegment::rst, Psn(1)}, of_peer).again);
  EXPECT_EQ(a.counts().resets, 0u);
}

}  // namespace
}  // namespace horae::rnic
