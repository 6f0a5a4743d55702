// Packets as frames, and back; the addresses of nodes.
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "codec_frames.hpp"
#include "horae/core/error.hpp"
#include "horae/core/service.hpp"
#include "horae/core/verb.hpp"

namespace horae::codec_packet_test {
namespace {

using namespace codec_frames;

Packet random_packet(RandomStream& random, Opcode opcode, const AddressPlan& plan) {
  Packet p;
  p.src = random.below(AddressPlan::max_node + 1);
  p.dst = random.below(AddressPlan::max_node + 1);
  p.opcode = opcode;
  p.dest_qp = Qpn(random.bits());
  p.psn = Psn(random.bits());
  p.payload = static_cast<std::uint16_t>(random.below(4097));
  p.frame = static_cast<std::uint16_t>(
      frame_bytes(opcode, Bytes(p.payload), plan.encapsulation()).count());
  p.entropy = static_cast<std::uint16_t>(random.bits());
  p.ecn = random_ecn(random);
  p.traffic_class = static_cast<std::uint8_t>(random.below(8));
  p.ack_request = random.chance(0.5);
  if (has_aeth(opcode)) {
    p.syndrome = static_cast<std::uint8_t>(random.bits());
    p.msn = random.bits() & Psn::mask;
  }
  return p;
}

void expect_same_wire_fields(const Packet& a, const Packet& b) {
  EXPECT_EQ(a.src, b.src);
  EXPECT_EQ(a.dst, b.dst);
  EXPECT_EQ(a.opcode, b.opcode);
  EXPECT_EQ(a.dest_qp, b.dest_qp);
  EXPECT_EQ(a.psn, b.psn);
  EXPECT_EQ(a.msn, b.msn);
  EXPECT_EQ(a.payload, b.payload);
  EXPECT_EQ(a.frame, b.frame);
  EXPECT_EQ(a.entropy, b.entropy);
  EXPECT_EQ(a.syndrome, b.syndrome);
  EXPECT_EQ(a.ecn, b.ecn);
  EXPECT_EQ(a.traffic_class, b.traffic_class);
  EXPECT_EQ(a.ack_request, b.ack_request);
}

TEST(Codec, PacketsBecomeFramesOfTheirSizeAndComeBack) {
  RandomStream random(15, "packets");
  for (const bool ipv6 : {false, true}) {
    for (const bool vlan : {false, true}) {
      const AddressPlan plan{.ipv6 = ipv6,
                             .vlan_id = vlan ? std::optional<std::uint16_t>(17) : std::nullopt};
      for (const Opcode opcode : known_opcodes()) {
        for (int i = 0; i < 20; ++i) {
          const Packet p = random_packet(random, opcode, plan);
          const auto bytes = encode(frame_of(p, plan));
          ASSERT_EQ(bytes.size() + wire::fcs, p.frame);
          expect_same_wire_fields(packet_of(decode(bytes), plan), p);
        }
        Packet empty = random_packet(random, opcode, plan);
        empty.payload = 0;
        empty.frame =
            static_cast<std::uint16_t>(frame_bytes(opcode, 0_B, plan.encapsulation()).count());
        ASSERT_EQ(encode(frame_of(empty, plan)).size() + wire::fcs, empty.frame);
      }
    }
  }
}

/// UC has the headers of the reliable connection, UD a DETH with the sender's queue pair.
TEST(Codec, PacketsOfUnreliableServicesComeBack) {
  RandomStream random(21, "services");
  for (unsigned code = 0; code < 256; ++code) {
    const auto opcode = static_cast<Opcode>(code);
    if (!is_unreliable(opcode)) continue;
    for (int i = 0; i < 20; ++i) {
      Packet p = random_packet(random, opcode, {});
      if (i == 0) p.payload = 0;
      p.frame = static_cast<std::uint16_t>(frame_of_service(opcode, Bytes(p.payload)).count());
      if (is_ud(opcode)) p.msn = random.bits() & Psn::mask;
      const RoceFrame frame = frame_of(p, {});
      EXPECT_EQ(frame.reth.has_value(), has_reth(operation_of(opcode)));
      EXPECT_EQ(frame.payload.size(), p.payload + (is_ud(opcode) ? 8u : 0u));
      const auto bytes = encode(frame);
      ASSERT_EQ(bytes.size() + wire::fcs, p.frame);
      expect_same_wire_fields(packet_of(decode(bytes), {}), p);
    }
  }
}

// Only a pull of four bytes has what it grants in its payload.
TEST(Codec, APayloadAsLongAsAGrantIsNone) {
  RandomStream random(18, "grants");
  const AddressPlan plan;
  Packet p = random_packet(random, Opcode::send_only, plan);
  p.payload = wire::grant;
  p.msn = 0x123456;
  p.frame = static_cast<std::uint16_t>(
      frame_bytes(p.opcode, Bytes(p.payload), plan.encapsulation()).count());
  RoceFrame frame = frame_of(p, plan);
  EXPECT_EQ(frame.payload, std::vector<std::uint8_t>(wire::grant));
  frame.payload = {1, 2, 3, 4};
  EXPECT_EQ(packet_of(frame, plan).msn, 0u);
}

TEST(Codec, AWriteLargerByARethHasOne) {
  RandomStream random(16, "ddp");
  const AddressPlan plan;
  for (const Opcode opcode : {Opcode::write_middle, Opcode::write_last}) {
    for (const std::uint16_t payload : {0, 5, 1024}) {
      Packet p = random_packet(random, opcode, plan);
      p.payload = payload;
      const auto bare = frame_bytes(opcode, Bytes(payload));
      p.frame = static_cast<std::uint16_t>(bare.count());
      EXPECT_FALSE(frame_of(p, plan).reth);
      // Below the minimum the header replaces fill bytes: 62 bytes and 16 are 78.
      p.frame = static_cast<std::uint16_t>(payload == 0 ? 78 : bare.count() + wire::reth);
      const auto f = frame_of(p, plan);
      EXPECT_EQ(f.reth, Reth{});
      const auto bytes = encode(f);
      EXPECT_EQ(bytes.size() + wire::fcs, p.frame);
      expect_same_wire_fields(packet_of(decode(bytes, {.reth_on_every_write = true}), plan), p);
      ++p.frame;
      EXPECT_THROW(frame_of(p, plan), ModelError);
    }
  }
}

TEST(Codec, AddressesOfNodes) {
  EXPECT_EQ(ipv4_of(0), (Ipv4Address{10, 0, 0, 1}));
  EXPECT_EQ(ipv4_of(0x010203), (Ipv4Address{10, 1, 2, 4}));
  EXPECT_EQ(mac_of(255), (MacAddress{2, 0, 0, 0, 1, 0}));
  EXPECT_EQ(ipv6_of(1), (Ipv6Address{0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
  for (const NodeId n : {NodeId{0}, NodeId{255}, NodeId{65'535}, AddressPlan::max_node}) {
    EXPECT_EQ(node_of(ipv4_of(n)), n);
    EXPECT_EQ(node_of(ipv6_of(n)), n);
  }
  EXPECT_THROW(ipv4_of(AddressPlan::max_node + 1), ModelError);
  EXPECT_THROW(node_of(Ipv4Address{10, 0, 0, 0}), InputError);
  EXPECT_THROW(node_of(Ipv4Address{10, 255, 255, 255}), InputError);
  EXPECT_THROW(node_of(Ipv4Address{192, 168, 0, 1}), InputError);
  EXPECT_THROW(node_of(Ipv6Address{0xfe, 0x80}), InputError);
}

TEST(Codec, FramesOutsideThePlanAreNoPackets) {
  RandomStream random(17, "plan");
  const AddressPlan plan{.vlan_id = 5};
  const auto f = frame_of(random_packet(random, Opcode::write_only, plan), plan);
  EXPECT_NO_THROW(packet_of(f, plan));
  EXPECT_THROW(packet_of(f, {.vlan_id = 6}), InputError);
  EXPECT_THROW(packet_of(f, {}), InputError);
  EXPECT_THROW(packet_of(f, {.ipv6 = true, .vlan_id = 5}), InputError);
  auto unknown = f;
  unknown.bth.opcode = static_cast<Opcode>(0x66);
  unknown.reth.reset();
  EXPECT_THROW(packet_of(unknown, plan), InputError);
}

TEST(Codec, APullHasWhatItGrantsBehindTheBth) {
  RandomStream random(16, "pulls");
  Packet p = random_packet(random, Opcode::pull, {});
  p.payload = wire::grant;
  p.frame = static_cast<std::uint16_t>(frame_bytes(p.opcode, Bytes(wire::grant)).count());
  EXPECT_EQ(p.frame, 66) << "as long as an ACK";
  p.msn = 0xfedcba98;
  const RoceFrame frame = frame_of(p, {});
  EXPECT_EQ(frame.payload, (std::vector<std::uint8_t>{0xfe, 0xdc, 0xba, 0x98}));
  expect_same_wire_fields(packet_of(decode(encode(frame)), {}), p);
}

TEST(Codec, AnAtomicHasItsAddressInItsAtomicEth) {
  RandomStream random(17, "atomics");
  for (const Opcode opcode : {Opcode::compare_swap, Opcode::fetch_add}) {
    Packet p = random_packet(random, opcode, {});
    p.payload = static_cast<std::uint16_t>(atomic_request.count());
    p.frame = static_cast<std::uint16_t>(frame_bytes(opcode, atomic_request).count());
    p.msn = 0x12345678;
    const RoceFrame frame = frame_of(p, {});
    EXPECT_EQ(std::vector<std::uint8_t>(frame.payload.begin(), frame.payload.begin() + 8),
              (std::vector<std::uint8_t>{0, 0, 0, 0, 0x12, 0x34, 0x56, 0x78}));
    expect_same_wire_fields(packet_of(decode(encode(frame)), {}), p);
  }
}

}  // namespace
}  // namespace horae::codec_packet_test
