// The time of a message in an idle network: which of the shortest paths it is of.
#include "horae/flows/ideal_times.hpp"

#include "placed.hpp"

namespace horae::test::ideal_times_test {
namespace {

/// Two leaves and two spines; links 8 and 9 lead from the first leaf to the spines, 10 and 11 from
/// the second.
config::PlatformConfig clos(const std::string& ideal = "idle") {
  return eight_placed("kind = \"batch\"\n", {"sim.ideal=" + ideal});
}
Picoseconds across(const config::PlatformConfig& p, Bytes bytes = 100'000_B) {
  return flows::IdealTimes(p).completion(0, 7, bytes);
}
void slow(config::PlatformConfig& p, std::size_t link) { p.links.at(link).config.rate = 25_Gbps; }

TEST(IdealTimes, ASlowLinkOfOnePathLeavesTheOther) {
  for (const std::string ideal : {"idle", "base_rtt"}) {
    const Picoseconds idle = across(clos(ideal));
    for (const std::size_t spine : {8u, 9u}) {
      auto p = clos(ideal);
      slow(p, spine);
      EXPECT_EQ(across(p), idle) << spine;
      p.links.at(spine).config.delay += 1_us;
      EXPECT_EQ(across(p), idle) << spine;
    }
    auto p = clos(ideal);
    slow(p, 8);
    slow(p, 9);
    EXPECT_GT(across(p), idle);
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
  EXPECT_EQ(flows::IdealTimes(p).completion(0, 1, 100'000_B),
            flows::IdealTimes(clos()).completion(0, 1, 100'000_B));
}

}  // namespace
}  // namespace horae::test::ideal_times_test
