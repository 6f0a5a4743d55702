// spray_sr: when its receiver answers and what it reports; what its sender makes of that, and of
// silence.
#include "horae/policy/transport/spray_sr.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <memory>
#include <string>
#include <string_view>

#include "horae/policy/state_fields.hpp"
#include "horae/policy/transport/selective.hpp"
#include "transport_script.hpp"

namespace horae::policy::spray_sr_test {
namespace {

TransportConfig config_of(std::uint32_t ack_every, std::uint32_t window = 512,
                          SprayParameters own = {}) {
  TransportConfig config = plain_config();
  config.ack_every = ack_every;
  config.window = window;
  config.rto = 100_us;
  config.parameters.of<SprayParameters>() = own;
  return config;
}

/// A receiver; PSNs are offsets from the first one.
class Receiver {
 public:
  Receiver(const TransportConfig& config, std::uint32_t first)
      : first_(first), made_(find_transport("spray_sr").make_receiver(config, first_)) {}

  /// Packets arrive: "0 2-5 7?", with `?` for AckReq, `.` for the end of a message, `!` for CE and
  /// `x` for one that was trimmed. Gives the answers, as "ack 6 of 5 [7 9-10]": the expected PSN,
  /// the cause, and what is reported from the expected one on.
  std::string arrive(std::string_view packets) {
    std::string said;
    const char* at = packets.data();
    const char* const end = at + packets.size();
    while (at != end) {
      std::int32_t from = 0;
      at = std::from_chars(at, end, from).ptr;
      std::int32_t to = from;
      if (at != end && *at == '-') at = std::from_chars(at + 1, end, to).ptr;
      Arrival a;
      for (; at != end && *at != ' '; ++at) {
        (*at == '?'   ? a.ack_request
         : *at == '.' ? a.ends_message
         : *at == '!' ? a.marked
                      : a.trimmed) = true;
      }
      for (; at != end && *at == ' '; ++at) {
      }
      for (std::int32_t i = from; i <= to; ++i) {
        a.psn = first_ + i;
        last = made_->selective()->on_arrival(a);
        if (last.response) said += (said.empty() ? "" : ", ") + text();
      }
    }
    return said;
  }
  const SelectiveReport& report() { return made_->selective()->report(); }
  std::int32_t from() { return report().first - first_; }

  ReceiveOutcome last;

 private:
  std::string text() {
    const SelectiveReport& r = report();
    std::string bits;
    const std::int32_t expected = last.response->psn - first_;
    for (unsigned i = 0, run = 0; i <= r.bits; ++i) {
      const std::int32_t psn = from() + static_cast<std::int32_t>(i);
      const bool there = i < r.bits && r.test(i) && psn >= expected;
      if (there && run++ == 0) bits += fmt::format("{}{}", bits.empty() ? "" : " ", psn);
      if (!there && run > 1) bits += fmt::format("-{}", psn - 1);
      if (!there) run = 0;
    }
    return fmt::format("{} {} of {}{}", last.response->nack ? "nack" : "ack", expected,
                       r.cause - first_, bits.empty() ? "" : " [" + bits + "]");
  }

  Psn first_;
  std::unique_ptr<TransportReceiver> made_;
};

class SprayReceiver : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Psns, SprayReceiver, starting_psns(), psn_name);

TEST_P(SprayReceiver, AnswersEveryPacketInAnyOrder) {
  Receiver r(config_of(1), GetParam());
  EXPECT_EQ(r.arrive("0 3 1 5 2 4"),
            "ack 1 of 0, ack 1 of 3 [3], ack 2 of 1 [3], ack 2 of 5 [3 5], ack 4 of 2 [5], "
            "ack 6 of 4");
  EXPECT_EQ(r.last.advanced, 2u);
}

// One answer for four packets, in any order; the first packet of the connection has its own.
TEST_P(SprayReceiver, CoalescesPacketsAndNotInOrderPackets) {
  Receiver r(config_of(4), GetParam());
  EXPECT_EQ(r.arrive("0"), "ack 1 of 0");
  EXPECT_EQ(r.arrive("1-3 4"), "ack 5 of 4");
  EXPECT_EQ(r.arrive("6-8"), "");
  EXPECT_EQ(r.arrive("9"), "ack 5 of 9 [6-9]");
  EXPECT_EQ(r.arrive("11 12 10 5"), "ack 13 of 5");
}

TEST_P(SprayReceiver, TheFirstPacketToArriveIsAnsweredWhicheverItIs) {
  Receiver r(config_of(16), GetParam());
  EXPECT_EQ(r.arrive("3 0 1"), "ack 0 of 3 [3]");
}

// The answer to a mark does not wait, tells of nothing before its cause, and begins the count anew.
TEST_P(SprayReceiver, AMarkIsAnsweredAtOnce) {
  Receiver r(config_of(4), GetParam());
  EXPECT_EQ(r.arrive("0 2 3"), "ack 1 of 0");
  EXPECT_EQ(r.arrive("4!"), "ack 1 of 4 [4]");
  EXPECT_EQ(r.from(), 4);
  EXPECT_EQ(r.arrive("5 6 7"), "");
  EXPECT_EQ(r.arrive("8"), "ack 1 of 8 [2-8]");
}

// A packet that requests an ACK is answered at once, and once more when the last hole closes.
TEST_P(SprayReceiver, WhatAskedIsAnsweredAgainWhenTheLastHoleCloses) {
  Receiver r(config_of(16), GetParam());
  EXPECT_EQ(r.arrive("0 2 4?"), "ack 1 of 0, ack 1 of 4 [4]");
  EXPECT_EQ(r.arrive("1"), "");  // 3 is missing still
  EXPECT_EQ(r.arrive("3"), "ack 5 of 3");
  EXPECT_EQ(r.arrive("6 5"), "");  // nobody has asked since
  EXPECT_EQ(r.arrive("7?"), "ack 8 of 7");
  EXPECT_EQ(r.arrive("9 8"), "");  // that one left nothing open
}

TEST_P(SprayReceiver, TheEndOfAMessageAsks) {
  Receiver r(config_of(16), GetParam());
  EXPECT_EQ(r.arrive("0 1 2."), "ack 1 of 0, ack 3 of 2");
  EXPECT_EQ(r.last.response->msn, 1u);
  EXPECT_EQ(r.arrive("4. 3"), "ack 3 of 4 [4], ack 5 of 3");
  EXPECT_EQ(r.last.response->msn, 2u);
}

TEST_P(SprayReceiver, DuplicatesAreAnsweredAlways) {
  Receiver r(config_of(16), GetParam());
  r.arrive("0 1 3");
  EXPECT_EQ(r.arrive("1"), "ack 2 of 1 [3]");
  EXPECT_EQ(r.last.placement, Placement::duplicate);
  EXPECT_EQ(r.arrive("3"), "ack 2 of 3 [3]");
  EXPECT_EQ(r.last.placement, Placement::duplicate);
}

// A NACK names what was cut, which must come again; what had arrived before is a duplicate.
TEST_P(SprayReceiver, ATrimmedPacketIsAnsweredByANack) {
  Receiver r(config_of(16), GetParam());
  EXPECT_EQ(r.arrive("0 2x"), "ack 1 of 0, nack 1 of 2");
  EXPECT_EQ(r.last.placement, Placement::discard);
  EXPECT_TRUE(r.report().trimmed);
  EXPECT_EQ(r.arrive("2x 1x"), "nack 1 of 2, nack 1 of 1");
  EXPECT_EQ(r.arrive("1 2"), "");
  EXPECT_EQ(r.last.advanced, 1u);
  EXPECT_EQ(r.arrive("2x"), "ack 3 of 2");
  EXPECT_EQ(r.last.placement, Placement::duplicate);
}

// 64 packets that end with the cause, or as many as there are behind the expected one.
TEST_P(SprayReceiver, ABitmapEndsWithItsCause) {
  Receiver r(config_of(1), GetParam());
  r.arrive("0 2-80");
  EXPECT_EQ(r.from(), 80 - 63);
  EXPECT_EQ(r.arrive("81"), "ack 1 of 81 [18-81]");
  EXPECT_EQ(r.arrive("20"), "ack 1 of 20 [2-65]");
  EXPECT_EQ(r.from(), 2);
}

TEST_P(SprayReceiver, ABitmapHasTheBitsItIsGiven) {
  for (const std::uint32_t bits : {64u, 100u, 128u, 256u}) {
    Receiver r(config_of(1, 512, {.sack_bits = bits}), GetParam());
    r.arrive("0 2-400");
    EXPECT_EQ(r.arrive("401"), fmt::format("ack 1 of 401 [{}-401]", 402 - bits));
    EXPECT_EQ(r.report().wire_bytes(), 4 + (bits + 7) / 8);
  }
}

// The ring of bits is no larger than the window: what lies outside of it must not show.
TEST_P(SprayReceiver, NothingBeyondTheWindowIsReported) {
  Receiver r(config_of(1, 64), GetParam());
  EXPECT_EQ(r.arrive("0 1 40 64?"), "ack 1 of 0, ack 2 of 1, ack 2 of 40 [40], ack 2 of 64 [64]");
  EXPECT_EQ(r.arrive("1"), "ack 2 of 1 [40 64]");
  EXPECT_EQ(r.arrive("66"), "");
  EXPECT_EQ(r.last.placement, Placement::discard);
}

/// A sender whose packets have 1000 bytes; PSNs are offsets from the first one.
class Sender {
 public:
  Sender(const TransportConfig& config, std::uint32_t first)
      : first_(first), made_(find_transport("spray_sr").make_sender(config, first_)) {}

  void post(std::uint32_t packets) { made_->post(packets); }
  /// Packets that it sends at `now`, a nanosecond apart: "0 1? trimmed 3?".
  std::string send(int packets = 1 << 20) {
    std::string sent;
    while (packets-- > 0 && made_->can_send()) {
      const Transmission t = made_->next(now);
      s().on_sent(t.psn, 1000_B);
      sent += fmt::format("{}{}{}{}", sent.empty() ? "" : " ",
                          t.kind == SendKind::fresh     ? ""
                          : t.kind == SendKind::trimmed ? "trimmed "
                                                        : "timeout ",
                          t.psn - first_, t.ack_request ? "?" : "");
      now += 1_ns;
    }
    return sent;
  }
  /// A report of these packets, or of a cause alone.
  SelectiveOutcome ack(std::int32_t expected, std::int32_t cause,
                       std::initializer_list<std::int32_t> more = {}) {
    return s().on_report(first_ + expected, report(cause, more), now);
  }
  SelectiveOutcome bare_ack(std::int32_t expected) {
    return s().on_report(first_ + expected, {}, now);
  }
  SelectiveOutcome nack(std::int32_t expected, std::int32_t cause) {
    SelectiveReport r = report(cause, {});
    r.trimmed = true;
    const auto out = s().on_report(first_ + expected, r, now);
    if (made_->accepts_nack(first_ + cause)) made_->retransmit(first_ + cause, now);
    return out;
  }
  std::string timeout() {
    made_->on_timeout(now);
    std::string out;
    for (const Psn psn : s().given_up())
      out += fmt::format("{}{}", out.empty() ? "" : " ", psn - first_);
    return out;
  }
  std::int64_t in_flight() const { return made_->selective()->in_flight().count() / 1000; }
  Picoseconds deadline() const { return made_->next_deadline(); }
  std::uint32_t unacked() const { return made_->unacked(); }

  Picoseconds now{};

 private:
  SelectiveSender& s() { return *made_->selective(); }
  SelectiveReport report(std::int32_t cause, std::initializer_list<std::int32_t> more) const {
    SelectiveReport r;
    r.cause = first_ + cause;
    r.bits = 64;
    r.first = first_ + (more.size() == 0 ? cause : *more.begin());
    for (const std::int32_t psn : more) r.set(static_cast<unsigned>(first_ + psn - r.first));
    return r;
  }

  Psn first_;
  std::unique_ptr<TransportSender> made_;
};

class SpraySender : public testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Psns, SpraySender, starting_psns(), psn_name);

TEST_P(SpraySender, BytesReportedCountOnceHoweverTheyAreReported) {
  Sender s(config_of(1), GetParam());
  s.post(10);
  EXPECT_EQ(s.send(), "0 1 2 3 4 5 6 7 8 9");
  EXPECT_EQ(s.in_flight(), 10);
  EXPECT_EQ(s.ack(0, 5).delivered, 1000_B);
  EXPECT_EQ(s.ack(0, 7, {5, 6, 7}).delivered, 2000_B);
  EXPECT_EQ(s.in_flight(), 7);
  const auto out = s.ack(6, 4);
  EXPECT_EQ(out.ack.newly_acked, 6u);
  EXPECT_EQ(out.delivered, 5000_B);
  EXPECT_EQ(s.in_flight(), 2);
  EXPECT_EQ(s.unacked(), 4u);
  EXPECT_EQ(s.ack(3, 5).delivered, 0_B);  // an old one
  EXPECT_EQ(s.ack(10, 9).delivered, 2000_B);
  EXPECT_EQ(s.in_flight(), 0);
  EXPECT_EQ(s.deadline(), never);
}

// A cut packet is sent again at once, before anything new, and requests an ACK; what is reported
// meanwhile is not.
TEST_P(SpraySender, ANackSendsItsPacketAgainAndNothingElse) {
  Sender s(config_of(1), GetParam());
  s.post(6);
  EXPECT_EQ(s.send(4), "0 1 2 3");
  EXPECT_EQ(s.nack(0, 2).lost, 1000_B);
  EXPECT_EQ(s.in_flight(), 3);
  EXPECT_EQ(s.send(), "trimmed 2? 4 5");
  EXPECT_EQ(s.in_flight(), 6);
  EXPECT_EQ(s.nack(0, 1).lost, 1000_B);
  EXPECT_EQ(s.ack(0, 1).delivered, 1000_B);
  EXPECT_EQ(s.send(), "");
  EXPECT_EQ(s.nack(0, 1).lost, 0_B);
  EXPECT_EQ(s.send(), "");
  EXPECT_EQ(s.in_flight(), 5);
}

// Each packet by its own time of sending, whatever is acknowledged meanwhile; nothing else goes.
TEST_P(SpraySender, EachPacketHasATimerOfItsOwn) {
  Sender s(config_of(1), GetParam());
  s.post(4);
  s.now = 7_ns;
  s.send();
  EXPECT_EQ(s.deadline(), 7_ns + 100_us);
  s.now = 50_us;
  s.ack(0, 1);
  EXPECT_EQ(s.deadline(), 7_ns + 100_us);
  s.ack(2, 0);
  EXPECT_EQ(s.deadline(), 9_ns + 100_us);
  s.now = s.deadline();
  EXPECT_EQ(s.timeout(), "2");
  EXPECT_EQ(s.in_flight(), 1);
  EXPECT_EQ(s.deadline(), 10_ns + 100_us);
  EXPECT_EQ(s.send(), "timeout 2?");
  s.now = 10_ns + 100_us;
  EXPECT_EQ(s.timeout(), "3");
  EXPECT_EQ(s.send(), "timeout 3?");
  // No back-off: the same time again, from when it was sent again.
  EXPECT_EQ(s.deadline(), 9_ns + 200_us);
  s.now = 150_us;
  // A late answer to the first copy is as good as one to the second.
  EXPECT_EQ(s.ack(4, 3).delivered, 2000_B);
  EXPECT_EQ(s.in_flight(), 0);
  EXPECT_EQ(s.deadline(), never);
}

TEST_P(SpraySender, APacketThatWaitsToBeSentAgainHasNoTimer) {
  Sender s(config_of(1), GetParam());
  s.post(1);
  s.send();
  s.now = 100_us;
  EXPECT_EQ(s.timeout(), "0");
  EXPECT_EQ(s.deadline(), never);
  s.now = 300_us;
  EXPECT_EQ(s.send(), "timeout 0?");
  EXPECT_EQ(s.deadline(), 400_us);
}

// Sixteen PSNs share a time, that of the last sending; all of them that wait go again.
TEST_P(SpraySender, ATimePerGroupGivesUpTheGroup) {
  Sender s(config_of(1, 512, {.timer = SendTimer::group}), 0x1000 + (GetParam() & ~15u));
  s.post(40);
  s.send();  // 0-15 at 0 to 15 ns, and so on
  EXPECT_EQ(s.deadline(), 15_ns + 100_us);
  s.now = 20_us;
  s.nack(0, 3);
  EXPECT_EQ(s.send(), "trimmed 3?");
  EXPECT_EQ(s.deadline(), 31_ns + 100_us);
  s.ack(3, 2, {4, 5, 6, 7, 8, 9, 10, 11, 12});
  s.ack(3, 30, {18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30});
  s.now = s.deadline();
  EXPECT_EQ(s.timeout(), "16 17 31");
  EXPECT_EQ(s.deadline(), 39_ns + 100_us);
  s.now = s.deadline();
  EXPECT_EQ(s.timeout(), "32 33 34 35 36 37 38 39");
  s.now = s.deadline();
  EXPECT_EQ(s.now, 120_us);
  EXPECT_EQ(s.timeout(), "3 13 14 15");
}

// One time: since anything was acknowledged last. The oldest one goes again.
TEST_P(SpraySender, ATimePerConnectionGivesUpTheOldest) {
  Sender s(config_of(1, 512, {.timer = SendTimer::connection}), GetParam());
  s.post(4);
  s.send();
  EXPECT_EQ(s.deadline(), 100_us);
  s.now = 60_us;
  s.ack(1, 0);
  s.ack(1, 2);
  EXPECT_EQ(s.deadline(), 160_us);
  s.now = 70_us;
  s.ack(1, 2);  // no news
  EXPECT_EQ(s.deadline(), 160_us);
  s.now = 160_us;
  EXPECT_EQ(s.timeout(), "1");
  EXPECT_EQ(s.send(), "timeout 1?");
  EXPECT_EQ(s.deadline(), 260_us);
  s.now = 260_us;
  EXPECT_EQ(s.timeout(), "1");
}

TEST_P(SpraySender, WithoutAReportItHearsOnlyWhatIsExpected) {
  Sender s(config_of(1), GetParam());
  s.post(3);
  s.send();
  EXPECT_EQ(s.bare_ack(0).delivered, 0_B);
  EXPECT_EQ(s.in_flight(), 3);
  EXPECT_EQ(s.bare_ack(1).delivered, 1000_B);
  EXPECT_EQ(s.in_flight(), 2);
}

TEST_P(SpraySender, WhatClosesItsWindowAsks) {
  Sender s(config_of(1, 4), GetParam());
  s.post(6);
  EXPECT_EQ(s.send(), "0 1 2 3?");
  s.ack(0, 2);  // out of order: the window of PSNs stands
  EXPECT_EQ(s.send(), "");
  s.ack(1, 0);
  EXPECT_EQ(s.send(), "4?");
}

TEST(SpraySr, ItsStateIsThatOfItsTimers) {
  const auto bits = [](SendTimer timer, std::uint32_t window) {
    std::uint64_t sum = 0;
    for (const auto& field :
         find_transport("spray_sr").state(config_of(1, window, {.timer = timer}))) {
      sum += field.bits;
    }
    return sum;
  };
  EXPECT_EQ(bits(SendTimer::packet, 256) - bits(SendTimer::connection, 256), 255u * 32);
  EXPECT_EQ(bits(SendTimer::group, 256) - bits(SendTimer::connection, 256), 16u * 32);
  EXPECT_EQ(bits(SendTimer::connection, 256), 2u * 256 + 32 + 48 + 23);
}

}  // namespace
}  // namespace horae::policy::spray_sr_test
