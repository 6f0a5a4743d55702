// Queue pairs held to a rate, and the turns they take on the wire.
#include <gtest/gtest.h>

#include <vector>

#include "nic_parts.hpp"

namespace horae::rnic::shaping_test {
namespace {

using test::idle_time;
using test::messages;
using test::Nic;
using test::NicAndPeer;
using test::odd_latencies;
using test::odd_link;
using test::wire_time;

constexpr std::int64_t wire_bytes = 1122;  // 1024 of payload, headers, RETH, preamble and gap
const Picoseconds wire = wire_time(Opcode::write_first, 1024_B);

RnicConfig shaped(Shaping shaping, BitRate rate, Bytes quantum = 4_KiB) {
  RnicConfig config = odd_latencies();
  config.reth_on_every_packet = true;
  config.qp_rate = rate;
  config.shaping = shaping;
  config.quantum = quantum;
  return config;
}

std::vector<Picoseconds> starts(const NicAndPeer& line) {
  std::vector<Picoseconds> all;
  for (const auto& s : line.far->seen) all.push_back(line.decided(s));
  return all;
}
// Which queue pair sent each packet: by its entropy.
std::vector<unsigned> turns(const NicAndPeer& line) {
  std::vector<unsigned> all;
  for (const auto& s : line.far->seen) all.push_back(s.packet.entropy - 0xc000u);
  return all;
}
TEST(Shaping, PacketsArePacedToThePicosecond) {
  struct Row {
    BitRate rate;
    Picoseconds spacing;
  };
  const std::vector<Row> rows = {{25_Gbps, 359'040_ps},
                                 {50_Gbps, 179'520_ps},
                                 {BitRate(7'000'000'000), 1'282'286_ps},  // ...285.71, rounded up
                                 {100_Gbps, 89'760_ps},
                                 {200_Gbps, 89'760_ps}};  // the wire allows no more
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    lines.emplace_back(context, shaped(Shaping::per_packet, rows[i].rate), odd_link, i);
    lines.back().queue_pair(messages(Bytes(200 * 1024)));
  }
  test::run_on(context, 400_us);
  for (unsigned i = 0; i < rows.size(); ++i) {
    const auto at = starts(lines[i]);
    ASSERT_EQ(at.size(), 200u);
    for (std::int64_t k = 0; k < 200; ++k) {
      EXPECT_EQ(at[static_cast<std::size_t>(k)], rows[i].spacing * k) << i;
    }
    const Nic& nic = *lines[i].nic;
    EXPECT_EQ(idle_time(nic, IdleCause::shaper), (rows[i].spacing - wire) * 199);
    EXPECT_EQ(idle_time(nic, IdleCause::no_work), 400_us - rows[i].spacing * 199 - wire);
    test::expect_time_accounted(nic, 400_us);
  }
}

TEST(Shaping, ASmallPacketEarnsASmallPause) {
  fabric::sim_context context;
  NicAndPeer line(context, shaped(Shaping::per_packet, 10_Gbps));
  line.queue_pair(messages(64_B, 10));
  test::run_on(context, 100_us);
  const auto at = starts(line);
  ASSERT_EQ(at.size(), 10u);
  const Picoseconds spacing = wire_time(Opcode::write_only, 64_B, 10_Gbps);
  for (std::int64_t k = 0; k < 10; ++k) EXPECT_EQ(at[static_cast<std::size_t>(k)], spacing * k);
}

// A queue pair that had nothing to send has not saved anything up.
TEST(Shaping, IdlenessEarnsNoCredit) {
  fabric::sim_context context;
  NicAndPeer line(context, shaped(Shaping::per_packet, 25_Gbps));
  line.queue_pair(messages(Bytes(3 * 1024), 2, 0_ps, 100_us));
  test::run_on(context, 200_us);
  EXPECT_EQ(starts(line), (std::vector<Picoseconds>{0_ps, 359'040_ps, 718'080_ps, 100_us,
                                                    100_us + 359'040_ps, 100_us + 718'080_ps}));
}

// Bursts of at least the quantum at line rate, each followed by the pause that makes up for it.
TEST(Shaping, AQuantumIsSentAtOnce) {
  struct Row {
    Bytes quantum;
    std::int64_t burst;  // packets
  };
  const std::vector<Row> rows = {{4_KiB, 4},
                                 {Bytes(wire_bytes * 3), 3},
                                 {Bytes(wire_bytes * 3 + 1), 4},
                                 {256_B, 1},
                                 {16_KiB, 15}};
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    lines.emplace_back(context, shaped(Shaping::quantum, 25_Gbps, rows[i].quantum), odd_link, i);
    lines.back().queue_pair(messages(Bytes(300 * 1024)));
  }
  const Picoseconds now = 200_us;
  test::run_on(context, now);
  for (unsigned i = 0; i < rows.size(); ++i) {
    const std::int64_t n = rows[i].burst;
    const Picoseconds period = serialisation_time(Bytes(wire_bytes * n), 25_Gbps);
    const auto at = starts(lines[i]);
    ASSERT_EQ(at.size(), 300u);
    for (std::int64_t k = 0; k < 300; ++k) {
      EXPECT_EQ(at[static_cast<std::size_t>(k)], period * (k / n) + wire * (k % n)) << i;
    }
    EXPECT_EQ(period, wire * n * 4);  // the mean is the rate
    const std::int64_t bursts = (300 + n - 1) / n;
    EXPECT_EQ(idle_time(*lines[i].nic, IdleCause::shaper), (period - wire * n) * (bursts - 1));
    test::expect_time_accounted(*lines[i].nic, now);
  }
}

// The rate holds as well when there is never a whole quantum to send: a turn that ends early is
// paid for like a whole one.
TEST(Shaping, ShortMessagesAreHeldToTheRateToo) {
  fabric::sim_context context;
  NicAndPeer line(context, shaped(Shaping::quantum, 1_Gbps, 16_KiB));
  line.queue_pair(messages(1024_B, 20),
                  1);  // one at a time, each acknowledged long before its turn
  const Picoseconds earned = serialisation_time(Bytes(wire_bytes), 1_Gbps);
  for (std::uint32_t k = 0; k < 20; ++k) line.far->ack(earned * k + 2_us, k + 1);
  test::run_on(context, 1_ms);
  const auto at = starts(line);
  ASSERT_EQ(at.size(), 20u);
  for (std::int64_t k = 0; k < 20; ++k) EXPECT_EQ(at[static_cast<std::size_t>(k)], earned * k) << k;
}

// Likewise when the window ends the turn.
TEST(Shaping, ATurnThatTheWindowEndsIsPaidFor) {
  RnicConfig config = shaped(Shaping::quantum, 10_Gbps, 16_KiB);
  config.reliability.window = 6;
  fabric::sim_context context;
  NicAndPeer line(context, config);
  line.queue_pair(messages(Bytes(60 * 1024)));
  const Picoseconds period = serialisation_time(Bytes(wire_bytes * 6), 10_Gbps);
  for (std::uint32_t k = 0; k < 10; ++k) line.far->ack(period * k + 2_us, 6 * (k + 1));
  test::run_on(context, 1_ms);
  const auto at = starts(line);
  ASSERT_EQ(at.size(), 60u);
  for (std::int64_t k = 0; k < 60; ++k) {
    EXPECT_EQ(at[static_cast<std::size_t>(k)], period * (k / 6) + wire * (k % 6)) << k;
  }
}

TEST(Shaping, TurnsGoRoundPerPacket) {
  fabric::sim_context context;
  NicAndPeer line(context, shaped(Shaping::per_packet, BitRate(0)));
  for (int qp = 0; qp < 5; ++qp) line.queue_pair(messages(Bytes(100 * 1024)));
  test::run_on(context, 100_us);
  const auto order = turns(line);
  ASSERT_EQ(order.size(), 500u);
  const auto at = starts(line);
  for (std::size_t k = 0; k < 500; ++k) {
    EXPECT_EQ(order[k], k % 5) << k;
    EXPECT_EQ(at[k], wire * static_cast<std::int64_t>(k));
  }
}

TEST(Shaping, TurnsGoRoundPerQuantum) {
  fabric::sim_context context;
  NicAndPeer line(context, shaped(Shaping::quantum, BitRate(0)));
  for (int qp = 0; qp < 3; ++qp) line.queue_pair(messages(Bytes(100 * 1024)));
  test::run_on(context, 100_us);
  const auto order = turns(line);
  ASSERT_EQ(order.size(), 300u);
  for (std::size_t k = 0; k < 300; ++k) EXPECT_EQ(order[k], k / 4 % 3) << k;
}

// Bytes, not packets, fill a quantum: small messages get as much as large ones.
TEST(Shaping, AQuantumIsFairInBytes) {
  fabric::sim_context context;
  NicAndPeer line(context, shaped(Shaping::quantum, BitRate(0)));
  line.queue_pair(messages(Bytes(400 * 1024)));
  line.queue_pair(messages(64_B, 0), 400);  // endless
  test::run_on(context, 8_us);
  std::int64_t large = 0, small = 0;
  for (const auto& s : line.far->seen) {
    (s.packet.entropy == 0xc000 ? large : small) += s.packet.wire_size().count();
  }
  EXPECT_GT(large, 40'000);
  EXPECT_NEAR(static_cast<double>(large), static_cast<double>(small), 2 * (4096 + 1122));
}

// Two at half the line's rate each fill the wire, one packet each in turn.
TEST(Shaping, RatesAddUpOnTheWire) {
  fabric::sim_context context;
  NicAndPeer line(context, shaped(Shaping::per_packet, 50_Gbps));
  line.queue_pair(messages(Bytes(100 * 1024)));
  line.queue_pair(messages(Bytes(100 * 1024)));
  test::run_on(context, 100_us);
  const auto at = starts(line);
  const auto order = turns(line);
  ASSERT_EQ(at.size(), 200u);
  for (std::size_t k = 0; k < 200; ++k) {
    EXPECT_EQ(at[k], wire * static_cast<std::int64_t>(k));
    EXPECT_EQ(order[k], k % 2);
  }
  EXPECT_EQ(idle_time(*line.nic, IdleCause::shaper), 0_ps);
}

// One that may not send yet does not keep the others from sending.
TEST(Shaping, ALaterQueuePairStartsAtItsOwnTime) {
  fabric::sim_context context;
  NicAndPeer line(context, shaped(Shaping::per_packet, 10_Gbps));
  line.queue_pair(messages(Bytes(10 * 1024)));
  line.queue_pair(messages(Bytes(10 * 1024), 1, 300'000_ps));
  test::run_on(context, 100_us);
  const Picoseconds spacing = serialisation_time(Bytes(wire_bytes), 10_Gbps);
  std::vector<Picoseconds> first, second;
  for (const auto& s : line.far->seen) {
    (s.packet.entropy == 0xc000 ? first : second).push_back(line.decided(s));
  }
  ASSERT_EQ(first.size(), 10u);
  ASSERT_EQ(second.size(), 10u);
  for (std::int64_t k = 0; k < 10; ++k) {
    EXPECT_EQ(first[static_cast<std::size_t>(k)], spacing * k);
    EXPECT_EQ(second[static_cast<std::size_t>(k)], 300'000_ps + spacing * k);
  }
}

}  // namespace
}  // namespace horae::rnic::shaping_test
