// mprdma and constant: windows against what their rules add up to.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>

#include "horae/policy/congestion/mprdma.hpp"

namespace horae::policy::mprdma_window_test {
namespace {

MpRdmaReaction window_of(Bytes initial, Bytes most = Bytes(1'000'000)) {
  return {{.packet = 1000_B, .initial_window = initial, .max_window = most}, 100_Gbps, 1_KiB};
}

// w grows by n * packet / w per n bytes: w^2 by 2 * packet * bytes.
TEST(MpRdmaWindow, GrowsByAPacketPerRoundTrip) {
  MpRdmaReaction w = window_of(20'000_B);
  const int acks = 4000;
  for (int i = 0; i < acks; ++i) w.on_ack({.acked = 1000_B}, 0_ps);
  EXPECT_NEAR(static_cast<double>(w.window().count()), std::sqrt(20e3 * 20e3 + 2.0 * 1e6 * acks),
              1000);
}

// Acknowledgements for several packets add as much.
TEST(MpRdmaWindow, CoalescedAcknowledgementsAddAsMuch) {
  MpRdmaReaction one = window_of(100'000_B), four = window_of(100'000_B);
  for (int i = 0; i < 400; ++i) one.on_ack({.acked = 1000_B}, 0_ps);
  for (int i = 0; i < 100; ++i) four.on_ack({.acked = 4000_B}, 0_ps);
  EXPECT_NEAR(static_cast<double>(one.window().count()), static_cast<double>(four.window().count()),
              50);
}

TEST(MpRdmaWindow, AMarkTakesAQuarterOfWhatItAcknowledges) {
  MpRdmaReaction w = window_of(20'000_B);
  w.on_ack({.acked = 1000_B, .marked = true}, 0_ps);
  EXPECT_EQ(w.window(), 19'750_B);
  w.on_ack({.acked = 4000_B, .marked = true}, 0_ps);
  EXPECT_EQ(w.window(), 18'750_B);
}

TEST(MpRdmaWindow, ALossTakesItsSizeAndAnUnknownOneAPacket) {
  MpRdmaReaction w = window_of(20'000_B);
  w.on_lost({.payload = 700_B, .timeout = true}, 0_ps);
  EXPECT_EQ(w.window(), 19'300_B);
  w.on_lost({.payload = 300_B}, 0_ps);
  EXPECT_EQ(w.window(), 19'000_B);
  w.on_nack(0_ps);
  w.on_timeout(0_ps);
  EXPECT_EQ(w.window(), 17'000_B);
}

TEST(MpRdmaWindow, StaysBetweenAPacketAndItsMost) {
  MpRdmaReaction w = window_of(2500_B, 3000_B);
  for (int i = 0; i < 10; ++i) w.on_nack(0_ps);
  EXPECT_EQ(w.window(), 1000_B);
  for (int i = 0; i < 10; ++i) w.on_ack({.acked = 1000_B}, 0_ps);
  EXPECT_EQ(w.window(), 3000_B);
  // A new one may begin with more, until something raises it.
  EXPECT_EQ(window_of(5000_B, 3000_B).window(), 5000_B);
}

// An equilibrium: with a share p of marks the increase is the decrease at w = 4 (1 - p) / p
// packets.
TEST(MpRdmaWindow, SettlesWhereMarksAndIncreasesMeet) {
  MpRdmaReaction w = window_of(50'000_B);
  double sum = 0;
  for (int i = 0; i < 40000; ++i) {
    w.on_ack({.acked = 1000_B, .marked = i % 10 == 0}, 0_ps);
    if (i >= 20000) sum += static_cast<double>(w.window().count());
  }
  EXPECT_NEAR(sum / 20000, 36'000, 400);
}

TEST(ConstantWindow, NothingChangesIt) {
  CongestionConfig config;
  config.algorithm = "constant";
  const auto made = make_reaction_point(config, 100_Gbps, 1_KiB);
  made->on_ack({.acked = 1000_B, .marked = true}, 0_ps);
  made->on_lost({.payload = 1000_B}, 0_ps);
  made->on_timeout(0_ps);
  EXPECT_EQ(made->window(), 128_KiB);
  EXPECT_EQ(made->rate(0_ps), 100_Gbps);
}

}  // namespace
}  // namespace horae::policy::mprdma_window_test
