// Times, rates and clocks to the picosecond.
#include "horae/core/units.hpp"

#include <gtest/gtest.h>

#include "horae/core/roce.hpp"

namespace horae::units_test {
namespace {

TEST(Units, SerialisationIsExactAtEthernetSpeeds) {
  EXPECT_EQ(serialisation_time(1106_B, 100_Gbps), 88480_ps);
  EXPECT_EQ(serialisation_time(4178_B, 200_Gbps), 167120_ps);
  EXPECT_EQ(serialisation_time(84_B, 400_Gbps), 1680_ps);
  EXPECT_EQ(serialisation_time(1_B, 25_Gbps), 320_ps);
}

TEST(Units, SerialisationRoundsUp) {
  EXPECT_EQ(serialisation_time(1_B, BitRate(3'000'000'000)), 2667_ps);
  EXPECT_EQ(serialisation_time(3_B, BitRate(3'000'000'000)), 8000_ps);
}

TEST(Units, ClockEdgesDoNotDrift) {
  const Clock clock(Hertz(1'500'000'000));
  EXPECT_EQ(clock.edge(Cycles(1)), 666_ps);
  EXPECT_EQ(clock.edge(Cycles(2)), 1333_ps);
  EXPECT_EQ(clock.edge(Cycles(3)), 2000_ps);
  EXPECT_EQ(clock.edge(Cycles(1'500'000'000)), Picoseconds(1'000'000'000'000));
}

TEST(Units, FirstEdgeAtOrAfterIsTheSmallest) {
  for (const std::int64_t hz : {1'500'000'000LL, 1'312'500'000LL, 1'000'000'000LL, 3LL}) {
    const Clock clock{Hertz(hz)};
    for (std::int64_t t = 0; t < 3000; ++t) {
      const Cycles n = clock.at_or_after(Picoseconds(t));
      EXPECT_GE(clock.edge(n).count(), t);
      if (n.count() > 0) {
        EXPECT_LT(clock.edge(n - Cycles(1)).count(), t);
      }
    }
  }
}

// The table of wire sizes for RoCEv2 over IPv4 without VLAN: Ethernet 14 + IPv4 20 + UDP 8 + BTH 12
// + payload + ICRC 4 + FCS 4; RETH 16 more on the first packet; preamble and gap 20 more on the
// wire.
TEST(Units, FrameSizesOfRoceV2) {
  struct Row {
    std::int64_t mtu, l2, l1;
  };
  for (const auto& [mtu, l2, l1] : {Row{256, 318, 338}, Row{512, 574, 594}, Row{1024, 1086, 1106},
                                    Row{2048, 2110, 2130}, Row{4096, 4158, 4178}}) {
    const Bytes frame = frame_bytes(Opcode::write_middle, Bytes(mtu));
    EXPECT_EQ(frame, Bytes(l2));
    EXPECT_EQ(l1_bytes(frame), Bytes(l1));
    EXPECT_EQ(counted_bytes(frame, Layer::l1), Bytes(l1));
    EXPECT_EQ(counted_bytes(frame, Layer::l2), Bytes(l2));
    EXPECT_EQ(frame_bytes(Opcode::write_first, Bytes(mtu)), Bytes(l2 + 16));
    EXPECT_EQ(frame_bytes(Opcode::write_middle, Bytes(mtu), {.ipv6 = true, .vlan = true}),
              Bytes(l2 + 24));
  }
  EXPECT_EQ(frame_bytes(Opcode::acknowledge, 0_B), 66_B);
  EXPECT_EQ(frame_bytes(Opcode::cnp, 0_B), 78_B);
  EXPECT_EQ(frame_bytes(Opcode::send_only, 0_B), 64_B);   // padded to the minimum frame
  EXPECT_EQ(frame_bytes(Opcode::write_last, 5_B), 70_B);  // pad count 3
}

}  // namespace
}  // namespace horae::units_test
