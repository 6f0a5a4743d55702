// Credits of virtual lanes: in closed form, alone and in a NIC.
#include "horae/rnic/parts/lane_credits.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "horae/core/error.hpp"
#include "host_parts.hpp"
#include "nic_parts.hpp"

namespace horae::rnic::lane_credits_test {
namespace {

using test::decisions;
using test::messages;
using test::NicAndPeer;
using test::odd_latencies;

TEST(LaneCredits, BlocksAreTakenWholeAndComeBack) {
  LaneCredits credits(256_B, 100_ns);
  EXPECT_EQ(credits.from(0, 256_B), 0_ps);
  credits.take(0, 65_B, 10_ns, 20_ns);  // two blocks, back at 120 ns
  credits.take(0, 64_B, 20_ns, 25_ns);  // one, at 125 ns
  EXPECT_EQ(credits.from(0, 64_B), 0_ps);
  EXPECT_EQ(credits.from(0, 65_B), 120_ns);
  EXPECT_EQ(credits.from(0, 193_B), 125_ns);
  EXPECT_EQ(credits.from(1, 256_B), 0_ps);  // another lane
  credits.take(0, 64_B, 120_ns, 130_ns);
  EXPECT_EQ(credits.from(0, 129_B), 125_ns);
}

constexpr fabric::LinkConfig long_link{.rate = 100_Gbps, .delay = 2'003'017_ps};

RnicConfig with_credits(Bytes room) {
  RnicConfig config = odd_latencies();
  config.frames = Frames::infiniband;
  config.mtu = 1024_B;
  config.vl_credits = room;
  config.credit_delay = 77'003_ps;
  return config;
}

/// A first packet of a message has 42 bytes beside its payload, others 26.
constexpr Picoseconds first = 80_ps * (1024 + 42), other = 80_ps * (1024 + 26);

// n packets fit: after them one for each that comes back, twice the link's delay, the other end's
// and its own time after it began.
TEST(LaneCredits, BoundALongLink) {
  fabric::sim_context context;
  NicAndPeer line(context, with_credits(Bytes(3 * 17 * 64 + 63)), long_link);  // 17 blocks each
  line.queue_pair(messages(20 * 1024_B, 1));
  test::run_on(context, 100_us);
  const auto at = decisions(line);
  ASSERT_EQ(at.size(), 20u);
  EXPECT_EQ(at[1], first);
  EXPECT_EQ(at[2], first + other);
  const Picoseconds back = long_link.delay * 2 + 77'003_ps;
  for (std::size_t i = 3; i < 20; ++i)
    EXPECT_EQ(at[i] - at[i - 3], back + (i == 3 ? first : other)) << i;
  const Picoseconds idle = test::idle_time(*line.nic, IdleCause::credits);
  EXPECT_EQ(idle, at[19] - (first + other * 18));
  test::expect_time_accounted(*line.nic, 100_us);
}

// Room for all that a round trip holds costs nothing.
TEST(LaneCredits, AreNoBoundWhereThereAreEnough) {
  const auto times = [](std::optional<Bytes> room) {
    fabric::sim_context context;
    RnicConfig config = with_credits(room.value_or(64_KiB));
    if (!room) config.vl_credits.reset(), config.credit_delay.reset();
    NicAndPeer line(context, config, long_link);
    line.queue_pair(messages(20 * 1024_B, 1));
    test::run_on(context, 100_us);
    std::string text;
    for (const auto t : decisions(line)) text += fmt::format("{} ", t.count());
    return text;
  };
  const auto in_child = [&](std::optional<Bytes> room) {
    return test::in_child([&] { return times(room); });
  };
  EXPECT_EQ(in_child(128_KiB), in_child(std::nullopt));
  EXPECT_NE(in_child(4224_B), in_child(std::nullopt));
}

TEST(LaneCredits, AreInfiniBands) {
  RnicConfig config = with_credits(8_KiB);
  check_credits(config);
  config.frames = Frames::roce;
  EXPECT_THROW(check_credits(config), InputError);
  config = with_credits(8_KiB);
  config.ports = 2;
  EXPECT_THROW(check_credits(config), InputError);
  config = with_credits(8_KiB);
  config.vl_credits.reset();
  EXPECT_THROW(check_credits(config), InputError);
  config.credit_delay.reset();
  check_credits(config);
}

}  // namespace
}  // namespace horae::rnic::lane_credits_test
