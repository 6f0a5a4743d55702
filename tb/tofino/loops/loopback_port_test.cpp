// The recirculation port as a part: when a packet is on its wire, and what it counts.
#include "horae/tofino/loopback_port.hpp"

#include <gtest/gtest.h>

namespace horae::tofino::loopback_port_test {
namespace {

// 20 ps per byte at 400 Gbps; preamble and gap are 20 bytes.
constexpr Picoseconds time_of_1000 = Picoseconds(1020 * 20);

Packet packet(std::uint16_t frame) {
  Packet p;
  p.frame = frame;
  return p;
}

TEST(LoopbackPort, AnIdlePortSendsAtOnce) {
  LoopbackPort port(400_Gbps);
  EXPECT_EQ(port.free_at(), 0_ps);
  EXPECT_EQ(port.take(packet(1000), 5_us), 5_us);
  EXPECT_EQ(port.free_at(), 5_us + time_of_1000);
  // It was idle for long: what came before does not matter.
  EXPECT_EQ(port.take(packet(1000), 9_us), 9_us);
  EXPECT_EQ(port.free_at(), 9_us + time_of_1000);
}

TEST(LoopbackPort, PacketsWaitForThoseBeforeThem) {
  LoopbackPort port(400_Gbps);
  EXPECT_EQ(port.take(packet(1000), 5_us), 5_us);
  EXPECT_EQ(port.take(packet(64), 5_us), 5_us + time_of_1000);
  EXPECT_EQ(port.take(packet(1000), 5_us + 1_ns), 5_us + time_of_1000 + Picoseconds(84 * 20));
  EXPECT_EQ(port.free_at(), 5_us + time_of_1000 * 2 + Picoseconds(84 * 20));
  // The wire is free to the picosecond.
  const Picoseconds free = port.free_at();
  EXPECT_EQ(port.take(packet(64), free), free);
}

TEST(LoopbackPort, TheRateIsThatOfTheChip) {
  LoopbackPort port(100_Gbps);
  EXPECT_EQ(port.time_on_wire(packet(1000)), time_of_1000 * 4);
  port.take(packet(1000), 0_ps);
  EXPECT_EQ(port.free_at(), time_of_1000 * 4);
}

TEST(LoopbackPort, CountsPacketsAndBytesOnTheWire) {
  LoopbackPort port(400_Gbps);
  port.take(packet(1000), 0_ps);
  port.take(packet(64), 0_ps);
  EXPECT_EQ(port.counters().packets, 2u);
  EXPECT_EQ(port.counters().bytes, 1020 + 84);
}

}  // namespace
}  // namespace horae::tofino::loopback_port_test
