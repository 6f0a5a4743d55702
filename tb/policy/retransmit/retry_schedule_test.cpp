// When the retransmission timer of a queue pair runs out, and when it gives up.
#include "horae/policy/transport/retry_schedule.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "horae/core/error.hpp"

namespace horae::policy {
namespace {

constexpr Picoseconds unit{4'096'000};  // of IBTA's ACK timeout

/// The intervals until it gives up, or the first `most`.
std::vector<Picoseconds> intervals(const TransportConfig& config, std::size_t most = 64) {
  RetrySchedule schedule(config);
  std::vector<Picoseconds> all;
  while (all.size() < most && !schedule.exhausted()) {
    all.push_back(schedule.interval());
    schedule.ran_out();
  }
  return all;
}

TEST(RetrySchedule, WithoutTheKeysThereIsNone) {
  EXPECT_FALSE(RetrySchedule::asked_for({}));
  EXPECT_EQ(TransportConfig().timeout(), TransportConfig().rto);
}

TEST(RetrySchedule, RetriesAloneAreRtoApart) {
  TransportConfig config;
  config.retry_count = 3;
  EXPECT_EQ(intervals(config), std::vector<Picoseconds>(4, config.rto));
  EXPECT_EQ(RetrySchedule(config).to_error(), config.rto * 4);
}

TEST(RetrySchedule, TheFirstTimeoutOfNoRetriesIsTheError) {
  TransportConfig config;
  config.retry_count = 0;
  EXPECT_EQ(intervals(config).size(), 1u);
}

TEST(RetrySchedule, TheIntervalIsItsPowerOfTwo) {
  for (const std::uint32_t exponent : {1u, 8u, 14u, 31u}) {
    TransportConfig config;
    config.ack_timeout = exponent;
    EXPECT_EQ(config.timeout(), unit * (std::int64_t{1} << exponent));
    EXPECT_EQ(RetrySchedule(config).interval(), config.timeout());
    config.ack_timeout_factor = 2;
    EXPECT_EQ(config.timeout(), unit * (std::int64_t{2} << exponent));
  }
}

TEST(RetrySchedule, TheFloorCountsBelowItOnly) {
  for (std::uint32_t exponent = 1; exponent <= 20; ++exponent) {
    TransportConfig config;
    config.ack_timeout = exponent;
    config.ack_timeout_floor = 16;
    EXPECT_EQ(config.timeout(), unit * (std::int64_t{1} << std::max(exponent, 16u)));
  }
}

TEST(RetrySchedule, ZeroIsNoTimerWhateverElseIsGiven) {
  TransportConfig config;
  config.ack_timeout = 0;
  config.ack_timeout_floor = 16;
  config.adaptive_timeout = 10_us;
  config.retry_count = 7;
  RetrySchedule schedule(config);
  EXPECT_EQ(schedule.interval(), never);
  EXPECT_EQ(schedule.to_error(), never);
}

TEST(RetrySchedule, AdaptiveIntervalsDoubleUpToHalfTheWholeOneAndAreNotRetries) {
  TransportConfig config;
  config.ack_timeout = 8;
  config.adaptive_timeout = unit * 4;
  config.retry_count = 1;
  const std::vector<Picoseconds> expected = {unit * 4,  unit * 8,   unit * 16,  unit * 32,
                                             unit * 64, unit * 128, unit * 256, unit * 256};
  EXPECT_EQ(intervals(config), expected);
  EXPECT_EQ(RetrySchedule(config).adaptive(), 6u);
  EXPECT_EQ(RetrySchedule(config).to_error(), unit * (252 + 512));
  config.adaptive_limit = unit * 31;
  EXPECT_EQ(RetrySchedule(config).adaptive(), 3u);
}

TEST(RetrySchedule, TheRampHalvesTheFirstCountedIntervals) {
  TransportConfig config;
  config.ack_timeout = 4;
  config.ack_timeout_ramp = 2;
  config.retry_count = 3;
  EXPECT_EQ(intervals(config),
            (std::vector<Picoseconds>{unit * 4, unit * 8, unit * 16, unit * 16}));
}

TEST(RetrySchedule, AnAnswerBeginsItAnew) {
  TransportConfig config;
  config.ack_timeout = 6;
  config.adaptive_timeout = unit * 8;
  config.retry_count = 0;
  RetrySchedule schedule(config);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(schedule.interval(), unit * 8);
    for (int i = 0; i < 3; ++i) schedule.ran_out();
    EXPECT_EQ(schedule.interval(), unit * 64);
    EXPECT_FALSE(schedule.exhausted());
    schedule.answered();
  }
  for (int i = 0; i < 4; ++i) schedule.ran_out();
  EXPECT_TRUE(schedule.exhausted());
}

TEST(RetrySchedule, EverySenderWithoutPacketTimersGivesUp) {
  for (const TransportEntry& transport : transports()) {
    TransportConfig config;
    config.window = 16;
    config.ack_timeout = 4;
    config.retry_count = 2;
    if (!transport.retries) {
      EXPECT_THROW(check_timeouts(transport, config), InputError) << transport.name;
      continue;
    }
    EXPECT_NO_THROW(check_timeouts(transport, config));
    const auto sender = transport.make_sender(config, Psn(0xfffffe));
    sender->post(8);
    Picoseconds now = 1_us;
    while (sender->can_send()) sender->next(now);
    for (int timeout = 0; timeout < 3; ++timeout) {
      EXPECT_FALSE(sender->exhausted()) << transport.name;
      if (sender->next_deadline() == never) break;
      now = sender->next_deadline();
      sender->on_timeout(now);
      while (!sender->exhausted() && sender->can_send()) sender->next(now);
    }
    EXPECT_TRUE(sender->exhausted()) << transport.name;
    sender->abandon();
    EXPECT_FALSE(sender->can_send()) << transport.name;
    EXPECT_EQ(sender->unsent() + sender->unacked(), 0u) << transport.name;
    EXPECT_EQ(sender->next_deadline(), never) << transport.name;
    // Packets under way may be answered yet.
    EXPECT_EQ(sender->on_ack(Psn(0xffffff), now).newly_acked, 0u) << transport.name;
    EXPECT_FALSE(sender->on_nack(Psn(0xffffff), now).served) << transport.name;
    EXPECT_FALSE(sender->can_send()) << transport.name;
  }
}

}  // namespace
}  // namespace horae::policy
