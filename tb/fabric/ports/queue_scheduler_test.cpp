// The order in which the classes of a port are served.
#include "horae/fabric/ports/queue_scheduler.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace horae::fabric::queue_scheduler_test {
namespace {

constexpr unsigned bit(unsigned c) { return 1u << c; }

// Serves backlogs of packets of one length per class; bytes that each got.
std::array<std::int64_t, 8> serve(QueueScheduler& s, unsigned backlogged,
                                  const std::array<std::int64_t, 8>& length, int packets) {
  std::array<std::int64_t, 8> got{};
  for (int i = 0; i < packets; ++i) {
    const unsigned c =
        s.choose(backlogged, Picoseconds(i), [&](unsigned k) { return Bytes(length[k]); });
    got.at(c) += length[c];
  }
  return got;
}

TEST(QueueScheduler, WithoutTablesTheHighestClassIsServed) {
  QueueScheduler s({});
  const auto length = [](unsigned) { return Bytes(1000); };
  EXPECT_EQ(s.choose(bit(0) | bit(3) | bit(5), 0_ps, length), 5u);
  EXPECT_EQ(s.choose(bit(0) | bit(3), 1_ps, length), 3u);
  EXPECT_EQ(s.earliest(bit(0), 7_ps), 7_ps);
}

TEST(QueueScheduler, WeightsShareThePortByBytes) {
  QueueScheduler s({{.number = 1, .priority = 4, .weight = 3}, {.number = 2, .priority = 4}});
  for (const std::int64_t small : {64, 1000, 9000}) {
    const auto got = serve(s, bit(1) | bit(2), {0, small, 1500}, 20000);
    const double bound = static_cast<double>(4 * QueueScheduler::quantum + 9000);
    EXPECT_NEAR(static_cast<double>(got[1]), 3.0 * static_cast<double>(got[2]), 4 * bound);
  }
}

TEST(QueueScheduler, AClassWithoutPacketsSavesNothing) {
  QueueScheduler s({{.number = 1, .priority = 4}, {.number = 2, .priority = 4}});
  const std::array<std::int64_t, 8> length{0, 1000, 1000};
  serve(s, bit(1), length, 1000);
  const auto got = serve(s, bit(1) | bit(2), length, 100);
  EXPECT_NEAR(static_cast<double>(got[1]), static_cast<double>(got[2]), 2 * 2048.0);
}

TEST(QueueScheduler, PriorityIsBeforeWeight) {
  QueueScheduler s({{.number = 0, .priority = 7},
                    {.number = 1, .priority = 4, .weight = 100},
                    {.number = 2, .priority = 4}});
  const auto got = serve(s, bit(0) | bit(1) | bit(2), {500, 500, 500}, 100);
  EXPECT_EQ(got[0], 50000);
}

// Classes of one level begin with the highest; one of a lower level has no turn among them.
TEST(QueueScheduler, TurnsBeginWithTheHighestOfTheirLevel) {
  QueueScheduler s({{.number = 1, .priority = 4}, {.number = 2, .priority = 4}});
  const std::array<std::int64_t, 8> length{1000, 1000, 1000};
  EXPECT_EQ(serve(s, bit(0) | bit(1) | bit(2), length, 1)[2], 1000);
  EXPECT_EQ(serve(s, bit(0) | bit(1) | bit(2), length, 100)[0], 0);
  QueueScheduler lowest({{.number = 1, .priority = 0}, {.number = 2, .priority = 0}});
  EXPECT_EQ(serve(lowest, bit(0) | bit(1) | bit(2), length, 1)[2], 1000);
}

// Two packets of 1000 bytes are within a burst of 1000 ahead; the others follow at 10 Gbps.
TEST(QueueScheduler, AShaperLetsABurstGoAndThenTheRate) {
  QueueScheduler s({{.number = 3, .rate = 10_Gbps, .burst = 1000_B}});
  const auto length = [](unsigned) { return Bytes(1000); };
  std::vector<Picoseconds> starts;
  Picoseconds t = 5_us;
  for (int i = 0; i < 5; ++i) {
    t = s.earliest(bit(3), t);
    EXPECT_EQ(s.choose(bit(3), t, length), 3u);
    starts.push_back(t - 5_us);
    t = t + 80_ns;
  }
  EXPECT_EQ(starts, (std::vector<Picoseconds>{0_ps, 80_ns, 800_ns, 1600_ns, 2400_ns}));
  EXPECT_EQ(s.earliest(bit(3), 6_us), 5_us + 3200_ns);
  EXPECT_EQ(s.earliest(bit(3), 9_us), 9_us);
}

// A class that its shaper holds back has a backlog and loses no turn: it gets its rate, whatever
// the lengths of packets, and with a burst that is less than one of them.
TEST(QueueScheduler, AShapedClassGetsItsRateAmongOthersOfItsLevel) {
  for (const std::int64_t large : {1000, 4178, 9000}) {
    QueueScheduler s({{.number = 1, .priority = 3, .rate = 40_Gbps, .burst = 1_KiB},
                      {.number = 2, .priority = 3}});
    const auto length = [&](unsigned c) { return Bytes(c == 1 ? large : 300); };
    std::array<std::int64_t, 8> got{};
    Picoseconds t{};
    while (t < 1_ms) {
      const unsigned c = s.choose(bit(1) | bit(2), t, length);
      got.at(c) += length(c).count();
      t += serialisation_time(length(c), 100_Gbps);
    }
    EXPECT_NEAR(static_cast<double>(got[1]) * 8e-6, 40, 0.4) << large;
    EXPECT_NEAR(static_cast<double>(got[2]) * 8e-6, 60, 0.4) << large;
  }
}

TEST(QueueScheduler, OthersGoWhileAShapedClassWaits) {
  QueueScheduler s({{.number = 3, .rate = 10_Gbps, .burst = 64_B}});
  const auto length = [](unsigned) { return Bytes(1000); };
  EXPECT_EQ(s.choose(bit(0) | bit(3), 0_ps, length), 3u);
  EXPECT_EQ(s.earliest(bit(0) | bit(3), 80_ns), 80_ns);
  EXPECT_EQ(s.choose(bit(0) | bit(3), 80_ns, length), 0u);
  EXPECT_EQ(s.earliest(bit(3), 160_ns), 800_ns - serialisation_time(64_B, 10_Gbps));
}

}  // namespace
}  // namespace horae::fabric::queue_scheduler_test
