// Contexts on a limited chip in the NIC's time: what a miss costs, and whom it delays.
#include <gtest/gtest.h>

#include <vector>

#include "horae/rnic/nic_budget.hpp"
#include "host_parts.hpp"

namespace horae::rnic::context_timing_test {
namespace {

using test::decisions;
using test::HostTimes;
using test::messages;
using test::NicAndPeer;
using test::odd_link;
using test::with_host;

RnicConfig limited(Bytes cache) {
  RnicConfig config = with_host();
  config.sram.limited = true;
  config.sram.tx_buffer = 64_KiB;
  config.sram.rx_buffer = 64_KiB;
  config.sram.total = 128_KiB + cache;
  return config;
}

// Context, memory key and translation: three dependent reads before the first packet, none before
// the next one of the same page.
TEST(ContextTiming, AMissCostsDependentReadsBeforeThePacket) {
  fabric::sim_context context;
  const RnicConfig config = limited(64_KiB);
  const HostTimes host(config);
  NicAndPeer line(context, config), free(context, with_host(), odd_link, 1);
  const Picoseconds gap = 20_us;
  line.queue_pair(messages(1024_B, 3, 0_ps, gap));
  free.queue_pair(messages(1024_B, 3, 0_ps, gap));
  test::run_on(context, 90_us);
  const auto with = decisions(line), without = decisions(free);
  ASSERT_EQ(with.size(), 3u);
  ASSERT_EQ(without.size(), 3u);
  EXPECT_EQ(with[0], host.first_packet(1024_B) + host.read(64_B) * 3);
  EXPECT_EQ(with[0] - without[0], 2'103'009_ps);
  EXPECT_EQ(with[1], without[1]);
  EXPECT_EQ(with[2], without[2]);
  EXPECT_EQ(line.nic->counters().context_misses, 3u);
  EXPECT_EQ(line.nic->counters().idle[static_cast<std::size_t>(IdleCause::context)],
            host.read(64_B) * 3);
}

// A packet that arrives waits likewise, and the next one of its queue pair behind it.
TEST(ContextTiming, AReceivedPacketWaitsForItsContextAndTheNextOneBehindIt) {
  fabric::sim_context context;
  const RnicConfig config = limited(64_KiB);
  const HostTimes host(config);
  std::vector<NicAndPeer> lines;
  for (const auto& c : {config, with_host()}) {
    lines.emplace_back(context, c, odd_link, static_cast<unsigned>(lines.size()));
    lines.back().queue_pair(nullptr);
    lines.back().far->data(1_us, 0, Opcode::write_middle, true);
    lines.back().far->data(1_us, 1, Opcode::write_middle, true);
    lines.back().far->data(20_us, 2, Opcode::write_middle, true);
  }
  test::run_on(context, 60_us);
  const auto& with = lines[0].far->seen;
  const auto& without = lines[1].far->seen;
  ASSERT_EQ(with.size(), 3u);
  ASSERT_EQ(without.size(), 3u);
  EXPECT_EQ(with[0].at - without[0].at, host.read(64_B) * 3);
  // Behind the first one, whose ACK goes first.
  EXPECT_EQ(with[1].at, with[0].at + test::ack_time());
  EXPECT_EQ(with[2].at, without[2].at);
  EXPECT_EQ(lines[0].nic->counters().delivered_bytes, 3u * 1024);
}

// Also one that arrives in the same picosecond as the context: found by random platforms, where it
// went first and was answered with a NACK for the one in front of it.
TEST(ContextTiming, APacketThatArrivesWithTheContextStaysBehindTheOneThatWaits) {
  fabric::sim_context context;
  const RnicConfig config = limited(64_KiB);
  const Picoseconds fetch = HostTimes(config).read(64_B) * 3;
  NicAndPeer line(context, config);
  line.queue_pair(nullptr);
  line.far->data(1_us, 0, Opcode::write_middle, true);
  line.far->data(1_us + fetch, 1, Opcode::write_middle, true);
  line.far->data(1_us + fetch + 1_us, 2, Opcode::write_middle, true);
  test::run_on(context, 60_us);
  EXPECT_EQ(line.nic->counters().out_of_order, 0u);
  EXPECT_EQ(line.nic->counters().nacks_sent, 0u);
  EXPECT_EQ(line.nic->counters().delivered_bytes, 3u * 1024);
  ASSERT_EQ(line.far->seen.size(), 3u);
  // Both go on at once: the second ACK follows the first on the wire.
  EXPECT_EQ(line.far->seen[1].at, line.far->seen[0].at + test::ack_time());
}

// With a cache of contexts of its own, one entry, and queue pairs in turn each packet reads its
// context: so many a round trip as misses may be under way, whoever waits. Keys and translations
// hit.
TEST(ContextTiming, MissesUnderWayBoundTheRate) {
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  const std::vector<std::uint32_t> under_way = {1, 3, 8};
  RnicConfig config = with_host();
  config.cache.emplace().queue_pair = CacheConfig{.entries = 1};
  for (const std::uint32_t misses : under_way) {
    config.cache->misses = misses;
    lines.emplace_back(context, config, odd_link, static_cast<unsigned>(lines.size()));
    for (int i = 0; i < 20; ++i) lines.back().queue_pair(messages(64_B, 1000), 64);
  }
  test::run_on(context, 100_us);
  const Picoseconds read = HostTimes(config).read(64_B);
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const auto at = decisions(lines[n]);
    ASSERT_GT(at.size(), 100u);
    const double packets = static_cast<double>(at.size() - 20);
    const auto span = static_cast<double>((at.back() - at[19]).count());
    const double reads = packets / span * static_cast<double>(read.count());
    EXPECT_LE(reads, under_way[n]);
    // Reads of payload are in the way on the link.
    EXPECT_GE(reads, 0.94 * under_way[n]);
    EXPECT_EQ(lines[n].nic->cache()->counters(CacheKind::translation).misses, 0u);
  }
}

// Queue pairs in turn: what the bill says stays, stays; one queue pair more, and each packet
// misses.
TEST(ContextTiming, TheCliffIsWhereTheBillSays) {
  const auto misses_per_packet = [](std::uint32_t queue_pairs, fabric::sim_context& context,
                                    std::vector<NicAndPeer>& lines) {
    RnicConfig config = limited(8_KiB);
    config.sram.wqes_held = 0;
    lines.emplace_back(context, config, odd_link, static_cast<unsigned>(lines.size()));
    for (std::uint32_t i = 0; i < queue_pairs; ++i)
      lines.back().queue_pair(messages(1024_B, 64), 64);
  };
  NicDemand demand;
  demand.groups = {{.queue_pairs = 1, .outstanding = 64, .memory = 4_KiB}};
  RnicConfig config = limited(8_KiB);
  config.sram.wqes_held = 0;
  const auto most = static_cast<std::uint32_t>(nic_budget(config.sram, demand).most_cached);
  ASSERT_GT(most, 4u);
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  misses_per_packet(most / 2, context, lines);
  misses_per_packet(most * 3 / 2, context, lines);
  test::run_on(context, 400_us);
  const auto& few = lines[0].nic->counters();
  const auto& many = lines[1].nic->counters();
  // Compulsory misses only: context and translations of each, one key.
  EXPECT_LE(few.context_misses, std::uint64_t{most / 2} * (1 + 16) + 1);
  EXPECT_GT(many.context_misses, many.sent_packets());
}

}  // namespace
}  // namespace horae::rnic::context_timing_test
