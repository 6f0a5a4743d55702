// Timeout-only recovery, and the window and timer that all senders share.
#include "transport_script.hpp"

namespace horae::policy::timeout_only_test {
namespace {

class TimeoutOnly : public testing::TestWithParam<std::uint32_t> {
 protected:
  ReceiverScript receiver(const TransportConfig& config = plain_config()) const {
    return {"timeout_only", config, GetParam()};
  }
  SenderScript sender(const TransportConfig& config = plain_config()) const {
    return {"timeout_only", config, GetParam()};
  }
};
INSTANTIATE_TEST_SUITE_P(Psn, TimeoutOnly, starting_psns(), psn_name);

TEST_P(TimeoutOnly, PlacesOutOfOrderPacketsWithoutANack) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("0 1 3 4"), "");
  EXPECT_EQ(r.last.placement, Placement::deliver);
  EXPECT_EQ(r.expected(), 2);
  EXPECT_EQ(r.arrive("2"), "");
  EXPECT_EQ(r.last.advanced, 3u);
  EXPECT_EQ(r.expected(), 5);
  EXPECT_EQ(r.arrive("511"), "");
  EXPECT_EQ(r.memory(), Bytes(64));
}

TEST_P(TimeoutOnly, AnswersARequestOnceEverythingBeforeItIsThere) {
  auto r = receiver();
  EXPECT_EQ(r.arrive("1 3? 2"), "");
  EXPECT_EQ(r.arrive("0"), "ack 4");
}

TEST_P(TimeoutOnly, ANackIsAnAcknowledgementOfWhatLiesBeforeIt) {
  auto s = sender();
  s.post(10);
  s.send();
  const AckOutcome outcome = s.nack(4);
  EXPECT_EQ(outcome.newly_acked, 4u);
  EXPECT_FALSE(outcome.served);
  EXPECT_FALSE(s.can_send());
}

// These properties hold for every sender.
class Sender : public testing::TestWithParam<std::tuple<const char*, std::uint32_t>> {
 protected:
  SenderScript sender(const TransportConfig& config = plain_config()) const {
    return {std::get<0>(GetParam()), config, std::get<1>(GetParam())};
  }
};
INSTANTIATE_TEST_SUITE_P(All, Sender,
                         testing::Combine(testing::Values("rnic_sr", "go_back_n", "timeout_only"),
                                          starting_psns()),
                         [](const auto& test) {
                           return fmt::format("{}_from_{:06x}", std::get<0>(test.param),
                                              std::get<1>(test.param));
                         });

TEST_P(Sender, SendsWhatWasPostedInOrder) {
  auto s = sender();
  EXPECT_FALSE(s.can_send());
  s.post(3);
  EXPECT_EQ(s.unsent(), 3u);
  EXPECT_EQ(s.send(2), "0-1");
  EXPECT_EQ(s.unsent(), 1u);
  EXPECT_EQ(s.unacked(), 2u);
  s.post(2);
  EXPECT_EQ(s.send(), "2-4");
  EXPECT_EQ(s.unsent(), 0u);
  EXPECT_EQ(s.unacked(), 5u);
}

TEST_P(Sender, WindowIsExact) {
  auto s = sender();
  s.post(1000);
  s.send(511);
  EXPECT_EQ(s.unacked(), 511u);
  EXPECT_TRUE(s.can_send());
  s.send(1);
  EXPECT_EQ(s.unacked(), 512u);
  EXPECT_FALSE(s.can_send());
  EXPECT_EQ(s.ack(1), 1u);
  s.send(1);
  EXPECT_FALSE(s.can_send());
  EXPECT_EQ(s.unsent(), 1000u - 513u);
}

// Otherwise a window below the receiver's ACK interval would wait for the timeout.
TEST_P(Sender, ThePacketThatClosesTheWindowAsksForAnAck) {
  auto config = plain_config();
  config.window = 4;
  auto s = sender(config);
  s.post(6);
  EXPECT_EQ(s.send(), "0-2, 3?");
  s.ack(2);
  EXPECT_EQ(s.send(), "4, 5?");
}

TEST_P(Sender, AcksAreCumulativeAndOnlyForward) {
  auto s = sender();
  s.post(10);
  s.send(8);
  EXPECT_EQ(s.ack(0), 0u);
  EXPECT_EQ(s.ack(5), 5u);
  EXPECT_EQ(s.ack(5), 0u);
  EXPECT_EQ(s.ack(3), 0u);
  EXPECT_EQ(s.ack(9), 0u);  // 8 was never sent
  EXPECT_EQ(s.unacked(), 3u);
  EXPECT_EQ(s.ack(8), 3u);
  EXPECT_EQ(s.unacked(), 0u);
  EXPECT_EQ(s.send(), "8-9");
}

TEST_P(Sender, DeadlineIsTheTimeoutAfterTheFirstPacketOrTheLastProgress) {
  auto s = sender();
  EXPECT_EQ(s.deadline(), never);
  s.now = 10_us;
  s.post(4);
  EXPECT_EQ(s.deadline(), never);  // posted is not sent
  s.send(1);
  EXPECT_EQ(s.deadline(), 10_us + 4_ms);
  s.now = 20_us;
  s.send();
  EXPECT_EQ(s.deadline(), 10_us + 4_ms);  // sending is no progress
  s.now = 30_us;
  s.ack(2);
  EXPECT_EQ(s.deadline(), 30_us + 4_ms);
  s.now = 40_us;
  s.ack(2);
  s.ack(1);
  s.ack(9);
  EXPECT_EQ(s.deadline(), 30_us + 4_ms);
  s.ack(4);
  EXPECT_EQ(s.deadline(), never);
  s.now = 50_us;
  s.post(1);
  s.send();
  EXPECT_EQ(s.deadline(), 50_us + 4_ms);
}

TEST_P(Sender, NoTimeoutIfItIsSwitchedOff) {
  auto config = plain_config();
  config.rto = never;
  auto s = sender(config);
  s.now = 1_us;
  s.post(4);
  s.send();
  EXPECT_EQ(s.deadline(), never);
}

TEST_P(Sender, TimeoutSendsTheWholeWindowAgainBeforeAnythingNew) {
  auto s = sender();
  s.post(12);
  s.send(10);
  s.ack(3);
  s.now = s.deadline();
  s.timeout();
  EXPECT_EQ(s.deadline(), s.now + 4_ms);
  EXPECT_EQ(s.send(), "timeout 3-8, timeout 9?, 10-11");
}

TEST_P(Sender, TimeoutSendsTheOldestAgain) {
  auto config = plain_config();
  config.timeout_resend = TimeoutResend::oldest;
  auto s = sender(config);
  s.post(12);
  s.send(10);
  s.ack(3);
  s.now = s.deadline();
  s.timeout();
  EXPECT_EQ(s.send(), "timeout 3?, 10-11");
}

TEST_P(Sender, AcksDuringAResendShortenIt) {
  auto s = sender();
  s.post(12);
  s.send(10);
  s.timeout();
  EXPECT_EQ(s.send(2), "timeout 0-1");
  s.ack(1);  // behind
  EXPECT_EQ(s.send(1), "timeout 2");
  s.ack(7);
  EXPECT_EQ(s.send(1), "timeout 7");
  s.ack(10);
  EXPECT_EQ(s.send(), "10-11");
}

TEST_P(Sender, AnAckOfTheLastOfAResendLeavesNothingOfIt) {
  auto config = plain_config();
  config.timeout_resend = TimeoutResend::oldest;
  auto s = sender(config);
  s.post(10);
  s.send();
  s.timeout();
  s.ack(5);  // beyond the end of what is to be sent again
  EXPECT_FALSE(s.can_send());
  s.ack(10);
  EXPECT_FALSE(s.can_send());
}

TEST_P(Sender, ASecondTimeoutStartsOver) {
  auto s = sender();
  s.post(5);
  s.send();
  s.timeout();
  EXPECT_EQ(s.send(3), "timeout 0-2");
  s.timeout();
  EXPECT_EQ(s.send(), "timeout 0?, timeout 1-3, timeout 4?");
}

// Two timeouts without an acknowledgement in between: the first packet asks, for the last may never
// come through, or its turn. An acknowledgement ends that.
TEST_P(Sender, ATimeoutAfterOneInVainAsksAtOnce) {
  auto s = sender();
  s.post(8);
  s.send();
  s.timeout();
  EXPECT_EQ(s.send(1), "timeout 0");
  s.timeout();
  EXPECT_EQ(s.send(1), "timeout 0?");
  s.ack(2);
  EXPECT_EQ(s.send(1), "timeout 2");
  s.timeout();
  EXPECT_EQ(s.send(2), "timeout 2-3");
  s.timeout();
  EXPECT_EQ(s.send(2), "timeout 2?, timeout 3");
}

TEST(SenderRequests, AckIsAskedForAtEveryNthPsn) {
  for (const char* name : {"rnic_sr", "go_back_n", "timeout_only"}) {
    SenderScript s(name, TransportConfig{}, 0xffff00 - 2);
    s.post(512 + 10);
    s.send(2);
    s.ack(2);
    EXPECT_EQ(s.send(500), "2-256, 257?, 258-501") << name;
  }
}

TEST(FindTransport, UnknownNameSaysTheNearest) {
  EXPECT_EQ(find_transport("go_back_n").name, "go_back_n");
  try {
    find_transport("rnic_rs");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "unknown transport 'rnic_rs', did you mean 'rnic_sr'?");
  }
}

}  // namespace
}  // namespace horae::policy::timeout_only_test
