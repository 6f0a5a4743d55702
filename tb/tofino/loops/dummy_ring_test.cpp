// Dummies that circulate through a loopback port: when the wire is free behind them, to the
// picosecond, and that leaving out rounds changes nothing.
#include "horae/tofino/dummy_ring.hpp"

#include <gtest/gtest.h>

namespace horae::tofino::dummy_ring_test {
namespace {

constexpr BitRate rate = 100_Gbps;
constexpr Picoseconds on_wire = 120_ns;  // 1500 bytes
constexpr Picoseconds lap = 500'003_ps;

// Alone it is queued every lap and time on the wire, from time zero on.
TEST(DummyRing, OneDummyIsQueuedOncePerRound) {
  constexpr Picoseconds round = on_wire + lap;
  for (const std::int64_t n : {1, 2, 3, 4, 5, 6, 7, 100, 1'000'003}) {
    DummyRing before(DummyRing::size, rate, lap), then(DummyRing::size, rate, lap);
    EXPECT_EQ(before.serve(round * n - 1_ps, 0_ps), round * (n - 1) + on_wire) << n;
    EXPECT_EQ(then.serve(round * n, 0_ps), round * n + on_wire) << n;
    EXPECT_EQ(then.serve(round * (n + 1) - 1_ps, round * n + on_wire), round * n + on_wire) << n;
    EXPECT_EQ(then.serve(round * (n + 1), round * n + on_wire), round * (n + 1) + on_wire) << n;
  }
}

// So many that the wire is never free: the k-th to leave has left at k times on the wire, and is
// queued again a lap later.
TEST(DummyRing, ManyKeepTheWireBusy) {
  constexpr std::int64_t dummies = 70;
  for (const std::int64_t k : {1, 2, 69, 70, 71, 300, 5'000'017}) {
    const Picoseconds again = on_wire * k + lap;
    DummyRing before(DummyRing::size * dummies, rate, lap);
    DummyRing then(DummyRing::size * dummies, rate, lap);
    EXPECT_EQ(before.serve(again - 1_ps, 0_ps), on_wire * (dummies + k - 1)) << k;
    EXPECT_EQ(then.serve(again, 0_ps), on_wire * (dummies + k)) << k;
  }
}

// Packets before them on the wire delay them, and a packet's time of its own stays.
TEST(DummyRing, WaitsForWhatIsOnTheWire) {
  DummyRing ring(DummyRing::size, rate, lap);
  EXPECT_EQ(ring.serve(0_ps, 1_us), 1_us + on_wire);
  EXPECT_EQ(ring.serve(1_us + on_wire + lap - 1_ps, 9_us), 9_us);
  EXPECT_EQ(ring.serve(1_us + on_wire + lap, 9_us), 9_us + on_wire);
}

TEST(DummyRing, WithoutDummiesNothingWaits) {
  DummyRing ring(0_B, rate, lap);
  EXPECT_EQ(ring.serve(1_ms, 17_ps), 17_ps);
}

// A time without packets at once, or looked at every microsecond: the same, also afterwards.
TEST(DummyRing, AllAtOnceIsAsRoundByRound) {
  for (const std::int64_t bytes : {1, 1499, 1501, 3000, 7700, 9000, 9001, 100'700}) {
    for (const Picoseconds first : {0_ps, 3_us, 3_us + 77_ps}) {
      DummyRing once(Bytes(bytes), rate, lap), often(Bytes(bytes), rate, lap);
      Picoseconds t{};
      Picoseconds free = often.serve(t, first);
      for (int i = 0; i < 3000; ++i) free = often.serve(t += 1_us, free);
      Picoseconds of_once = once.serve(t, once.serve(0_ps, first));
      ASSERT_EQ(of_once, free) << bytes;
      for (int i = 0; i < 100; ++i) {
        free = often.serve(t += 1_us, free);
        of_once = once.serve(t, of_once);
        ASSERT_EQ(of_once, free) << bytes << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace horae::tofino::dummy_ring_test
