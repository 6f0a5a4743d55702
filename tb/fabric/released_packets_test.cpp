// Which packets of a flow are under way: what answers and repeated packets settle.
#include "horae/fabric/released_packets.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace horae::fabric {
namespace {

ReleasedPackets released(std::uint32_t first, std::uint32_t last) {
  ReleasedPackets r;
  for (std::uint32_t psn = first; psn <= last; ++psn) r.add(Psn(psn), 100);
  return r;
}

TEST(ReleasedPackets, AnAckSettlesEverythingBefore) {
  auto r = released(10, 19);
  EXPECT_EQ(r.settle_before(Psn(13)), 300);
  EXPECT_EQ(r.settle_before(Psn(13)), 0);  // once more: nothing
  EXPECT_EQ(r.settle_before(Psn(11)), 0);  // an old one
  EXPECT_EQ(r.settle_before(Psn(20)), 700);
  EXPECT_TRUE(r.empty());
}

TEST(ReleasedPackets, WhatArrivedSettlesWhatWasLetGoBefore) {
  auto r = released(10, 19);
  EXPECT_EQ(r.settle_through(Psn(14)), 500);
  EXPECT_EQ(r.settle_through(Psn(14)), 0);
  EXPECT_EQ(r.settle_through(Psn(30)), 0);  // never let go
  EXPECT_EQ(r.settle_all(), 500);
  EXPECT_TRUE(r.empty());
}

// 10 to 13 go, 10 is lost, all come again: each takes the place of its first one, and none is
// counted twice or for ever.
TEST(ReleasedPackets, PacketsThatComeAgainLeaveNothingBehind) {
  auto r = released(10, 13);
  std::int64_t under_way = 400;
  for (std::uint32_t psn = 10; psn <= 13; ++psn) {
    under_way -= r.settle_through(Psn(psn));
    r.add(Psn(psn), 100);
    under_way += 100;
    EXPECT_EQ(under_way, 400);
  }
  EXPECT_EQ(r.settle_before(Psn(14)), 400);
}

TEST(ReleasedPackets, NumbersBeginAgain) {
  auto r = released(Psn::mask - 1, Psn::mask + 2);
  EXPECT_EQ(r.settle_before(Psn(0)), 200);
  EXPECT_EQ(r.settle_through(Psn(1)), 200);
}

}  // namespace
}  // namespace horae::fabric
