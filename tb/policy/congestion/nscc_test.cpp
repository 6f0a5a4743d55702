// NSCC case by case, each against its formula.
#include "horae/policy/congestion/nscc.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace horae::policy::nscc_test {
namespace {

// a = 2, b = 1/2: alpha = 4 packets per 6 us, fair = 10 packets, eta = 300 bytes.
const NsccParameters parameters{.packet = 1000_B,
                                .bdp = 300'000_B,
                                .update_bytes = 8000_B,
                                .initial_window = 100'000_B,
                                .max_window = 450'000_B};
constexpr Picoseconds base = 10_us;

/// An NSCC whose acknowledgements of 8000 bytes each take effect at once.
struct Script {
  Nscc nscc{parameters, 100_Gbps, 1_KiB};
  Picoseconds now = 1_ms;

  Script() { ack(0_B, base); }  // the smallest round trip
  /// Returns by how much the window moved.
  double ack(Bytes bytes, Picoseconds rtt, bool marked = false) {
    const auto before = static_cast<double>(nscc.window().count());
    now += 1_us;
    nscc.on_ack({.acked = bytes, .marked = marked, .rtt = rtt}, now);
    return static_cast<double>(nscc.window().count()) - before;
  }
  double window() const { return static_cast<double>(nscc.window().count()); }
};

TEST(Nscc, WithoutAMarkItGrowsInProportionToTheDelayThatIsMissing) {
  Script s;
  const double w = s.window();
  // alpha (T - delay) n + fair n, over the window
  EXPECT_NEAR(s.ack(8000_B, base + 3_us), (4000.0 * 0.5 + 10'000) * 8000 / w, 1.5);
}

TEST(Nscc, WithALongDelayAndNoMarkItGrowsSlowly) {
  Script s;
  const double w = s.window();
  EXPECT_NEAR(s.ack(8000_B, base + 9_us), 10'000.0 * 8000 / w, 1.5);
}

TEST(Nscc, AMarkWithoutDelayIsIgnored) {
  Script s;
  EXPECT_NEAR(s.ack(8000_B, base + 3_us, true), 0, 1);
}

// An acknowledgement moves it by 0.0125 of the way.
TEST(Nscc, TheAverageDelayFollowsByAnEightieth) {
  Script s;
  ASSERT_EQ(s.nscc.average_delay(), 0);
  s.ack(1_B, base + 8_us);
  EXPECT_NEAR(s.nscc.average_delay(), 8e6 / 80, 1);
  s.ack(1_B, base + 4_us);
  EXPECT_NEAR(s.nscc.average_delay(), 1e5 + (4e6 - 1e5) / 80, 1);
}

// The average of the delay decides by how much, and a round trip passes between two cuts.
TEST(Nscc, AMarkWithDelayCutsOncePerRoundTrip) {
  Script s;
  for (int i = 0; i < 400; ++i) s.ack(1_B, base + 12_us);
  const double average = s.nscc.average_delay();
  ASSERT_NEAR(average, 12e6, 0.1e6);
  double w = s.window();
  const double moved = s.ack(1_B, base + 12_us, true);
  const double after = s.nscc.average_delay();
  EXPECT_NEAR(moved / w, -0.8 * (after - 6e6) / after, 0.01);
  for (int i = 0; i < 8; ++i) EXPECT_GE(s.ack(1_B, base + 12_us, true), -1);
  s.now += 2_us;
  w = s.window();
  EXPECT_LT(s.ack(1_B, base + 12_us, true), -0.3 * w);
}

// A whole window without delay: from then on half of what is acknowledged, until there is some.
TEST(Nscc, AWindowWithoutDelayBeginsTheFastIncrease) {
  Script s;
  const double w = s.window();
  double acked = 0;
  while (acked <= w + 30'000) {  // the window grows meanwhile
    s.ack(1000_B, base);
    acked += 1000;
  }
  while (s.ack(1000_B, base) != 500) ASSERT_LT(acked += 1000, 3 * w);
  EXPECT_EQ(s.ack(4000_B, base + 999_ns), 2000);
  s.ack(1000_B, base + 1_us);  // what had gathered takes effect as well
  EXPECT_LT(s.ack(1000_B, base), 100);
}

// A loss, and little delivered in a round trip and a target: that is the window. What was in
// flight counts no more.
TEST(Nscc, AfterALossWithLittleDeliveredThatIsTheWindow) {
  Script s;
  s.now += base + 6_us;
  s.ack(10'000_B, base + 3_us);  // an interval begins
  s.nscc.on_lost({.payload = 1000_B}, s.now);
  s.ack(20'000_B, base + 3_us);
  s.now += base + 6_us;
  s.ack(5000_B, base + 3_us);
  EXPECT_EQ(s.window(), 25'000);
  // Half of the old window's bytes come back: nothing moves.
  for (int i = 0; i < 9; ++i) EXPECT_EQ(s.ack(10'000_B, base + 20_us, true), 0);
}

TEST(Nscc, ItStaysBetweenAPacketAndItsMost) {
  Script s;
  for (int i = 0; i < 200; ++i) s.nscc.on_lost({.payload = 1000_B}, s.now);
  EXPECT_EQ(s.window(), 1000);
  for (int i = 0; i < 5000; ++i) s.ack(8000_B, base);
  EXPECT_EQ(s.window(), 450'000);
}

}  // namespace
}  // namespace horae::policy::nscc_test
