// The host in the NIC's time: when the first packet leaves, how fast the next ones follow, where
// the idle time goes, and what happens to payload that arrives.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "host_parts.hpp"

namespace horae::rnic::fetch_timing_test {
namespace {

using test::connect_queue_pairs;
using test::decisions;
using test::HostTimes;
using test::idle_time;
using test::messages;
using test::Nic;
using test::NicAndPeer;
using test::NicPair;
using test::odd_link;
using test::packet_time;
using test::with_host;

TEST(FetchTiming, TheClosedFormsAreNotAccidental) {
  const HostTimes host(with_host());
  EXPECT_EQ(host.read(64_B), 701'003_ps);  // one completion: the configured round trip
  EXPECT_GT(host.read(1024_B), host.read(64_B) + 15_ns);
  EXPECT_LT(host.read(1024_B), host.read(64_B) + 25_ns);
  EXPECT_GT(host.doorbell(), 203'009_ps);
  EXPECT_LT(host.doorbell(), 204_ns);
}

TEST(FetchTiming, TheFirstPacketLeavesAfterDoorbellWqeAndPayload) {
  struct Row {
    Bytes bytes;
    std::uint64_t messages;  // of that size, posted at once
    Bytes payload;           // of the first packet
    int wqes;                // in the first read
  };
  const std::vector<Row> rows = {
      {0_B, 1, 0_B, 1},       {1_B, 1, 1_B, 1},       {64_B, 1, 64_B, 1},
      {257_B, 1, 257_B, 1},   {1000_B, 1, 1000_B, 1}, {1024_B, 1, 1024_B, 1},
      {10_KiB, 1, 1024_B, 1}, {1024_B, 5, 1024_B, 5}, {512_B, 20, 512_B, 8}};
  fabric::sim_context context;
  const RnicConfig config = with_host();
  const HostTimes host(config);
  std::vector<NicAndPeer> lines;
  std::vector<std::pair<Picoseconds, std::size_t>> expected;
  for (unsigned i = 0; i < rows.size(); ++i) {
    lines.emplace_back(context, config, odd_link, i);
    const Picoseconds post = 3'333'333_ps + 1_us * i;
    lines.back().queue_pair(messages(rows[i].bytes, rows[i].messages, post));
    expected.emplace_back(post + host.first_packet(rows[i].payload, rows[i].wqes), i);
  }
  std::sort(expected.begin(), expected.end());
  for (const auto& [at, i] : expected) {
    context.clock.run_to(at);
    EXPECT_EQ(lines[i].nic->counters().sent_packets(), 0u) << i;
    context.clock.run_to(at + 1_ps);
    EXPECT_EQ(lines[i].nic->counters().sent_packets(), 1u) << i;
  }
  test::run_on(context, 50_us);
  for (const auto& [at, i] : expected) {
    ASSERT_FALSE(decisions(lines[i]).empty());
    EXPECT_EQ(decisions(lines[i])[0], at) << i;
  }
}

// Every part of the configuration is in it once.
TEST(FetchTiming, EachLatencyMovesTheFirstPacketByItself) {
  struct Row {
    const char* what;
    Picoseconds later;
    void (*change)(RnicConfig&);
  };
  const std::vector<Row> rows = {
      {"nothing", 0_ps, [](RnicConfig&) {}},
      {"round trip, twice", 200_ns, [](RnicConfig& c) { c.memory.round_trip.value += 100_ns; }},
      {"mmio", 50_ns, [](RnicConfig& c) { c.memory.mmio_latency += 50_ns; }},
      {"writes", 0_ps, [](RnicConfig& c) { c.memory.write_latency.value += 70_ns; }},
      {"NUMA, twice", 300_ns, [](RnicConfig& c) { c.memory.remote = true; }}};
  fabric::sim_context context;
  std::vector<NicAndPeer> lines;
  for (unsigned i = 0; i < rows.size(); ++i) {
    RnicConfig config = with_host();
    rows[i].change(config);
    lines.emplace_back(context, config, odd_link, i);
    lines.back().queue_pair(messages(1024_B));
  }
  test::run_on(context, 20_us);
  const Picoseconds plain = HostTimes(with_host()).first_packet(1024_B);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ASSERT_EQ(decisions(lines[i]).size(), 1u);
    EXPECT_EQ(decisions(lines[i])[0], plain + rows[i].later) << rows[i].what;
  }
}

TEST(FetchTiming, PrefetchOfARoundTripKeepsTheLineBusy) {
  fabric::sim_context context;
  const RnicConfig config = with_host();  // 16 KiB: 1.4 us at 100 Gbps
  NicAndPeer one(context, config), many(context, config, odd_link, 1);
  one.queue_pair(messages(Bytes(500 * 1024)));
  many.queue_pair(messages(2048_B, 250), 250);
  test::run_on(context, 100_us);
  for (const auto* line : {&one, &many}) {
    const auto at = decisions(*line);
    ASSERT_EQ(at.size(), 500u);
    for (std::size_t k = 0; k < at.size(); ++k) {
      EXPECT_EQ(at[k], at[0] + packet_time * static_cast<std::int64_t>(k)) << k;
    }
    EXPECT_LE(line->nic->fetcher()->most_used(), 16_KiB);
    EXPECT_EQ(line->nic->fetcher()->used(), 0_B);
    EXPECT_EQ(line->nic->fetcher()->counters().discarded_bytes, 0);
    test::expect_time_accounted(*line->nic, 100_us);
  }
}

// With less, a packet's read begins when the one `prefetch` before it leaves.
TEST(FetchTiming, LessPrefetchGivesItsBytesPerRoundTrip) {
  for (const int packets : {4, 7}) {
    const std::string done = test::in_child([&]() -> std::string {
      fabric::sim_context context;
      RnicConfig config = with_host();
      config.memory.round_trip.value = 5'000'021_ps;
      config.fetch.prefetch = Bytes(packets * 1024 + 1);
      const HostTimes host(config);
      NicAndPeer line(context, config);
      line.queue_pair(messages(Bytes(200 * 1024)));
      test::run_on(context, 500_us);
      const auto at = decisions(line);
      EXPECT_EQ(at.size(), 200u);
      const Picoseconds round = host.read(1024_B);
      const Picoseconds first = host.first_packet(1024_B);
      Picoseconds idle{};
      for (std::size_t k = 0; k < at.size(); ++k) {
        const auto rounds = static_cast<std::int64_t>(k) / packets;
        const auto rest = static_cast<std::int64_t>(k) % packets;
        EXPECT_EQ(at[k], first + round * rounds + packet_time * rest) << k;
        if (k > 0) idle += at[k] - at[k - 1] - packet_time;
      }
      EXPECT_EQ(idle_time(*line.nic, IdleCause::payload), idle + host.read(1024_B));
      EXPECT_EQ(line.nic->fetcher()->most_used(), Bytes(packets * 1024));
      test::expect_time_accounted(*line.nic, 500_us);
      return "done";
    });
    EXPECT_EQ(done, "done");
  }
}

// Per message, one after the other: doorbell, WQE and payload, each its own time.
TEST(FetchTiming, IdleTimeGoesToItsCause) {
  fabric::sim_context context;
  const RnicConfig config = with_host();
  const HostTimes host(config);
  NicAndPeer line(context, config);
  const std::int64_t n = 5;
  line.queue_pair(messages(1024_B, 5, 10_us, 20_us));
  test::run_on(context, 200_us);
  const Nic& nic = *line.nic;
  EXPECT_EQ(decisions(line).size(), 5u);
  EXPECT_EQ(idle_time(nic, IdleCause::doorbell), host.doorbell() * n);
  EXPECT_EQ(idle_time(nic, IdleCause::wqe), host.read(64_B) * n);
  EXPECT_EQ(idle_time(nic, IdleCause::payload), host.read(1024_B) * n);
  EXPECT_EQ(idle_time(nic, IdleCause::no_work),
            200_us - (host.first_packet(1024_B) + packet_time) * n);
  test::expect_time_accounted(nic, 200_us);
}

TEST(FetchTiming, ASlowLinkLimitsTransmissionToItsReadBandwidth) {
  for (const std::uint32_t lanes : {4u, 2u}) {
    const std::string done = test::in_child([&]() -> std::string {
      fabric::sim_context context;
      RnicConfig config = with_host();
      config.pcie.generation = 3;
      config.pcie.lanes.value = lanes;
      config.reliability.window = 65536;
      NicAndPeer line(context, config);
      line.queue_pair(messages(Bytes(1 << 23), 4));
      const auto sent_at = [&](Picoseconds t) {
        test::run_on(context, t);
        return line.nic->counters().sent_packets();
      };
      const auto before = sent_at(100_us), after = sent_at(1100_us);
      const double rate = static_cast<double>(after - before) * 1024 * 8 / 1e-3;
      const double limit = read_bandwidth(config.pcie, 1024_B);
      EXPECT_NEAR(rate / limit, 1.0, 0.003) << lanes << " lanes: " << rate << " of " << limit;
      EXPECT_GT(idle_time(*line.nic, IdleCause::payload), 600_us);
      test::expect_time_accounted(*line.nic, 1100_us);
      return "done";
    });
    EXPECT_EQ(done, "done");
  }
}

// Reads ahead are events and reservations on local time: links longer than the host's round trip,
// and memory that answers early, must not make time run backwards.
TEST(FetchTiming, LinksMayBeLongerThanTheRoundTrip) {
  std::vector<std::string> results;
  for (const auto mode : {fabric::scheduling::windowed, fabric::scheduling::exact_wake}) {
    results.push_back(test::in_child([&] {
      fabric::sim_context context(fabric::time_config{.mode = mode}, 1);
      RnicConfig config = with_host();
      config.memory.jitter.value = 250_ns;
      fabric::LinkConfig link = odd_link;
      link.delay = 20_us;
      NicPair nics(context, config, link);
      connect_queue_pairs(*nics.a, *nics.b,
                          {.a_to_b = messages(1500_B, 120), .b_to_a = messages(3_KiB, 50, 200_us)});
      test::run_on(context, 1_ms);
      EXPECT_TRUE(nics.a->finished() && nics.b->finished());
      return fmt::format("{} {}", nics.a->queue_pair(0).progress().last_completion.count(),
                         nics.b->queue_pair(0).progress().last_completion.count());
    }));
  }
  EXPECT_EQ(results[0], results[1]);
}

// ---- receiving

// Payload occupies the RX buffer from its packet's decision until it is visible in memory.
TEST(FetchTiming, ArrivedPayloadLeavesTheBufferWhenItIsInMemory) {
  fabric::sim_context context;
  RnicConfig config = with_host();
  config.sram.rx_buffer = 4_KiB;
  config.memory.write_latency.value = 607_ns;
  const HostTimes host(config);
  const Picoseconds visible = host.write_time(1024_B) + host.write_latency();
  const Picoseconds wire = test::wire_time(Opcode::write_middle, 1024_B);
  ASSERT_GT(visible - 1_ps, wire * 4);
  std::vector<NicAndPeer> lines;
  for (unsigned i = 0; i < 3; ++i) {
    lines.emplace_back(context, config, odd_link, i);
    lines.back().queue_pair(nullptr);
    for (std::uint32_t psn = 0; psn < 4; ++psn) lines.back().far->data(wire * psn, psn);
  }
  // A fifth one, decided when the first one's payload is just in memory, and 1 ps before.
  lines[0].far->data(visible, 4);
  lines[1].far->data(visible - 1_ps, 4);
  context.clock.run_to(50_us);
  for (std::size_t i = 0; i < 3; ++i) {
    const RnicCounters& c = lines[i].nic->counters();
    EXPECT_EQ(c.rx_buffer_drops, i == 1 ? 1u : 0u) << i;
    EXPECT_EQ(c.data_received, i == 0 ? 5u : 4u);
    EXPECT_EQ(c.delivered_bytes, (i == 0 ? 5u : 4u) * 1024);
    EXPECT_EQ(lines[i].nic->host()->counters().bytes_written, c.delivered_bytes);
  }
  EXPECT_EQ(context.pool.dropped(), 1u);
  EXPECT_EQ(context.pool.live(), 0u);
}

TEST(FetchTiming, DuplicatesAndDiscardsAreNotWritten) {
  fabric::sim_context context;
  NicAndPeer line(context, with_host());
  line.queue_pair(nullptr);
  for (const std::uint32_t psn : {0u, 0u, 2u, 2u, 2000u}) line.far->data(1_us * psn / 10, psn);
  context.clock.run_to(1_ms);
  EXPECT_EQ(line.nic->counters().data_received, 5u);
  EXPECT_EQ(line.nic->host()->counters().bytes_written, 2048u);
  EXPECT_EQ(line.nic->host()->counters().writes, 8u);
}

// Packets dropped by a full RX buffer come again, and every byte is delivered once.
TEST(FetchTiming, DropsOfAFullBufferAreCountedAndMadeGood) {
  for (const std::string transport : {"rnic_sr", "go_back_n", "timeout_only"}) {
    const std::string done = test::in_child([&]() -> std::string {
      fabric::sim_context context;
      RnicConfig config = with_host();
      config.transport = transport;
      config.reliability.rto = 100_us;
      config.reliability.window = 64;
      RnicConfig slow = config;
      slow.pcie.generation = 3;
      slow.pcie.lanes.value = 4;
      slow.sram.rx_buffer = 8_KiB;
      Nic a("a", context, config, 0), b("b", context, slow, 1);
      connect(a, 0, b, 0, odd_link);
      connect_queue_pairs(a, b, {.a_to_b = messages(20_KiB, 10)});
      test::run_on(context, 20_ms);
      EXPECT_TRUE(a.finished());
      EXPECT_EQ(b.counters().delivered_bytes, 10u * 20 * 1024);
      EXPECT_EQ(a.counters().bytes_completed, 10u * 20 * 1024);
      EXPECT_GT(b.counters().rx_buffer_drops, 10u);
      EXPECT_EQ(a.counters().sent_packets(),
                b.counters().data_received + b.counters().rx_buffer_drops);
      EXPECT_EQ(context.pool.dropped(), b.counters().rx_buffer_drops);
      EXPECT_EQ(context.pool.live(), 0u);
      return "done";
    });
    EXPECT_EQ(done, "done") << transport;
  }
}

// Each completed message is a completion queue entry of 64 bytes in the sender's memory.
TEST(FetchTiming, CompletionsAreWritten) {
  fabric::sim_context context;
  NicPair nics(context, with_host());
  connect_queue_pairs(*nics.a, *nics.b, {.a_to_b = messages(3_KiB, 7)});
  test::run_on(context, 100_us);
  EXPECT_TRUE(nics.a->finished());
  EXPECT_EQ(nics.a->host()->counters().bytes_written, 7u * 64);
  EXPECT_EQ(nics.a->host()->counters().mmio_writes, 1u);
  EXPECT_EQ(nics.b->host()->counters().bytes_written, 7u * 3072);
}

}  // namespace
}  // namespace horae::rnic::fetch_timing_test
