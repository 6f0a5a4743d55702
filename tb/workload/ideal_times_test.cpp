// Closed forms of a message's time in an idle network: which of the shortest paths it is of, and
// which bytes.
#include "horae/workload/ideal_times.hpp"

#include "placed.hpp"

namespace horae::test::ideal_times_test {
namespace {

/// Two leaves and two spines; links 8 and 9 lead from the first leaf to the spines, 10 and 11 from
/// the second.
config::PlatformConfig clos(const std::vector<std::string>& settings = {}) {
  return eight_placed("kind = \"batch\"\n", settings);
}
Picoseconds across(const config::PlatformConfig& p, Bytes bytes = 100'000_B) {
  return workload::IdealTimes(p).at_line_rate(0, 7, bytes);
}
Picoseconds by_base_rtt(const config::PlatformConfig& p, Bytes bytes = 100'000_B) {
  return workload::IdealTimes(p).by_base_rtt(0, 7, bytes);
}
void slow(config::PlatformConfig& p, std::size_t link) { p.links.at(link).config.rate = 25_Gbps; }

TEST(IdealTimes, ASlowLinkOfOnePathLeavesTheOther) {
  for (const auto time : {&across, &by_base_rtt}) {
    const Picoseconds idle = time(clos(), 100'000_B);
    for (const std::size_t spine : {8u, 9u}) {
      auto p = clos();
      slow(p, spine);
      EXPECT_EQ(time(p, 100'000_B), idle) << spine;
      p.links.at(spine).config.delay += 1_us;
      EXPECT_EQ(time(p, 100'000_B), idle) << spine;
    }
    auto p = clos();
    slow(p, 8);
    slow(p, 9);
    EXPECT_GT(time(p, 100'000_B), idle);
  }
}

TEST(IdealTimes, WhatIsQuickestDependsOnTheMessage) {
  // One path is fast and long, the other slow and short.
  auto p = clos();
  p.links.at(8).config.delay += 10_us;
  p.links.at(8).backward.delay += 10_us;
  slow(p, 9);
  auto fast = p, near = p;
  fast.links.at(9).config.delay += 1000_ms;
  near.links.at(8).config.delay += 1000_ms;
  EXPECT_EQ(across(p, 1_MiB), across(fast, 1_MiB));
  EXPECT_LT(across(p, 1_MiB), across(near, 1_MiB));
  EXPECT_EQ(across(p, 1000_B), across(near, 1000_B));
  EXPECT_LT(across(p, 1000_B), across(fast, 1000_B));
}

TEST(IdealTimes, TheAcknowledgementReturnsByTheQuickestPathToo) {
  const Picoseconds idle = across(clos());
  auto p = clos();
  p.links.at(10).config.delay += 5_us;  // second leaf to first spine
  EXPECT_EQ(across(p), idle);
  p.links.at(11).config.delay += 5_us;
  EXPECT_EQ(across(p), idle + 5_us);
}

TEST(IdealTimes, BehindOneSwitchThereIsOnePath) {
  auto p = clos();
  for (std::size_t link = 8; link < 12; ++link) slow(p, link);
  EXPECT_EQ(workload::IdealTimes(p).at_line_rate(0, 1, 100'000_B),
            workload::IdealTimes(clos()).at_line_rate(0, 1, 100'000_B));
}

/// Time of frames one behind the other, store and forward, over equal links: all of them once,
/// and the longest once more on each link but one.
Picoseconds in_a_row(const std::vector<Bytes>& frames, int links) {
  Picoseconds all{}, longest{};
  for (const Bytes frame : frames) {
    const Picoseconds time = serialisation_time(l1_bytes(frame), 100_Gbps);
    all += time;
    longest = std::max(longest, time);
  }
  return all + longest * (links - 1);
}

TEST(IdealTimes, ARethOnEveryPacketIsOnTheWire) {
  for (const bool every : {false, true}) {
    const auto p = clos({fmt::format("nic.reth_on_every_packet={}", every)});
    const Bytes reth(every ? wire::reth : 0);
    const auto& nic = std::get<rnic::RnicConfig>(p.profiles.at("nic"));
    // Four links and three switches each way.
    const Picoseconds fixed = (nic.tx_latency + nic.rx_latency) * 2 + nic.ack_delay +
                              (p.links[0].config.delay * 4 + 400_ns * 3) * 2;
    const Picoseconds data = in_a_row(
        {frame_bytes(Opcode::write_first, 1000_B), frame_bytes(Opcode::write_middle, 1000_B) + reth,
         frame_bytes(Opcode::write_last, 1000_B) + reth},
        4);
    const Picoseconds ack = in_a_row({frame_bytes(Opcode::acknowledge, 0_B)}, 4);
    EXPECT_EQ(across(p, 3000_B), fixed + data + ack);
  }
}

TEST(IdealTimes, TheBaseRoundTripCountsTheSimulatorsFrames) {
  for (const auto& [frames, headers] :
       std::vector<std::pair<std::string, Bytes>>{{"htsim", 64_B}, {"ns3", 48_B}}) {
    const auto p = clos({"nic.frames=" + frames});
    const Picoseconds packet = serialisation_time(1000_B + headers, 100_Gbps);
    const Picoseconds round_trip =
        p.links[0].config.delay * 8 + serialisation_time(1000_B, 100_Gbps) * 4;
    EXPECT_EQ(by_base_rtt(p, 5000_B), round_trip + packet * 5) << frames;
    EXPECT_LT(by_base_rtt(p, 5000_B), by_base_rtt(clos(), 5000_B));
  }
}

}  // namespace
}  // namespace horae::test::ideal_times_test
