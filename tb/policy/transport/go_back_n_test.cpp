// Go-back-N: in-order receiver, rewinding sender.
#include "transport_script.hpp"

namespace horae::policy::go_back_n_test {
namespace {

class GoBackN : public testing::TestWithParam<std::uint32_t> {
 protected:
  ReceiverScript receiver(const TransportConfig& config = plain_config()) const {
    return {"go_back_n", config, GetParam()};
  }
  SenderScript sender(const TransportConfig& config = plain_config()) const {
    return {"go_back_n", config, GetParam()};
  }
};
INSTANTIATE_TEST_SUITE_P(Psn, GoBackN, starting_psns(), psn_name);

TEST_P(GoBackN, WhatIsOutOfOrderIsDiscardedAndMustComeAgain) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("0 1"), "");
  EXPECT_EQ(r.last.placement, Placement::deliver);
  EXPECT_EQ(r.last.advanced, 1u);
  EXPECT_EQ(r.arrive("3"), "nack 2");
  EXPECT_EQ(r.last.placement, Placement::discard);
  EXPECT_EQ(r.last.ahead, 1);
  EXPECT_EQ(r.last.advanced, 0u);
  EXPECT_EQ(r.arrive("4 5 3"), "");  // one NACK for PSN 2
  EXPECT_EQ(r.expected(), 2);
  EXPECT_EQ(r.arrive("2"), "");
  EXPECT_EQ(r.expected(), 3);  // not 6: 3, 4 and 5 were thrown away
  EXPECT_EQ(r.arrive("5"), "nack 3");
}

TEST_P(GoBackN, AnyGapHoweverWideIsOutOfOrder) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("1000"), "nack 0");
  EXPECT_EQ(r.last.placement, Placement::discard);
}

TEST_P(GoBackN, DuplicatesAreAnsweredOnlyWhenTheyAsk) {
  auto r = receiver();
  r.arrive("0-9");
  EXPECT_EQ(r.arrive("4"), "");
  EXPECT_EQ(r.last.placement, Placement::duplicate);
  EXPECT_EQ(r.last.ahead, -6);
  EXPECT_EQ(r.arrive("4?"), "ack 10");
}

TEST_P(GoBackN, AcknowledgesByCountOnRequestAndAtMessageEnds) {
  auto config = plain_config();
  config.ack_every = 4;
  auto r = receiver(config);
  EXPECT_EQ(r.arrive("0-8"), "ack 4, ack 8");
  EXPECT_EQ(r.arrive("9?"), "ack 10");
  EXPECT_EQ(r.arrive("10-12"), "");  // counted from the last ACK
  EXPECT_EQ(r.arrive("13"), "ack 14");
  EXPECT_EQ(r.arrive("14."), "ack 15");
  EXPECT_EQ(r.arrive("15-17 19"), "nack 18");
  EXPECT_EQ(r.arrive("18-20"), "");  // the NACK said 18
  EXPECT_EQ(r.arrive("21"), "ack 22");
}

TEST_P(GoBackN, CountsMessagesOnce) {
  auto r = receiver();
  r.arrive("0. 1 2.");
  EXPECT_EQ(r.msn, 2u);
  EXPECT_EQ(r.arrive("4. 2?"), "nack 3, ack 3");  // neither discards nor duplicates count
  EXPECT_EQ(r.msn, 2u);
  r.arrive("3.");
  EXPECT_EQ(r.msn, 3u);
}

TEST_P(GoBackN, KeepsNoReorderState) { EXPECT_EQ(receiver().memory(), Bytes(0)); }

TEST_P(GoBackN, NackRewindsToItsPsn) {
  auto s = sender();
  s.post(20);
  EXPECT_EQ(s.send(10), "0-9");
  const AckOutcome outcome = s.nack(4);
  EXPECT_EQ(outcome.newly_acked, 4u);
  EXPECT_TRUE(outcome.served);
  EXPECT_EQ(s.unacked(), 6u);
  EXPECT_EQ(s.send(), "rewind 4-8, rewind 9?, 10-19");
}

TEST_P(GoBackN, ProgressDuringARewindShortensIt) {
  auto s = sender();
  s.post(10);
  s.send();
  s.nack(2);
  EXPECT_EQ(s.send(2), "rewind 2-3");
  EXPECT_EQ(s.ack(3), 1u);  // behind what is being sent again
  EXPECT_EQ(s.ack(6), 3u);
  EXPECT_EQ(s.send(1), "rewind 6");
  EXPECT_EQ(s.ack(10), 4u);
  EXPECT_FALSE(s.can_send());
}

TEST_P(GoBackN, ANewNackReplacesTheRewind) {
  auto s = sender();
  s.post(10);
  s.send();
  s.nack(2);
  EXPECT_EQ(s.send(5), "rewind 2-6");
  s.nack(3);
  EXPECT_EQ(s.send(), "rewind 3-8, rewind 9?");
}

TEST_P(GoBackN, StaleAndImpossibleNacksAreIgnored) {
  auto s = sender();
  s.post(20);
  s.send(10);
  s.ack(5);
  EXPECT_FALSE(s.nack(4).served);
  EXPECT_FALSE(s.nack(11).served);
  EXPECT_EQ(s.unacked(), 5u);
  EXPECT_EQ(s.send(1), "10");
}

TEST_P(GoBackN, ServedNackStartsTheTimerAgain) {
  auto s = sender();
  s.post(2);
  s.send();
  s.now = 1_us;
  s.nack(0);
  EXPECT_EQ(s.deadline(), 1_us + 4_ms);
}

}  // namespace
}  // namespace horae::policy::go_back_n_test
