// RNIC-SR: the packet-spraying paper, section 2.3, as scenarios.
#include "transport_script.hpp"

namespace horae::policy::rnic_sr_test {
namespace {

class RnicSr : public testing::TestWithParam<std::uint32_t> {
 protected:
  ReceiverScript receiver(const TransportConfig& config = plain_config()) const {
    return {"rnic_sr", config, GetParam()};
  }
  SenderScript sender(const TransportConfig& config = plain_config()) const {
    return {"rnic_sr", config, GetParam()};
  }
};
INSTANTIATE_TEST_SUITE_P(Psn, RnicSr, starting_psns(), psn_name);

// Receiver: NACKs.

TEST_P(RnicSr, OneNackPerExpectedPsn) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("0 1"), "");
  EXPECT_EQ(r.arrive("3"), "nack 2");
  EXPECT_EQ(r.last.placement, Placement::deliver);
  EXPECT_EQ(r.last.ahead, 1);
  EXPECT_EQ(r.last.advanced, 0u);
  EXPECT_EQ(r.arrive("4"), "");
  EXPECT_EQ(r.last.placement, Placement::deliver);
  EXPECT_EQ(r.expected(), 2);
  EXPECT_EQ(r.arrive("2"), "");
  EXPECT_EQ(r.last.advanced, 3u);
  EXPECT_EQ(r.last.ahead, 0);
  EXPECT_EQ(r.expected(), 5);
}

TEST_P(RnicSr, NackCarriesTheExpectedPsnWhateverArrived) {
  auto a = receiver();
  EXPECT_EQ(a.arrive("1"), "nack 0");
  auto b = receiver();
  EXPECT_EQ(b.arrive("511"), "nack 0");
  auto c = receiver();
  EXPECT_EQ(c.arrive("0-4 300"), "nack 5");
}

TEST_P(RnicSr, ANewHoleIsReportedByTheNextOutOfOrderPacketOnly) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("0 2 4"), "nack 1");
  EXPECT_EQ(r.arrive("1"), "");  // 3 is the hole now, and 4 is known: silence
  EXPECT_EQ(r.expected(), 3);
  EXPECT_EQ(r.arrive("6"), "nack 3");
  EXPECT_EQ(r.arrive("7 8"), "");
  EXPECT_EQ(r.arrive("3"), "");
  EXPECT_EQ(r.expected(), 5);
  EXPECT_EQ(r.arrive("9"), "nack 5");
}

TEST_P(RnicSr, ALostRetransmissionBringsNoSecondNack) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("1"), "nack 0");
  EXPECT_EQ(r.arrive("2-511"), "");
  EXPECT_EQ(r.arrive("511?"), "");
}

// The last packet comes with every retransmission: it is what reveals the next hole when nothing
// new follows.
TEST_P(RnicSr, ADuplicateBeyondTheExpectedPsnIsOutOfOrderToo) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("1 3"), "nack 0");
  EXPECT_EQ(r.arrive("0"), "");
  EXPECT_EQ(r.arrive("3?"), "nack 2");
  EXPECT_EQ(r.last.placement, Placement::duplicate);
  EXPECT_EQ(r.last.ahead, 1);
  EXPECT_EQ(r.arrive("3?"), "");
  EXPECT_EQ(r.arrive("2"), "ack 4");  // and its request is remembered
}

// Receiver: ACKs.

TEST_P(RnicSr, AcksAreCoalescedByCount) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("0-30"), "");
  EXPECT_EQ(r.arrive("31"), "ack 32");
  EXPECT_EQ(r.arrive("32-95"), "ack 64, ack 96");
}

TEST_P(RnicSr, PacketsCountWhenTheExpectedPsnPassesThem) {
  auto config = plain_config();
  config.ack_every = 4;
  auto r = receiver(config);
  EXPECT_EQ(r.arrive("1-10"), "nack 0");
  EXPECT_EQ(r.arrive("0"), "ack 11");
  EXPECT_EQ(r.arrive("11-13"), "");
  EXPECT_EQ(r.arrive("14"), "ack 15");
}

TEST_P(RnicSr, ANackAcknowledgesAsMuchAsAnAck) {
  auto config = plain_config();
  config.ack_every = 4;
  auto r = receiver(config);
  EXPECT_EQ(r.arrive("0-2 4"), "nack 3");
  EXPECT_EQ(r.arrive("3 5"), "");  // 3, 4, 5: three since the NACK
  EXPECT_EQ(r.arrive("6"), "ack 7");
}

TEST_P(RnicSr, ARequestInOrderIsAnsweredAtOnce) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("0 1 2?"), "ack 3");
  EXPECT_EQ(r.arrive("3-33"), "");  // counted from that ACK
  EXPECT_EQ(r.arrive("34"), "ack 35");
}

TEST_P(RnicSr, AMessageEndAsks) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("0 1."), "ack 2");
}

TEST_P(RnicSr, ARequestOutOfOrderIsAnsweredWhenTheExpectedPsnPassesIt) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("3?"), "nack 0");
  EXPECT_EQ(r.arrive("0 1"), "");
  EXPECT_EQ(r.arrive("5"), "nack 2");
  EXPECT_EQ(r.arrive("2"), "ack 4");
  EXPECT_EQ(r.arrive("4"), "");  // once
}

TEST_P(RnicSr, EveryRequestIsAnsweredNotOnlyTheHighest) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("1? 3. 5? 7."), "nack 0");
  EXPECT_EQ(r.arrive("0"), "ack 2");
  EXPECT_EQ(r.arrive("2"), "ack 4");
  EXPECT_EQ(r.arrive("4"), "ack 6");
  EXPECT_EQ(r.arrive("6"), "ack 8");
  EXPECT_EQ(r.arrive("8"), "");
}

TEST_P(RnicSr, DuplicatesAreAnsweredOnlyWhenTheyAsk) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("0-9"), "");
  EXPECT_EQ(r.arrive("3"), "");
  EXPECT_EQ(r.last.placement, Placement::duplicate);
  EXPECT_EQ(r.last.ahead, -7);
  EXPECT_EQ(r.arrive("3?"), "ack 10");
  EXPECT_EQ(r.arrive("9?"), "ack 10");
  EXPECT_EQ(r.arrive("10-40"), "");  // counted from that ACK
  EXPECT_EQ(r.arrive("41"), "ack 42");
}

TEST_P(RnicSr, EachPacketIsPlacedOnce) {
  auto r = receiver();
  r.arrive("5");
  EXPECT_EQ(r.last.placement, Placement::deliver);
  r.arrive("5");
  EXPECT_EQ(r.last.placement, Placement::duplicate);
  r.arrive("0-4");
  EXPECT_EQ(r.last.advanced, 2u);  // 4 and the 5 that had waited
  r.arrive("5");
  EXPECT_EQ(r.last.placement, Placement::duplicate);
}

// Receiver: message sequence number.

TEST_P(RnicSr, MsnCountsMessagesInOrder) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("2. 5."), "nack 0");
  EXPECT_EQ(r.msn, 0u);  // their last packets are here, the messages are not complete
  EXPECT_EQ(r.arrive("0 1"), "ack 3");
  EXPECT_EQ(r.msn, 1u);
  EXPECT_EQ(r.arrive("3 4"), "ack 6");
  EXPECT_EQ(r.msn, 2u);
  EXPECT_EQ(r.arrive("5."), "");  // a duplicate is no message, and is answered when it asks
  EXPECT_EQ(r.arrive("5.?"), "ack 6");
  EXPECT_EQ(r.msn, 2u);
}

TEST_P(RnicSr, OneAdvanceMayCompleteManyMessages) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("1. 2. 3. 4"), "nack 0");
  EXPECT_EQ(r.arrive("0."), "ack 5");
  EXPECT_EQ(r.msn, 4u);
  EXPECT_EQ(r.arrive("6"), "nack 5");
  EXPECT_EQ(r.msn, 4u);
}

TEST_P(RnicSr, MsnIsRightMoreThanOneBitmapLater) {
  auto r = receiver();
  for (int i = 0; i < 3000; i += 2) {
    r.arrive(fmt::format("{}. {}", i + 1, i));
    ASSERT_EQ(r.msn, static_cast<std::uint32_t>(i / 2 + 1)) << i;
  }
}

// Receiver: bounds and costs.

TEST_P(RnicSr, APsnBeyondTheBitmapIsDiscarded) {
  auto r = receiver();
  r.arrive("0 1");
  EXPECT_EQ(r.arrive("514"), "nack 2");  // it still shows that 2 is missing
  EXPECT_EQ(r.last.placement, Placement::discard);
  EXPECT_EQ(r.expected(), 2);
  EXPECT_EQ(r.arrive("513"), "");
  EXPECT_EQ(r.last.placement, Placement::deliver);
  r.arrive("2-512");
  EXPECT_EQ(r.expected(), 514);  // the one discarded has left no trace
}

TEST_P(RnicSr, WholeBitmapOutOfOrder) {
  auto r = receiver();
  for (int i = 511; i > 0; --i) {
    EXPECT_EQ(r.arrive(std::to_string(i)), i == 511 ? "nack 0" : "");
    EXPECT_EQ(r.last.ops.bitmap_words, 1u);
  }
  EXPECT_EQ(r.arrive("0"), "ack 512");
  EXPECT_EQ(r.last.advanced, 512u);
  EXPECT_EQ(r.last.ops.bitmap_words, 1u + 512 / 64);
}

TEST_P(RnicSr, MemoryIsTheBitmap) {
  EXPECT_EQ(receiver().memory(), Bytes(512 / 8));
  auto config = plain_config();
  config.window = 1024;
  EXPECT_EQ(receiver(config).memory(), Bytes(1024 / 8));
  config.window = 1;
  EXPECT_EQ(receiver(config).memory(), Bytes(8));
}

// Sender.

TEST_P(RnicSr, NackSendsTheExpectedPacketAndTheLastOneAgain) {
  auto s = sender();
  s.post(20);
  EXPECT_EQ(s.send(10), "0-9");
  const AckOutcome outcome = s.nack(4);
  EXPECT_EQ(outcome.newly_acked, 4u);
  EXPECT_TRUE(outcome.served);
  EXPECT_EQ(s.unacked(), 6u);
  EXPECT_EQ(s.send(), "expected 4, last 9?, 10-19");
}

TEST_P(RnicSr, TheLastPacketIsTheHighestSentNotTheHighestPosted) {
  auto s = sender();
  s.post(20);
  s.send(2);
  s.nack(0);
  EXPECT_EQ(s.send(2), "expected 0, last 1?");
  s.send(3);
  s.nack(1);
  EXPECT_EQ(s.send(2), "expected 1, last 4?");
}

TEST_P(RnicSr, WhenBothAreOnePacketItIsSentOnce) {
  auto s = sender();
  s.post(10);
  s.send();
  EXPECT_TRUE(s.nack(9).served);
  EXPECT_EQ(s.send(), "expected 9?");
}

TEST_P(RnicSr, OnceAlsoIfAnEarlierNackHadNotBeenServedYet) {
  auto s = sender();
  s.post(10);
  s.send();
  s.nack(5);
  s.nack(9);
  EXPECT_EQ(s.send(), "expected 5, last 9?");
}

// Two packets for each NACK, in the order of the NACKs; what waits already is not put in line
// twice.
TEST_P(RnicSr, NacksAreServedInTheirOrder) {
  auto s = sender();
  s.post(10);
  s.send();
  s.nack(2);
  s.nack(6);
  EXPECT_EQ(s.send(), "expected 2, last 9?, expected 6");
}

// Section 2.3 knows no way back: a NACK that was served brings its two packets.
TEST_P(RnicSr, AnAckDoesNotCallARetransmissionBack) {
  auto s = sender();
  s.post(10);
  s.send();
  s.nack(2);
  s.ack(5);
  EXPECT_EQ(s.send(), "expected 2, last 9?");
  s.nack(6);
  s.ack(10);
  EXPECT_EQ(s.send(), "expected 6, last 9?");
  EXPECT_FALSE(s.can_send());
  EXPECT_EQ(s.deadline(), never);
}

TEST_P(RnicSr, StaleNackIsIgnored) {
  auto s = sender();
  s.post(10);
  s.send();
  s.now = 1_us;
  s.ack(5);
  s.now = 2_us;
  const AckOutcome outcome = s.nack(4);
  EXPECT_EQ(outcome.newly_acked, 0u);
  EXPECT_FALSE(outcome.served);
  EXPECT_FALSE(s.can_send());
  EXPECT_EQ(s.unacked(), 5u);
  EXPECT_EQ(s.deadline(), 1_us + 4_ms);
}

TEST_P(RnicSr, NackForAPsnNeverSentIsIgnored) {
  auto s = sender();
  s.post(20);
  s.send(10);
  EXPECT_FALSE(s.nack(11).served);
  EXPECT_EQ(s.unacked(), 10u);
  EXPECT_EQ(s.send(1), "10");
  EXPECT_FALSE(s.nack(0x7fffff).served);
  EXPECT_EQ(s.unacked(), 11u);
}

TEST_P(RnicSr, RetransmissionsNeedNoWindow) {
  auto config = plain_config();
  config.window = 4;
  auto s = sender(config);
  s.post(8);
  EXPECT_EQ(s.send(), "0-2, 3?");
  s.nack(0);
  EXPECT_TRUE(s.can_send());
  EXPECT_EQ(s.send(), "expected 0, last 3?");
  EXPECT_EQ(s.unacked(), 4u);
}

TEST_P(RnicSr, ServedNackStartsTheTimerAgain) {
  auto s = sender();
  s.post(10);
  s.send();
  s.now = 7_us;
  s.nack(0);
  EXPECT_EQ(s.deadline(), 7_us + 4_ms);
}

TEST_P(RnicSr, TimeoutTakesThePlaceOfWhatANackAskedFor) {
  auto s = sender();
  s.post(4);
  s.send();
  s.nack(1);
  s.timeout();
  EXPECT_EQ(s.send(), "timeout 1-2, timeout 3?");
}

TEST_P(RnicSr, NackGoesBeforeTheRestOfATimeoutsResend) {
  auto s = sender();
  s.post(10);
  s.send();
  s.timeout();
  EXPECT_EQ(s.send(3), "timeout 0-2");
  s.nack(2);
  EXPECT_EQ(s.send(2), "expected 2, last 9?");
  s.ack(5);
  EXPECT_EQ(s.send(), "timeout 5-8, timeout 9?");
}

// Both ends: two holes in the last packets of a message heal without a timeout.
TEST_P(RnicSr, TwoLossesAtTheEndOfAMessageHealByNacks) {
  auto s = sender();
  auto r = receiver();
  s.post(6);
  EXPECT_EQ(s.send(), "0-5");
  EXPECT_EQ(r.arrive("0 2 4 5."), "nack 1");  // 1 and 3 are lost
  s.nack(1);
  EXPECT_EQ(s.send(), "expected 1, last 5?");
  EXPECT_EQ(r.arrive("1 5.?"), "nack 3");
  s.nack(3);
  EXPECT_EQ(s.send(), "expected 3, last 5?");
  EXPECT_EQ(r.arrive("3"), "ack 6");
  s.ack(6);
  EXPECT_EQ(s.unacked(), 0u);
}

}  // namespace
}  // namespace horae::policy::rnic_sr_test
