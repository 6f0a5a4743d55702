// Packets of a run as bytes, and back: of one packet, and of those of a simulation.
#include "horae/core/wire_bytes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/core/error.hpp"

namespace horae::wire_bytes_test {
namespace {

using Frame = FrameBytes;

constexpr std::size_t tos = 15, ttl = 22, destination = 33;  // byte offsets behind Ethernet

Packet packet(Opcode opcode, std::uint16_t payload) {
  Packet p;
  p.id = 7;
  p.src = 3;
  p.dst = 12;
  p.dest_qp = Qpn(0x1234);
  p.psn = Psn(0xabcdef);
  p.opcode = opcode;
  p.payload = payload;
  p.frame = static_cast<std::uint16_t>(frame_bytes(opcode, Bytes(payload)).count());
  p.entropy = 49152;
  p.ecn = Ecn::ect0;
  p.traffic_class = 3;
  p.ack_request = true;
  if (has_aeth(opcode)) p.msn = 0x4321;
  return p;
}

/// The same with an address and a PSN of more than a byte each.
Packet plain(Opcode opcode, std::uint16_t payload) {
  Packet p = packet(opcode, payload);
  p.dst = 500;
  p.psn = Psn(0xfffffe);
  return p;
}

bool checksum_is_right(const Frame& f) {
  std::uint32_t sum = 0;
  for (std::size_t i = 14; i < 34; i += 2) sum += static_cast<std::uint32_t>(f[i] << 8 | f[i + 1]);
  while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

void expect_same_fields(const Packet& a, const Packet& b) {
  EXPECT_EQ(a.src, b.src);
  EXPECT_EQ(a.dst, b.dst);
  EXPECT_EQ(a.dest_qp, b.dest_qp);
  EXPECT_EQ(a.psn, b.psn);
  EXPECT_EQ(a.msn, b.msn);
  EXPECT_EQ(a.payload, b.payload);
  EXPECT_EQ(a.frame, b.frame);
  EXPECT_EQ(a.entropy, b.entropy);
  EXPECT_EQ(a.opcode, b.opcode);
  EXPECT_EQ(a.ecn, b.ecn);
  EXPECT_EQ(a.traffic_class, b.traffic_class);
  EXPECT_EQ(a.ack_request, b.ack_request);
}

TEST(WireBytes, AreTheFieldsAndBack) {
  for (const Opcode o :
       {Opcode::write_first, Opcode::write_middle, Opcode::write_only, Opcode::acknowledge,
        Opcode::cnp, Opcode::read_request, Opcode::read_response_middle, Opcode::send_only}) {
    WireBytes wire;
    const Packet before = packet(o, o == Opcode::write_middle ? 1021 : 0);
    Packet p = before;
    Frame f;
    wire.arrive(p, f);
    EXPECT_EQ(f.size() + 4, p.frame);
    EXPECT_TRUE(checksum_is_right(f));
    EXPECT_TRUE(wire.leave(p, f));
    expect_same_fields(before, p);
    EXPECT_FALSE(p.corrupted);
  }
}

TEST(WireBytes, WhatFieldsDoNotHoldIsKeptForTheNextChip) {
  WireBytes wire;
  Packet p = packet(Opcode::write_middle, 64);
  Frame f;
  wire.arrive(p, f);
  EXPECT_EQ(f[ttl], 64);
  f[ttl] = 63;
  f[24] = static_cast<std::uint8_t>(f[24] + 1);  // the checksum that goes with it
  f[60] = 0x5a;                                  // and payload
  ASSERT_TRUE(wire.leave(p, f));
  Frame next;
  wire.arrive(p, next);
  EXPECT_EQ(next, f);
  // A packet that has the same place later is unaffected.
  p.id = 8;
  wire.arrive(p, next);
  EXPECT_EQ(next[ttl], 64);
  EXPECT_EQ(next[60], 0);
}

TEST(WireBytes, AnotherProcessHasWhatIsKeptOfAPacket) {
  WireBytes here, there;
  Packet p = packet(Opcode::write_first, 64);
  std::vector<std::byte> out(3);  // behind what is there
  here.hand_over(p, out);
  EXPECT_EQ(out.size(), 3u) << "a packet that goes by its fields has nothing";

  PacketContents& contents = here.make(p);
  contents.reth = Reth{.virtual_address = 0x1234, .remote_key = 7, .dma_length = 64};
  contents.payload = {1, 2, 3};
  Packet copy = p;
  here.hand_over(p, out);
  there.take_over(copy, std::span(out).subspan(3));
  ASSERT_NE(there.find(copy), nullptr);
  EXPECT_EQ(there.find(copy)->reth, contents.reth);
  EXPECT_EQ(there.find(copy)->payload, contents.payload);

  Frame f, next;
  here.arrive(p, f);
  f[ttl] = 63;
  f[60] = 0x5a;
  here.leave(p, f);
  out.clear();
  here.hand_over(p, out);
  there.take_over(copy, out);
  there.arrive(copy, next);
  EXPECT_EQ(next, f);
  // A packet that comes with nothing forgets what was kept at its place.
  there.take_over(copy, {});
  EXPECT_EQ(there.find(copy), nullptr);
  there.arrive(copy, next);
  EXPECT_EQ(next[ttl], 64);
}

TEST(WireBytes, MarksOfSwitchesAndOfTheChipAreInTheHeader) {
  WireBytes wire;
  Packet p = packet(Opcode::write_middle, 64);
  Frame f;
  wire.arrive(p, f);
  EXPECT_EQ(f[tos] & 3, static_cast<int>(Ecn::ect0));
  p.ecn = Ecn::ce;  // by the chip's queue
  ASSERT_TRUE(wire.leave(p, f));
  EXPECT_EQ(p.ecn, Ecn::ce);
  EXPECT_EQ(f[tos] & 3, 3);
  EXPECT_TRUE(checksum_is_right(f));

  p = packet(Opcode::write_middle, 64);
  p.id = 8;
  wire.arrive(p, f);
  EXPECT_EQ(f[tos] & 3, static_cast<int>(Ecn::ect0));
  ASSERT_TRUE(wire.leave(p, f));
  p.ecn = Ecn::ce;  // by a plain switch
  wire.arrive(p, f);
  EXPECT_EQ(f[tos] & 3, 3);
  EXPECT_TRUE(checksum_is_right(f));

  p = packet(Opcode::acknowledge, 0);
  p.id = 9;
  p.ecn = Ecn::not_ect;
  wire.arrive(p, f);
  p.ecn = Ecn::ce;
  ASSERT_TRUE(wire.leave(p, f));  // a transport that is not capable of it is not marked
  EXPECT_EQ(f[tos] & 3, 0);
}

TEST(WireBytes, WhatIsNoRoceIsCorruptedUntilAChipMendsIt) {
  WireBytes wire;
  Packet p = packet(Opcode::write_middle, 64);
  Frame f;
  wire.arrive(p, f);
  const Frame before = f;
  std::vector<std::uint8_t> longer(f.begin(), f.end());
  longer.insert(longer.begin() + 34, {1, 2, 3, 4});  // a shim in front of UDP
  f.assign(longer);
  f[destination] = 6;
  EXPECT_FALSE(wire.leave(p, f));
  EXPECT_TRUE(p.corrupted);
  EXPECT_EQ(p.dst, 5u);
  EXPECT_EQ(p.psn, Psn(0xabcdef));
  Frame next;
  wire.arrive(p, next);
  EXPECT_EQ(next, f);
  f = before;
  EXPECT_TRUE(wire.leave(p, f));
  EXPECT_FALSE(p.corrupted);
  EXPECT_EQ(p.dst, 12u);

  p.corrupted = true;  // a bit error on a link: nothing mends that
  wire.arrive(p, f);
  EXPECT_TRUE(wire.leave(p, f));
  EXPECT_TRUE(p.corrupted);
}

bool icrc_is_right(const Frame& f) {
  return decode({f.data(), f.size()}, {.icrc = true}).icrc_valid;
}

// With contents frames have them, and what is changed with its ICRC is what the packet has then.
TEST(WireBytes, HaveTheContentsOfNics) {
  WireBytes wire;
  wire.have_contents();
  Packet p = packet(Opcode::write_only, 5);
  PacketContents& contents = wire.make(p);
  contents.payload = {1, 2, 3, 4, 250};
  contents.reth = Reth{.virtual_address = 0x1000, .remote_key = 0x4101, .dma_length = 5};
  Frame f;
  wire.arrive(p, f);
  EXPECT_TRUE(icrc_is_right(f));
  RoceFrame frame = decode({f.data(), f.size()});
  EXPECT_EQ(frame.payload, (std::vector<std::uint8_t>{1, 2, 3, 4, 250}));
  EXPECT_EQ(frame.reth->virtual_address, 0x1000u);
  frame.payload[4] = 77;
  f.assign(encode(frame));
  EXPECT_TRUE(wire.leave(p, f));
  EXPECT_FALSE(p.corrupted);
  ASSERT_NE(wire.find(p), nullptr);
  EXPECT_EQ(wire.find(p)->payload.back(), 77);
  EXPECT_EQ(wire.find(p)->reth->remote_key, 0x4101u);
  Frame next;
  wire.arrive(p, next);
  EXPECT_EQ(next, f);
  // Sent again by the NIC: nothing of its earlier way is left.
  wire.make(p).payload = {9, 9, 9, 9, 9};
  wire.arrive(p, next);
  EXPECT_EQ(decode({next.data(), next.size()}).payload, std::vector<std::uint8_t>(5, 9));
}

TEST(WireBytes, AWrongIcrcIsToldUntilItIsMended) {
  WireBytes wire;
  wire.have_icrc();
  Packet p = packet(Opcode::write_middle, 64);
  Frame f;
  wire.arrive(p, f);
  EXPECT_TRUE(icrc_is_right(f));
  f[60] ^= 0x5a;
  EXPECT_TRUE(wire.leave(p, f));  // RoCEv2 it is still
  EXPECT_TRUE(p.corrupted);
  Frame next;
  wire.arrive(p, next);
  EXPECT_EQ(next, f);
  next[60] ^= 0x5a;
  EXPECT_TRUE(wire.leave(p, next));
  EXPECT_FALSE(p.corrupted);
  // Fields that the ICRC does not cover may change.
  f = next;
  f[ttl] = 63;
  f[24] = static_cast<std::uint8_t>(f[24] + 1);  // the checksum that goes with it
  EXPECT_TRUE(wire.leave(p, f));
  EXPECT_FALSE(p.corrupted);
  EXPECT_EQ(wire.find(p), nullptr);
}

// A bit error of a link is in the bytes, and stays one whatever passes them on.
TEST(WireBytes, ABitErrorIsSeenInTheIcrc) {
  WireBytes wire;
  wire.have_icrc();
  Packet p = packet(Opcode::write_middle, 64);
  p.corrupted = true;
  Frame f;
  wire.arrive(p, f);
  EXPECT_FALSE(icrc_is_right(f));
  const Frame first = f;
  EXPECT_TRUE(wire.leave(p, f));
  EXPECT_TRUE(p.corrupted);
  wire.arrive(p, f);
  EXPECT_EQ(f, first);
}

TEST(WireBytes, RefuseWhatRoceDoesNotHave) {
  const WireBytes wire;
  Packet p = packet(Opcode::write_middle, 64);
  p.frame = static_cast<std::uint16_t>(p.frame + 4);
  Frame f;
  try {
    wire.arrive(p, f);
    FAIL() << "not refused";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("a packet of node 3 with opcode 0x07"), std::string::npos)
        << e.what();
  }
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
}  // namespace horae::wire_bytes_test
