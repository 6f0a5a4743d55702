// Codes of traffic classes in frames: DSCP and PCP of a platform of its own.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <variant>

#include "horae/core/codec.hpp"
#include "horae/core/wire_bytes.hpp"

namespace horae::class_codes_test {
namespace {

Packet packet_of_class(std::uint8_t traffic_class) {
  Packet p;
  p.id = 7;
  p.src = 1;
  p.dst = 2;
  p.opcode = Opcode::write_only;
  p.payload = 64;
  p.frame = static_cast<std::uint16_t>(frame_bytes(p.opcode, Bytes(p.payload)).count());
  p.traffic_class = traffic_class;
  return p;
}

unsigned dscp_of(const RoceFrame& frame) {
  return std::visit([](const auto& ip) -> unsigned { return ip.dscp; }, frame.ip);
}

TEST(ClassCodes, AreClassSelectorsWhereNothingIsSaid) {
  const ClassCodes codes;
  for (unsigned c = 0; c < 8; ++c) {
    EXPECT_EQ(codes.dscp[c], 8 * c);
    EXPECT_EQ(codes.pcp[c], c);
  }
  for (unsigned d = 0; d < 64; ++d)
    EXPECT_EQ(codes.class_of_dscp(static_cast<std::uint8_t>(d)), d / 8) << d;
}

TEST(ClassCodes, FramesHaveThoseOfThePlanAndAreReadBackByThem) {
  AddressPlan plan{
      .vlan_id = 5,
      .codes = {.dscp = {0, 10, 18, 26, 34, 46, 48, 56}, .pcp = {1, 0, 2, 3, 4, 5, 7, 6}}};
  for (const bool ipv6 : {false, true}) {
    plan.ipv6 = ipv6;
    for (std::uint8_t c = 0; c < 8; ++c) {
      Packet p = packet_of_class(c);
      p.frame = static_cast<std::uint16_t>(
          frame_bytes(p.opcode, Bytes(p.payload), plan.encapsulation()).count());
      const RoceFrame frame = frame_of(p, plan);
      EXPECT_EQ(dscp_of(frame), plan.codes.dscp[c]);
      EXPECT_EQ(frame.vlan->pcp, plan.codes.pcp[c]);
      EXPECT_EQ(packet_of(frame, plan).traffic_class, c);
      EXPECT_EQ(plan.codes.class_of_pcp(plan.codes.pcp[c]), c);
    }
  }
  EXPECT_EQ(plan.codes.class_of_dscp(63), 7) << "a code of no class is read as a class selector";
}

// Two classes of one DSCP are one on the wire, but a packet whose DSCP nobody changed stays what it
// was.
TEST(ClassCodes, OfTwoClassesWithOneCodeAPacketKeepsItsOwn) {
  WireBytes all;
  all.use({.dscp = {0, 26, 26, 24, 32, 40, 48, 56}});
  for (const std::uint8_t c : {1, 2}) {
    Packet p = packet_of_class(c);
    p.id = c;
    FrameBytes bytes;
    all.arrive(p, bytes);
    EXPECT_EQ(bytes[15] >> 2, 26);
    ASSERT_TRUE(all.leave(p, bytes));
    EXPECT_EQ(p.traffic_class, c);
    // Something on the way gives it the code of another.
    const auto word = [&](std::size_t at) { return bytes[at] << 8 | bytes[at + 1]; };
    const auto before = static_cast<std::uint32_t>(word(14));
    bytes[15] = static_cast<std::uint8_t>(40 << 2 | (bytes[15] & 3));
    const std::uint16_t sum = updated_checksum(static_cast<std::uint32_t>(word(24)), before,
                                               static_cast<std::uint32_t>(word(14)));
    bytes[24] = static_cast<std::uint8_t>(sum >> 8);
    bytes[25] = static_cast<std::uint8_t>(sum & 0xff);
    all.leave(p, bytes);
    EXPECT_EQ(p.traffic_class, 5);
  }
}

}  // namespace
}  // namespace horae::class_codes_test
