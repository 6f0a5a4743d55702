// IRN's selective repeat as scenarios (Mittal et al., SIGCOMM 2018, section 3).
#include "transport_script.hpp"

namespace horae::policy::irn_test {
namespace {

TransportConfig irn_config() {
  TransportConfig config = plain_config();
  config.window = 16;
  config.ack_every = 1;
  config.rto = 320_us;
  return config;
}

class Irn : public testing::TestWithParam<std::uint32_t> {
 protected:
  SenderScript sender{"irn", irn_config(), GetParam()};
  ReceiverScript receiver{"irn", irn_config(), GetParam()};
};
INSTANTIATE_TEST_SUITE_P(From, Irn, starting_psns(), psn_name);

TEST_P(Irn, EveryPacketOutOfOrderIsNamed) {
  EXPECT_EQ(receiver.arrive("0 1"), "ack 1, ack 2");
  EXPECT_EQ(receiver.arrive("4"), "nack 2");
  EXPECT_EQ(*receiver.last.response->received - receiver.last.response->psn, 2);
  EXPECT_EQ(receiver.arrive("3"), "nack 2");
  EXPECT_EQ(*receiver.last.response->received - receiver.last.response->psn, 1);
  EXPECT_EQ(receiver.arrive("2"), "ack 5");
  EXPECT_FALSE(receiver.last.response->received);
}

TEST_P(Irn, TheFirstNackSendsTheOldestAndThenWhatLiesBelowTheHighestReceived) {
  sender.post(10);
  EXPECT_EQ(sender.send(8), "0-7");
  sender.ack(1);
  sender.received(4);
  EXPECT_TRUE(sender.nack(1).served);
  EXPECT_EQ(sender.send(2), "rewind 1-2");
  sender.received(6);
  // In recovery a NACK only tells what arrived.
  EXPECT_FALSE(sender.nack(1).served);
  EXPECT_EQ(sender.send(), "rewind 3, rewind 5?, 8-9");
  // 7 may still be on its way: nothing above it is known to have arrived.
  sender.ack(7);
  EXPECT_EQ(sender.send(), "rewind 7?");
  EXPECT_EQ(sender.ack(10), 3u);
  EXPECT_FALSE(sender.can_send());
}

// Serial numbers compare over half of their space: what arrived long ago is not ahead of the
// oldest.
TEST_P(Irn, AfterHalfOfTheNumberSpaceInOrderOnlyTheOldestIsLost) {
  auto config = irn_config();
  config.window = 4096;
  const Psn first(GetParam());
  const auto wrapping = find_transport("irn").make_sender(config, first);
  constexpr std::int32_t step = 4096, steps = (1 << 23) / step + 1;
  Psn at = first;
  for (std::int32_t i = 0; i < steps; ++i) {
    wrapping->post(step);
    for (std::int32_t n = 0; n < step; ++n) wrapping->next(Picoseconds(0));
    at = at + step;
    wrapping->on_ack(at, Picoseconds(0));
  }
  wrapping->post(8);
  for (int n = 0; n < 8; ++n) wrapping->next(Picoseconds(0));
  wrapping->retransmit(at, Picoseconds(0));
  EXPECT_EQ(wrapping->next(Picoseconds(0)).psn, at);
  EXPECT_FALSE(wrapping->can_send());
}

TEST_P(Irn, WhatIsSentAgainAndLostAgainWaitsForTheTimer) {
  sender.post(4);
  EXPECT_EQ(sender.send(), "0-3");
  sender.received(2);
  sender.nack(0);
  EXPECT_EQ(sender.send(), "rewind 0, rewind 1?");
  sender.received(3);
  sender.nack(0);
  EXPECT_FALSE(sender.can_send());
  sender.timeout();
  EXPECT_EQ(sender.send(), "timeout 0, rewind 1?");
  // Nothing was heard of that: the next one asks at once.
  sender.timeout();
  EXPECT_EQ(sender.send(), "timeout 0?, rewind 1?");
}

TEST_P(Irn, FewUnacknowledgedPacketsHaveTheShortTimeout) {
  sender.now = 7_us;
  sender.post(5);
  sender.send(4);
  EXPECT_EQ(sender.deadline(), 327_us);
  sender.now = 9_us;
  sender.ack(1);
  EXPECT_EQ(sender.deadline(), 109_us);
  sender.send(1);
  EXPECT_EQ(sender.deadline(), 329_us);
}

TEST_P(Irn, ARecoveryEndsWithWhatWasSentBeforeIt) {
  sender.post(12);
  sender.send(6);
  sender.received(5);
  sender.nack(0);
  EXPECT_EQ(sender.send(1), "rewind 0");
  sender.ack(6);  // the other holes were merely late
  EXPECT_EQ(sender.send(), "6-11");
  // A new recovery needs a new NACK.
  sender.received(8);
  EXPECT_FALSE(sender.can_send());
  EXPECT_TRUE(sender.nack(6).served);
  EXPECT_EQ(sender.send(), "rewind 6, rewind 7?");
}

TEST_P(Irn, SacksOfAnOrderingLayerStartNoRecovery) {
  sender.post(6);
  sender.send();
  sender.received(3);
  sender.received(4);
  EXPECT_FALSE(sender.can_send());
  sender.ack(2);
  EXPECT_FALSE(sender.can_send());
  // After the timeout only what is not known to have arrived goes again.
  sender.timeout();
  EXPECT_EQ(sender.send(), "timeout 2?");
}

TEST_P(Irn, ARefusalSendsAllAgainThatIsNotKnownToHaveArrived) {
  TransportConfig config = irn_config();
  config.nacks_refuse = true;
  SenderScript behind("irn", config, GetParam());
  behind.post(14);
  behind.send(12);
  behind.ack(5);
  behind.received(7);
  EXPECT_TRUE(behind.nack(5).served);
  EXPECT_EQ(behind.send(), "rewind 5-6, rewind 8-10, rewind 11?, 12-13");
  // Packets acknowledged since are not sent again, and the recovery ends as any other.
  behind.ack(12);
  EXPECT_FALSE(behind.can_send());
}

TEST(HoldLast, TheLastPacketOfAMessageWaitsForTheRest) {
  TransportConfig config = plain_config();
  config.hold_last = true;
  for (const char* transport : {"go_back_n", "irn", "rnic_sr"}) {
    SenderScript sender(transport, config, 0xfffffe);
    sender.post(4);
    sender.post(1);
    sender.post(2);
    EXPECT_EQ(sender.send(), "0-1, 2?") << transport;
    sender.ack(2);
    EXPECT_FALSE(sender.can_send()) << transport;
    sender.ack(3);
    // A message of one packet is its own last: a flag that follows data waits for the data.
    EXPECT_EQ(sender.send(), "3") << transport;
    sender.ack(4);
    EXPECT_EQ(sender.send(), "4, 5?") << transport;
    sender.ack(6);
    EXPECT_EQ(sender.send(), "6") << transport;
    sender.ack(7);
    EXPECT_EQ(sender.unacked(), 0u) << transport;
  }
}

}  // namespace
}  // namespace horae::policy::irn_test
