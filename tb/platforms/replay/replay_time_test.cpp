// `horae replay`: when packets of a capture enter a switch and leave it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "replay.hpp"

namespace horae::test::replay_time_test {
namespace {

/// First bit in to first bit out of a frame at 100 Gbps through an idle chip, from the chip's
/// latencies and the cycles that `horae size` gives the program.
class Latency {
 public:
  explicit Latency(const Workplace& place) {
    const auto priced = run(place, {"size", "three.toml", "--json"}).json();
    const auto& cycles = priced.at("pipelines").at(0).at("latency_cycles");
    ingress_ = Cycles(cycles.at("ingress").get<std::int64_t>());
    egress_ = Cycles(cycles.at("egress").get<std::int64_t>());
  }
  /// Times of a packet whose first bit is in at `at` of the trace; the chip is 500 ns ahead of it.
  Picoseconds out(Picoseconds at, Bytes frame) const {
    const Clock clock(Hertz(1'500'000'000));
    const Picoseconds last = at + 500_ns + l1_bytes(frame).count() * 80_ps;
    const Cycles entry = clock.at_or_after(last + 60_ns + 50_ns);              // MAC, parser
    const Picoseconds queued = clock.edge(entry + ingress_) + 40_ns + 150_ns;  // deparser, TM
    return queued + 40_ns + clock.edge(egress_) + 30_ns + 30_ns - 500_ns;  // parser, deparser, MAC
  }

 private:
  Cycles ingress_, egress_;
};

TEST(Replay, TimesAreExact) {
  const ReplayPlace place;
  const Latency latency(place);
  const Packet small = roce_packet(0, 1, Opcode::send_only, 7, 0);
  const Packet large = roce_packet(0, 1, Opcode::write_middle, 8, 4096);
  PcapBytes pcap;
  pcap.packet(1000, 999'999'000, bytes_of(small)).packet(1001, 1000, bytes_of(large));
  pcap.packet(1001, 9001, bytes_of(small));
  place.write_pcap("in.pcap", pcap);
  const std::vector<Packet> packets = {small, large, small};
  const auto check = [&](const Words& pace, const std::vector<Picoseconds>& at) {
    Words arguments = {"in.pcap@a"};
    arguments.insert(arguments.end(), pace.begin(), pace.end());
    const auto summary = place.summary(arguments);
    EXPECT_EQ(result(summary, "late_packets"), 0);
    const auto rows = place.rows("out/packets.csv");
    ASSERT_EQ(rows.size(), 3u);
    Picoseconds wire_free{};  // the wire behind the chip: a small packet waits for a large one
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(number(rows[i], "first_bit_in_ps"), at[i].count());
      const Picoseconds out = std::max(wire_free, latency.out(at[i], packets[i].frame_size()));
      EXPECT_EQ(number(rows[i], "first_bit_out_ps"), out.count());
      wire_free = out + packets[i].wire_size().count() * 80_ps;
      EXPECT_EQ(rows[i].at("out_port"), "1");
    }
    const auto out = captured(place, "out/ports/t_1.pcap");
    ASSERT_EQ(out.size(), 3u);
    EXPECT_EQ(out[1].time_ns, 1'000'999'999'000 + number(rows[1], "first_bit_out_ps") / 1000);
  };
  check({}, {0_ns, 2_us, 10'001_ns});
  check({"--scale", "2.5"}, {0_ns, 5_us, Picoseconds(25'002'500)});
  check({"--back-to-back"}, {0_ns, small.wire_size().count() * 80_ps,
                             (small.wire_size() + large.wire_size()).count() * 80_ps});
}

TEST(Replay, WhatCannotBeOnTimeIsLate) {
  const ReplayPlace place;
  const Packet p = roce_packet(0, 1, Opcode::write_middle, 8, 1024);
  PcapBytes pcap;
  pcap.packet(5, 0, bytes_of(p)).packet(5, 0, bytes_of(p)).packet(4, 0, bytes_of(p));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap", "--port", "0"});
  const double wire_ns = static_cast<double>(p.wire_size().count()) * 0.08;
  EXPECT_EQ(result(summary, "late_packets"), 2);
  EXPECT_DOUBLE_EQ(result(summary, "largest_lateness"), 2 * wire_ns);
  EXPECT_EQ(result(summary, "backward_stamps"), 1);
}

TEST(Replay, RatesAreOfTheTimeInWhichPacketsCame) {
  const ReplayPlace place;
  const Packet p = roce_packet(0, 1, Opcode::write_middle, 1, 1024);
  PcapBytes pcap;
  for (int i = 0; i < 100; ++i) {
    ByteString f = bytes_of(p);
    if (i > 0) f[30] = 192, f[31] = 168, f[32] = 0, f[33] = 9;
    pcap.packet(1, 0, f);
  }
  place.write_pcap("in.pcap", pcap);
  // The last packet out leaves long before the last one comes in.
  const std::int64_t wire_ps = p.wire_size().count() * 80;
  for (const std::string filter : {"", "dst 192.168.0.9"}) {
    const std::int64_t packets = filter.empty() ? 100 : 99;
    const auto summary = place.summary({"in.pcap@a", "--unknown", "drop", "--filter", filter});
    EXPECT_EQ(result(summary, "packets_out"), filter.empty() ? 1 : 0);
    EXPECT_EQ(summary.at("sim_time_ps"), packets * wire_ps);
    EXPECT_DOUBLE_EQ(result(summary, "rate_window"), static_cast<double>(packets * wire_ps) / 1e6);
    EXPECT_DOUBLE_EQ(result(summary, "rate_in"), 100) << "line rate, of layer 1";
  }
}

TEST(Replay, TimeBeginsWithTheFirstPacketThatIsSent) {
  const ReplayPlace place;
  const ByteString f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  ByteString bad = f;
  bad[14] = 0x95;
  PcapBytes pcap;
  pcap.packet(1, 0, bad).packet(2, 0, f).packet(2, 1000, f);
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a", "--skip-damaged"});
  EXPECT_EQ(result(summary, "damaged_skipped"), 1);
  const auto rows = place.rows("out/packets.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(number(rows[0], "first_bit_in_ps"), 0);
  EXPECT_EQ(number(rows[1], "first_bit_in_ps"), 1'000'000);
}

TEST(Replay, PeopleReadTimesInAUnitThatSuitsThem) {
  const ReplayPlace place;
  PcapBytes pcap;
  const Packet p = roce_packet(0, 1, Opcode::send_only, 1, 64);
  pcap.packet(1, 0, bytes_of(p)).packet(22, 299'679'040, bytes_of(p));
  place.write_pcap("in.pcap", pcap);
  const Ended ended = run(place, {"replay", "in.pcap@a", "--platform", "three.toml"});
  EXPECT_TRUE(ended.out.starts_with("t of three: complete after 21.2997 s simulated\n"))
      << ended.out;
}

TEST(Replay, StampsFrom2038OnAreTimes) {
  const ReplayPlace place;
  PcapBytes pcap;
  const Packet p = roce_packet(0, 1, Opcode::send_only, 1, 64);
  pcap.packet(0x7fffffff, 999'999'000, bytes_of(p)).packet(0x80000000, 0, bytes_of(p));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a"});
  EXPECT_EQ(result(summary, "backward_stamps"), 0);
  EXPECT_EQ(place.rows("out/packets.csv").at(1).at("first_bit_in_ps"), "1000000");
  // Output of the writer is read again, behind 2038 too.
  EXPECT_EQ(captured(place, "out/ports/t_1.pcap").at(1).time_ns / 1'000'000'000, 0x80000000);
}

TEST(Replay, ALongGapCostsNoTime) {
  const ReplayPlace place;
  PcapBytes pcap;
  pcap.packet(1, 0, bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 64)));
  pcap.packet(3'000'001, 0, bytes_of(roce_packet(0, 1, Opcode::send_only, 2, 64)));
  place.write_pcap("in.pcap", pcap);
  const auto summary = place.summary({"in.pcap@a"});
  EXPECT_EQ(place.rows("out/packets.csv").at(1).at("first_bit_in_ps"), "3000000000000000000");
  EXPECT_LT(summary.at("wall_s").get<double>(), 5.0);
}

}  // namespace
}  // namespace horae::test::replay_time_test
