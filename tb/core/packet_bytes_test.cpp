// Packets as bytes and back, for what works on bytes.
#include <gtest/gtest.h>

#include <string>

#include "horae/core/error.hpp"
#include "horae/core/wire_bytes.hpp"

namespace horae::packet_bytes_test {
namespace {

Packet plain(Opcode opcode, std::uint16_t payload) {
  Packet p;
  p.src = 3;
  p.dst = 500;
  p.dest_qp = Qpn(0x123);
  p.psn = Psn(0xfffffe);
  p.opcode = opcode;
  p.payload = payload;
  p.frame = static_cast<std::uint16_t>(frame_bytes(opcode, Bytes(payload)).count());
  p.entropy = 0xc0de;
  p.ecn = Ecn::ect0;
  p.traffic_class = 3;
  p.ack_request = true;
  return p;
}

TEST(PacketBytes, TheyComeBack) {
  for (const Opcode opcode : {Opcode::write_first, Opcode::write_middle, Opcode::write_last,
                              Opcode::write_only, Opcode::acknowledge, Opcode::cnp}) {
    Packet p = plain(opcode, is_write(opcode) ? 1024 : 0);
    p.syndrome = opcode == Opcode::acknowledge ? syndrome::nak_psn_sequence : 0;
    p.msn = opcode == Opcode::acknowledge ? 77 : 0;
    const auto bytes = wire_bytes_of(p);
    EXPECT_EQ(static_cast<std::int64_t>(bytes.size()) + wire::fcs, p.frame);
    const FieldsFound found = fields_of(bytes, p, true);
    ASSERT_TRUE(found.roce) << found.complaint;
    EXPECT_TRUE(found.icrc);
    Packet q;
    q.id = 9;
    q.created = 5_ns;
    q.frame = p.frame;
    take_fields(q, found.fields);
    EXPECT_EQ(wire_bytes_of(q), bytes);
    EXPECT_EQ(q.src, 3u);
    EXPECT_EQ(q.psn, p.psn);
    EXPECT_EQ(q.payload, p.payload);
    EXPECT_EQ(q.msn, p.msn);
    EXPECT_EQ(q.ecn, Ecn::ect0);
    EXPECT_EQ(q.traffic_class, 3);
    EXPECT_EQ(q.id, 9u);
    EXPECT_EQ(q.created, 5_ns);
  }
}

// As NICs with direct data placement send them: a RETH follows the BTH, and it is no payload.
TEST(PacketBytes, AWriteMayHaveARethOfItsOwn) {
  Packet p = plain(Opcode::write_middle, 1024);
  p.frame = static_cast<std::uint16_t>(p.frame + wire::reth);
  const auto bytes = wire_bytes_of(p);
  EXPECT_EQ(static_cast<std::int64_t>(bytes.size()) + wire::fcs, p.frame);
  const FieldsFound found = fields_of(bytes, p, true);
  ASSERT_TRUE(found.roce) << found.complaint;
  EXPECT_EQ(found.fields.payload, 1024);
}

TEST(PacketBytes, AWrongIcrcIsSeenWhereItIsAskedFor) {
  const Packet p = plain(Opcode::write_only, 64);
  auto bytes = wire_bytes_of(p);
  bytes.back() ^= 1;
  EXPECT_FALSE(fields_of(bytes, p, true).icrc);
  EXPECT_TRUE(fields_of(bytes, p, false).icrc);
  EXPECT_TRUE(fields_of(wire_bytes_of(p, nullptr, {.icrc = false}), p, false).roce);
}

TEST(PacketBytes, OthersAreRefused) {
  Packet p = plain(Opcode::write_only, 64);
  p.frame = static_cast<std::uint16_t>(p.frame + 4);
  try {
    wire_bytes_of(p);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("expected RoCEv2 alone"), std::string::npos) << e.what();
  }
  p.frame = static_cast<std::uint16_t>(p.frame - 4);
  auto bytes = wire_bytes_of(p);
  bytes[23] = 6;  // TCP
  const FieldsFound found = fields_of(bytes, p, true);
  EXPECT_FALSE(found.roce);
  EXPECT_NE(found.complaint.find("byte "), std::string::npos) << found.complaint;
  EXPECT_EQ(found.complaint.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace horae::packet_bytes_test
