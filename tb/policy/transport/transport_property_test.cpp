// Both halves of each transport over random channels: whatever the network does, every packet is
// delivered once, and nothing is sent that must not be.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/policy/transport/selective.hpp"
#include "horae/policy/transport/spray_sr.hpp"

namespace horae::policy::transport_property_test {
namespace {

/// One direction of a network: every packet may be lost, come twice, and is delayed by a constant
/// and a random part; the random part reorders by up to so many packets.
struct Channel {
  double loss = 0;
  double trimming = 0;  // of data that is not lost
  double marking = 0;   // likewise
  double duplication = 0;
  std::int64_t delay = 0;    // ns
  std::uint32_t jitter = 0;  // ns
};

struct Scenario {
  std::string_view transport;
  TransportConfig config;
  Psn first;
  std::uint32_t packets = 0;
  double message_end = 0;  // probability that a packet ends its message
  Channel data;
  Channel responses;
};

std::string describe(const Scenario& s, std::uint64_t seed) {
  return fmt::format(
      "{} seed {}: {} packets from {:06x}, window {}, ack_every {}, ack_request_every {}, resend "
      "{}; "
      "data loss {} trim {} mark {} dup {} jitter {}; responses loss {} dup {} jitter {}; delay "
      "{}; "
      "reports of {} bits, timer {}",
      s.transport, seed, s.packets, s.first.value(), s.config.window, s.config.ack_every,
      s.config.ack_request_every,
      s.config.timeout_resend == TimeoutResend::window ? "window" : "oldest", s.data.loss,
      s.data.trimming, s.data.marking, s.data.duplication, s.data.jitter, s.responses.loss,
      s.responses.duplication, s.responses.jitter, s.data.delay,
      s.config.parameters.of<SprayParameters>().sack_bits,
      static_cast<int>(s.config.parameters.of<SprayParameters>().timer));
}

/// Course of a run; forbidden events are checked on the way.
struct Totals {
  int losses = 0;  // in either direction, and refusals by the receiver
  int nacks = 0;
  int timeouts = 0;
  int retransmissions = 0;
};

/// Runs a scenario to its end. The sender puts one packet per nanosecond on the wire; packets are
/// posted by whole messages at random moments.
class Simulation {
 public:
  Simulation(const Scenario& scenario, std::uint64_t seed)
      : scenario_(scenario),
        random_(seed, "transport scenario"),
        sender_(find_transport(scenario.transport).make_sender(scenario.config, scenario.first)),
        receiver_(
            find_transport(scenario.transport).make_receiver(scenario.config, scenario.first)),
        selective_(sender_->selective()),
        ends_(scenario.packets),
        in_flight_(scenario.packets),
        delivered_(scenario.packets),
        nacked_(scenario.packets) {
    for (std::uint32_t i = 0; i < scenario.packets; ++i) ends_[i] = random_.chance(s().message_end);
    ends_.back() = true;
  }

  Totals run() {
    for (int steps = 0; acked_ < packets(); ++steps) {
      if (steps > 2'000'000) {
        ADD_FAILURE() << "does not finish: " << acked_ << " acknowledged";
        break;
      }
      if (posted_ < packets() && (sender_->unsent() == 0 || random_.chance(0.01))) post_message();
      step();
      if (testing::Test::HasFailure()) return totals_;
    }
    check_end();
    return totals_;
  }

 private:
  struct Event {
    bool response = false;
    Psn psn{};
    bool ack_request = false;
    bool trimmed = false;
    bool marked = false;
    Response answer{};
    SelectiveReport report{};
  };

  const Scenario& s() const { return scenario_; }
  std::int32_t packets() const { return static_cast<std::int32_t>(s().packets); }
  std::int32_t offset(Psn psn) const { return psn - s().first; }
  bool ends(Psn psn) const { return ends_.at(static_cast<std::size_t>(offset(psn))); }

  void post_message() {
    std::uint32_t n = 0;
    do {
      ++n;
      ++posted_;
    } while (!ends_[static_cast<std::size_t>(posted_ - 1)]);
    sender_->post(n);
  }

  // The earliest of: something arrives, the timer expires, the wire is free.
  void step() {
    const Picoseconds arrival = events_.empty() ? never : events_.begin()->first;
    const Picoseconds deadline = sender_->next_deadline();
    if (find_transport(s().transport).own_timeout == nullptr && deadline != never) {
      ASSERT_GE(deadline, latest_deadline_) << "a deadline came nearer";
      latest_deadline_ = deadline;
    }
    const Picoseconds wire = sender_->can_send() ? std::max(now_, wire_free_) : never;
    const Picoseconds next = std::min({arrival, deadline, wire});
    ASSERT_NE(next, never) << "stands still with " << acked_ << " acknowledged";
    ASSERT_GE(next, now_);
    now_ = next;
    if (next == arrival) {
      const Event event = events_.begin()->second;
      events_.erase(events_.begin());
      event.response ? arrive_at_sender(event) : arrive_at_receiver(event);
    } else if (next == deadline) {
      ++totals_.timeouts;
      sender_->on_timeout(now_);
      ASSERT_TRUE(sender_->can_send());
      if (selective_ != nullptr) {
        ASSERT_FALSE(selective_->given_up().empty());
        for (const Psn psn : selective_->given_up()) flies(psn, false);
        ASSERT_EQ(selective_->in_flight(), flying_);
      }
    } else {
      wire_free_ = now_ + 1_ns;
      transmit();
    }
  }

  void transmit() {
    const Transmission t = sender_->next(now_);
    const std::int32_t at = offset(t.psn);
    ASSERT_LT(at, posted_) << "sends what was never posted";
    // Packets of a served NACK are not called back by an ACK; anything else is.
    const bool committed = t.kind == SendKind::expected || t.kind == SendKind::last;
    ASSERT_GE(at, acked_ - (committed ? static_cast<std::int32_t>(s().config.window) : 0))
        << "sends what is acknowledged";
    if (t.kind == SendKind::fresh) {
      ASSERT_EQ(at, sent_) << "new packets out of order";
      ++sent_;
    } else {
      ASSERT_LT(at, sent_) << "sends again what was never sent";
      ++totals_.retransmissions;
    }
    ASSERT_LE(sent_ - acked_, static_cast<std::int32_t>(s().config.window));
    ASSERT_EQ(sender_->unacked(), static_cast<std::uint32_t>(sent_ - acked_));
    ASSERT_EQ(sender_->unsent(), static_cast<std::uint32_t>(posted_ - sent_));
    if (selective_ != nullptr) {
      ASSERT_FALSE(in_flight_.at(index(t.psn))) << "two copies in flight: " << at;
      ASSERT_TRUE(t.kind == SendKind::fresh || t.ack_request);
      selective_->on_sent(t.psn, payload(t.psn));
      flies(t.psn, true);
      ASSERT_EQ(selective_->in_flight(), flying_);
    }
    launch(s().data, {.psn = t.psn, .ack_request = t.ack_request || ends(t.psn)});
  }

  // ---- of selective transports

  std::size_t index(Psn psn) const { return static_cast<std::size_t>(offset(psn)); }
  // No two sums are alike.
  Bytes payload(Psn psn) const { return Bytes(1000 + offset(psn) % 7); }
  void flies(Psn psn, bool now) {
    if (in_flight_.at(index(psn)) == now) return;
    in_flight_[index(psn)] = now;
    flying_ += now ? payload(psn) : 0_B - payload(psn);
  }
  ReceiveOutcome take(const Event& event) {
    SelectiveReceiver* const receiver = receiver_->selective();
    if (receiver == nullptr)
      return receiver_->on_data(event.psn, event.ack_request, ends(event.psn));
    return receiver->on_arrival({.psn = event.psn,
                                 .ack_request = event.ack_request,
                                 .ends_message = ends(event.psn),
                                 .marked = event.marked,
                                 .trimmed = event.trimmed});
  }
  // Nothing is reported that is not there.
  void check_report(const SelectiveReport& report) {
    for (unsigned i = 0; i < report.bits; ++i) {
      if (!report.test(i)) continue;
      const std::int32_t at = offset(report.first + static_cast<std::int32_t>(i));
      ASSERT_TRUE(at >= 0 && at < packets() && delivered_[static_cast<std::size_t>(at)] == 1) << at;
    }
  }
  AckOutcome hear(const Event& event) {
    if (selective_ == nullptr) {
      const Response& response = event.answer;
      if (response.received) sender_->on_received(*response.received);
      return response.nack ? sender_->on_nack(response.psn, now_)
                           : sender_->on_ack(response.psn, now_);
    }
    const SelectiveReport& report = event.report;
    SelectiveOutcome out = selective_->on_report(event.answer.psn, report, now_);
    for (std::int32_t i = acked_; i < offset(event.answer.psn); ++i) flies(s().first + i, false);
    for (unsigned i = 0; i < report.bits; ++i) {
      if (report.test(i)) flies(report.first + static_cast<std::int32_t>(i), false);
    }
    flies(report.cause, false);
    EXPECT_EQ(selective_->in_flight(), flying_);
    if (event.answer.nack && sender_->accepts_nack(report.cause)) {
      out.ack.served = true;
      sender_->retransmit(report.cause, now_);
    }
    return out.ack;
  }

  void launch(const Channel& channel, Event event) {
    if (channel.marking > 0) event.marked = random_.chance(channel.marking);
    if (channel.trimming > 0) event.trimmed = random_.chance(channel.trimming);
    const int copies = random_.chance(channel.duplication) ? 2 : 1;
    for (int i = 0; i < copies; ++i) {
      if (random_.chance(channel.loss)) {
        ++totals_.losses;
        continue;
      }
      const std::int64_t jitter = channel.jitter == 0 ? 0 : random_.below(channel.jitter + 1);
      events_.emplace(now_ + Picoseconds(1000 * (channel.delay + jitter)), event);
    }
  }

  void arrive_at_receiver(const Event& event) {
    const std::int32_t at = offset(event.psn);
    const std::int32_t expected = offset(receiver_->expected_psn());
    const ReceiveOutcome out = take(event);
    ASSERT_EQ(out.ahead, at - expected);
    auto& count = delivered_.at(static_cast<std::size_t>(at));
    switch (out.placement) {
      case Placement::deliver:
        ++count;
        break;
      case Placement::duplicate:
        ASSERT_EQ(count, 1) << "refused as known: " << at;
        break;
      case Placement::discard:
        ASSERT_EQ(count, 0) << "refused: " << at;
        ASSERT_TRUE(s().transport == "go_back_n" || event.trimmed);
        ++totals_.losses;
        break;
    }
    ASSERT_LE(count, 1) << "delivered twice: " << at;

    const std::int32_t next = offset(receiver_->expected_psn());
    ASSERT_EQ(next, expected + static_cast<std::int32_t>(out.advanced));
    for (std::int32_t i = expected; i < next; ++i) {
      ASSERT_EQ(delivered_[static_cast<std::size_t>(i)], 1) << "passed but not delivered: " << i;
      messages_ += ends_[static_cast<std::size_t>(i)] ? 1 : 0;
    }
    ASSERT_TRUE(next == packets() || delivered_[static_cast<std::size_t>(next)] == 0)
        << "delivered but not passed: " << next;
    if (out.response) check_response(*out.response, next);
  }

  void check_response(const Response& response, std::int32_t expected) {
    Event event{.response = true, .answer = response};
    if (SelectiveReceiver* const receiver = receiver_->selective()) {
      event.report = receiver->report();
      check_report(event.report);
      ASSERT_EQ(response.nack, event.report.trimmed);
    }
    ASSERT_EQ(offset(response.psn), expected);
    ASSERT_EQ(response.msn, messages_);
    if (response.nack) {
      ++totals_.nacks;
      ASSERT_NE(s().transport, "timeout_only");
      auto&& before = nacked_.at(static_cast<std::size_t>(expected));
      ASSERT_FALSE(before && s().transport != "irn" && selective_ == nullptr)
          << "second NACK for " << expected;
      before = true;
      ASSERT_EQ(response.received.has_value(), s().transport == "irn");
    }
    launch(s().responses, event);
  }

  void arrive_at_sender(const Event& event) {
    const Response& response = event.answer;
    const AckOutcome out = hear(event);
    const std::int32_t acked = std::max(acked_, offset(response.psn));
    ASSERT_EQ(out.newly_acked, static_cast<std::uint32_t>(acked - acked_));
    ASSERT_TRUE(response.nack || !out.served);
    acked_ = acked;
  }

  void check_end() {
    EXPECT_EQ(acked_, packets());
    EXPECT_EQ(sent_, packets());
    EXPECT_EQ(sender_->unacked(), 0u);
    EXPECT_EQ(sender_->unsent(), 0u);
    EXPECT_EQ(sender_->next_deadline(), never);
    // Nothing is left to send but what a served NACK brought before the last ACK came.
    for (int i = 0; i < packets() && sender_->can_send(); ++i) {
      const SendKind kind = sender_->next(now_).kind;
      EXPECT_TRUE(kind == SendKind::expected || kind == SendKind::last);
    }
    EXPECT_FALSE(sender_->can_send());
    EXPECT_EQ(offset(receiver_->expected_psn()), packets());
    for (const int count : delivered_) EXPECT_EQ(count, 1);
  }

  const Scenario& scenario_;
  RandomStream random_;
  std::unique_ptr<TransportSender> sender_;
  std::unique_ptr<TransportReceiver> receiver_;
  SelectiveSender* selective_;                // the same sender; null: it is none
  std::multimap<Picoseconds, Event> events_;  // equal times in the order of their launch
  Picoseconds now_{};
  Picoseconds wire_free_{};
  Picoseconds latest_deadline_{};
  std::int32_t posted_ = 0;
  std::int32_t sent_ = 0;
  std::int32_t acked_ = 0;  // of which the sender has heard
  std::uint32_t messages_ = 0;
  std::vector<bool> ends_;
  std::vector<bool> in_flight_;
  Bytes flying_{};  // payload of those
  std::vector<int> delivered_;
  std::vector<bool> nacked_;
  Totals totals_;
};

/// Everything but the channels at random.
Scenario draw(std::string_view transport, std::uint64_t seed) {
  RandomStream random(seed, "scenario");
  Scenario s;
  s.transport = transport;
  constexpr std::uint32_t windows[] = {1, 2, 3, 8, 31, 32, 63, 64, 65, 100, 128, 511, 512};
  s.config.window =
      random.chance(0.5) ? windows[random.below(std::size(windows))] : 1 + random.below(512);
  s.config.ack_every = random.chance(0.3) ? 32 : 1 + random.below(64);
  s.config.ack_request_every = random.chance(0.5) ? 0 : 1 + random.below(300);
  s.config.timeout_resend = random.chance(0.5) ? TimeoutResend::window : TimeoutResend::oldest;
  s.packets = 1 + random.below(random.chance(0.2) ? 1500 : 200);
  // Mostly such that the numbers end, or change their sign, on the way.
  const std::uint32_t around[] = {0, 0x800000, random.bits()};
  s.first = Psn(around[random.below(3)]) - static_cast<std::int32_t>(random.below(s.packets + 1));
  s.message_end = random.chance(0.2) ? 1.0 : random.unit() * 0.3;
  s.data.delay = s.responses.delay = random.below(1000);
  // Longer than anything without a loss can take.
  s.config.rto = Picoseconds(1000 * 100 * (2000 + 512));
  auto& spray = s.config.parameters.of<SprayParameters>();
  spray.sack_bits = 64 + random.below(193);
  spray.timer = static_cast<SendTimer>(random.below(3));
  return s;
}

class Transports : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(All, Transports,
                         testing::Values("rnic_sr", "go_back_n", "timeout_only", "irn", "spray_sr"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Transports, AnOrderlyLosslessChannelSeesEachPacketOnce) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Scenario s = draw(GetParam(), seed);
    const Totals totals = Simulation(s, seed).run();
    EXPECT_EQ(totals.retransmissions, 0);
    EXPECT_EQ(totals.nacks, 0);
    EXPECT_EQ(totals.timeouts, 0);
    ASSERT_FALSE(HasFailure()) << describe(s, seed);
  }
}

TEST_P(Transports, ReorderingAndDuplicationNeedNoTimeout) {
  int nacks = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Scenario s = draw(GetParam(), seed);
    RandomStream random(seed, "channels");
    s.data.jitter = 1 + random.below(random.chance(0.5) ? 4 : 600);
    s.responses.jitter = random.below(600);
    s.data.duplication = random.unit() * 0.3;
    s.responses.duplication = random.unit() * 0.3;
    const Totals totals = Simulation(s, seed).run();
    nacks += totals.nacks;
    // Go-back-N throws away what is out of order: that counts as lost.
    if (totals.losses == 0) {
      EXPECT_EQ(totals.timeouts, 0);
    }
    ASSERT_FALSE(HasFailure()) << describe(s, seed);
  }
  const std::string_view name = GetParam();
  EXPECT_EQ(nacks > 0, name != "timeout_only" && name != "spray_sr");
}

TEST_P(Transports, LossesAreRepairedAndNothingIsDeliveredTwice) {
  int timeouts = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Scenario s = draw(GetParam(), seed);
    RandomStream random(seed, "channels");
    s.data.loss = random.chance(0.3) ? 0.001 : random.unit() * 0.3;
    s.responses.loss = random.chance(0.3) ? 0.0 : random.unit() * 0.3;
    s.data.duplication = random.chance(0.5) ? 0.0 : random.unit() * 0.2;
    s.responses.duplication = random.chance(0.5) ? 0.0 : random.unit() * 0.2;
    s.data.jitter = random.chance(0.5) ? 0 : random.below(300);
    s.responses.jitter = random.chance(0.5) ? 0 : random.below(300);
    const Totals totals = Simulation(s, seed).run();
    if (totals.losses == 0) {
      EXPECT_EQ(totals.timeouts, 0);
    }
    timeouts += totals.timeouts;
    ASSERT_FALSE(HasFailure()) << describe(s, seed);
  }
  EXPECT_GT(timeouts, 0);  // the scenarios do exercise them
}

// NACKs alone repair what switches cut, also what is cut again; marks change nothing.
TEST(SelectiveTransports, WhatIsTrimmedNeedsNoTimeout) {
  int nacks = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Scenario s = draw("spray_sr", seed);
    RandomStream random(seed, "channels");
    s.data.trimming = random.unit() * 0.4;
    s.data.marking = random.unit();
    s.data.duplication = random.chance(0.5) ? 0.0 : random.unit() * 0.2;
    s.data.jitter = random.chance(0.5) ? 0 : random.below(300);
    const Totals totals = Simulation(s, seed).run();
    EXPECT_EQ(totals.timeouts, 0);
    nacks += totals.nacks;
    ASSERT_FALSE(HasFailure()) << describe(s, seed);
  }
  EXPECT_GT(nacks, 10000);
}

TEST(SelectiveTransports, LossesAmongTrimmedPacketsAreRepaired) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Scenario s = draw("spray_sr", seed);
    RandomStream random(seed, "channels");
    s.data.loss = random.unit() * 0.2;
    s.data.trimming = random.unit() * 0.2;
    s.data.marking = random.unit() * 0.2;
    s.responses.loss = random.unit() * 0.2;
    s.data.jitter = random.below(300);
    s.responses.jitter = random.below(300);
    Simulation(s, seed).run();
    ASSERT_FALSE(HasFailure()) << describe(s, seed);
  }
}

}  // namespace
}  // namespace horae::policy::transport_property_test
