#include "horae/capture/dissection.hpp"

#include <gtest/gtest.h>

#include <string>

#include "horae/core/wire_bytes.hpp"
#include "roce_bytes.hpp"

namespace horae::capture::dissection_test {
namespace {

using testing::bytes_of;
using testing::roce_packet;
using Frame = std::vector<std::uint8_t>;

Dissection whole(const Frame& f, const DissectOptions& options = {}) {
  return dissect(f, static_cast<std::uint32_t>(f.size()), options);
}
FrameKind kind_of(const Frame& f) { return whole(f).kind; }

void expect_same(const Dissection& d, const Packet& p) {
  EXPECT_EQ(d.kind, FrameKind::roce);
  EXPECT_EQ(d.packet.opcode, p.opcode);
  EXPECT_EQ(d.packet.psn, p.psn);
  EXPECT_EQ(d.packet.dest_qp, p.dest_qp);
  EXPECT_EQ(d.packet.payload, p.payload);
  EXPECT_EQ(d.packet.entropy, p.entropy);
  EXPECT_EQ(d.packet.ecn, p.ecn);
  EXPECT_EQ(d.packet.syndrome, p.syndrome);
  EXPECT_EQ(d.packet.msn, p.msn);
  EXPECT_EQ(d.packet.ack_request, p.ack_request);
}

TEST(Dissection, ReadsWhatAPullGrants) {
  Packet p = roce_packet(3, 5, Opcode::pull, 0, wire::grant);
  p.msn = 0xfedcba98;
  expect_same(whole(bytes_of(p)), p);
}

TEST(Dissection, ReadsWhatTheCodecWrote) {
  for (const bool ipv6 : {false, true}) {
    for (const auto& vlan : {std::optional<std::uint16_t>(), std::optional<std::uint16_t>(7)}) {
      for (const Opcode opcode :
           {Opcode::write_first, Opcode::send_only, Opcode::acknowledge, Opcode::read_response_last,
            Opcode::cnp, Opcode::write_middle, Opcode::send_last_immediate, Opcode::read_request}) {
        const std::uint16_t payload =
            opcode == Opcode::acknowledge || opcode == Opcode::cnp || opcode == Opcode::read_request
                ? 0
                : 1023;
        Packet p = roce_packet(3, 5, opcode, 0xabcdef, payload);
        p.traffic_class = 3;
        p.ack_request = opcode == Opcode::send_only;
        if (has_aeth(opcode)) p.msn = 0x123456, p.syndrome = 0x62;
        const AddressPlan plan{.ipv6 = ipv6, .vlan_id = vlan};
        const Frame f = bytes_of(p, plan);
        const Dissection d = whole(f);
        expect_same(d, p);
        EXPECT_EQ(d.packet.frame,
                  frame_bytes(opcode, Bytes(payload), plan.encapsulation()).count());
        EXPECT_EQ(d.packet.traffic_class, 3);
        EXPECT_EQ(d.tags, vlan ? 1 : 0);
        EXPECT_EQ(d.source.size, ipv6 ? 16 : 4);
        EXPECT_EQ(d.destination.bytes[ipv6 ? 15 : 3], 6);
        EXPECT_TRUE(d.whole);
      }
    }
  }
}

TEST(Dissection, SizesOfACutFrameAreThoseOnTheWire) {
  const Packet p = roce_packet(0, 1, Opcode::write_first, 9, 4096);
  const Frame f = bytes_of(p);
  for (const std::size_t snaplen : {64u, 70u, 96u, 128u}) {
    const Dissection d = dissect(std::span(f).first(snaplen), static_cast<std::uint32_t>(f.size()));
    expect_same(d, p);
    EXPECT_EQ(d.packet.frame, p.frame);
    EXPECT_FALSE(d.whole);
  }
  // The BTH ends at byte 54; before that there is less to know.
  const auto kind_at = [&](std::size_t n) {
    return dissect(std::span(f).first(n), static_cast<std::uint32_t>(f.size())).kind;
  };
  EXPECT_EQ(kind_at(54), FrameKind::roce);
  EXPECT_EQ(kind_at(53), FrameKind::udp);
  EXPECT_EQ(kind_at(38), FrameKind::udp);
  EXPECT_EQ(kind_at(37), FrameKind::ip);
  EXPECT_EQ(kind_at(33), FrameKind::cut);
  EXPECT_EQ(kind_at(13), FrameKind::cut);
  EXPECT_EQ(kind_at(0), FrameKind::cut);
  // The syndrome decides what an acknowledgement is.
  const Frame ack = bytes_of(testing::nack_packet(0, 1, 4, 2));
  EXPECT_EQ(dissect(std::span(ack).first(58), 62).kind, FrameKind::roce);
  EXPECT_EQ(dissect(std::span(ack).first(57), 62).kind, FrameKind::udp);
}

TEST(Dissection, TellsOtherTrafficApart) {
  Frame f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  Frame udp = f;
  udp[37] ^= 1;  // another destination port
  EXPECT_EQ(kind_of(udp), FrameKind::udp);
  EXPECT_EQ(whole(udp).packet.opcode, Opcode::none);
  EXPECT_EQ(whole(udp).packet.entropy, 0xc123);
  Frame tcp = f;
  tcp[23] = 6;
  EXPECT_EQ(kind_of(tcp), FrameKind::tcp);
  Frame icmp = f;
  icmp[23] = 1;
  EXPECT_EQ(kind_of(icmp), FrameKind::ip);
  Frame fragment = f;
  fragment[20] = 0x20;
  EXPECT_EQ(kind_of(fragment), FrameKind::ip);
  Frame arp = f;
  arp[12] = 0x08, arp[13] = 0x06;
  EXPECT_EQ(kind_of(arp), FrameKind::arp);
  EXPECT_EQ(whole(arp).source.size, 6);
  Frame other = f;
  other[12] = 0x88, other[13] = 0xcc;
  EXPECT_EQ(kind_of(other), FrameKind::other);
  Frame options = f;
  options[14] = 0x46;
  EXPECT_EQ(kind_of(options), FrameKind::udp) << "no ICRC is known over IP options";
  Frame vendor = f;
  vendor[42] = 0xc5;  // an opcode of a manufacturer
  EXPECT_EQ(kind_of(vendor), FrameKind::roce);
  EXPECT_EQ(static_cast<int>(whole(vendor).packet.opcode), 0xc5);
}

TEST(Dissection, TakesTwoTags) {
  const Packet p = roce_packet(2, 3, Opcode::send_only, 1, 64);
  Frame f = bytes_of(p, {.vlan_id = 9});
  const Frame outer = {0x88, 0xa8, 0xa0, 0x01};
  f.insert(f.begin() + 12, outer.begin(), outer.end());
  const Dissection d = whole(f);
  expect_same(d, p);
  EXPECT_EQ(d.tags, 2);
  f.insert(f.begin() + 12, outer.begin(), outer.end());
  EXPECT_EQ(kind_of(f), FrameKind::other);
}

TEST(Dissection, SaysWhatContradictsItself) {
  const Frame f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  const auto broken = [&](std::size_t at, std::uint8_t value) {
    Frame b = f;
    b.at(at) = value;
    return whole(b);
  };
  EXPECT_EQ(broken(14, 0x65).problem, "no version 4 behind the ethertype of IPv4");
  EXPECT_EQ(broken(14, 0x44).problem, "an IPv4 header of less than 20 bytes");
  EXPECT_EQ(broken(16, 0x7f).problem, "an IPv4 length beyond the frame");
  EXPECT_EQ(broken(17, 10).problem, "an IPv4 length that ends in its header");
  EXPECT_EQ(broken(17, 24).problem, "an IP length that ends in the transport's header");
  EXPECT_EQ(broken(17, 24).problem_at, 34);
  EXPECT_EQ(broken(17, 24).kind, FrameKind::malformed);
}

TEST(Dissection, UdpToTheirPortThatIsNoRoceIsUdp) {
  const Frame f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  for (std::uint8_t length = 1; length < 24; ++length) {
    Frame b = f;
    b.at(38) = 0;
    b.at(39) = length;
    EXPECT_EQ(whole(b).kind, FrameKind::udp) << int{length};
  }
  Frame longer = f;
  longer.at(38) = 0x7f;
  EXPECT_EQ(whole(longer).kind, FrameKind::udp);
  EXPECT_EQ(whole(f).kind, FrameKind::roce);
}

TEST(Dissection, WhatNoBridgeForwardsIsLinkLocal) {
  Frame f(60, 0);
  f[0] = 0x01, f[1] = 0x80, f[2] = 0xc2, f[5] = 0x01;
  f[12] = 0x88, f[13] = 0x08;
  EXPECT_EQ(whole(f).kind, FrameKind::link_local);
  EXPECT_EQ(whole(f).neighbour, LinkLocal::mac_control);
  f[5] = 0x0e, f[13] = 0xcc;
  EXPECT_EQ(whole(f).kind, FrameKind::link_local);
  EXPECT_EQ(whole(f).neighbour, LinkLocal::lldp);
  f[5] = 0x02, f[13] = 0x09, f[14] = 1;
  EXPECT_EQ(whole(f).neighbour, LinkLocal::lacp);
  f[14] = 2;
  EXPECT_EQ(whole(f).neighbour, LinkLocal::other) << "the marker protocol";
  f[5] = 0x10;
  EXPECT_EQ(whole(f).kind, FrameKind::other) << "a group that is forwarded";
  f[0] = 0x02, f[13] = 0x08;
  EXPECT_EQ(whole(f).kind, FrameKind::link_local) << "MAC control to a station";
}

TEST(Dissection, PauseFramesSayWhichClassesAndHowLong) {
  Frame f(60, 0);
  f[12] = 0x88, f[13] = 0x08, f[14] = 0x01, f[15] = 0x01;
  f[17] = 0x88;  // classes 3 and 7
  f[18 + 6] = 0x12, f[18 + 7] = 0x34;
  const auto pfc = pause_request(f);
  ASSERT_TRUE(pfc);
  EXPECT_EQ(pfc->classes, 0x88);
  EXPECT_EQ(pfc->quanta[3], 0x1234);
  EXPECT_EQ(pfc->quanta[7], 0) << "may go on";
  EXPECT_FALSE(pause_request(std::span(f).first(33))) << "times cut off";
  f[14] = 0, f[16] = 0xff, f[17] = 0xfe;
  const auto all = pause_request(f);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->classes, 0xff);
  EXPECT_EQ(all->quanta[5], 0xfffe);
  f[15] = 2;
  EXPECT_FALSE(pause_request(f)) << "another opcode";
}

TEST(Dissection, KeepsFramesWithinEthernetsLimits) {
  const Frame short_frame(20, 0xff);
  EXPECT_EQ(whole(short_frame).packet.frame, 64);
  EXPECT_TRUE(whole(short_frame).padded);
  const Frame f(60, 0xff);
  EXPECT_FALSE(whole(f).padded);
  EXPECT_EQ(dissect(f, 100'000).packet.frame, Dissection::longest_frame);
  EXPECT_TRUE(dissect(f, 0xffffffff).limited);
  const Frame with_fcs = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100), {}, true);
  EXPECT_EQ(whole(with_fcs, {.fcs = true}).packet.frame, with_fcs.size());
}

TEST(Dissection, APayloadIsAtMostWhatAPacketMayCarry) {
  Frame f = bytes_of(roce_packet(0, 1, Opcode::write_middle, 1, 64));
  f[16] = f[17] = f[38] = f[39] = 0;  // segments that the NIC was to cut
  const std::uint32_t headers = 14 + 20 + 8 + 12 + 4;
  EXPECT_EQ(dissect(f, headers + 0xfffe, {}).packet.payload, 0xfffe);
  EXPECT_EQ(dissect(f, headers + 0x10010, {}).packet.payload, 0xffff);
}

TEST(Dissection, ReadsReservedBitsAndTheBytesBehindTheBth) {
  Frame f = bytes_of(roce_packet(0, 1, Opcode::write_middle, 1, 100));
  f[46] = 0x15, f[50] = 0x22;  // resv8 and resv7 of the BTH
  EXPECT_EQ(whole(f).packet.bth_reserved, 0x15 << 7 | 0x22);
  EXPECT_EQ(whole(f).packet.msn, 0u);
  const Dissection d = whole(f, {.extra_mask = 0x60, .extra_value = 0x20});
  EXPECT_TRUE(d.extra);
  EXPECT_EQ(d.packet.payload, 96);
  f[54] = 1, f[55] = 2, f[56] = 3, f[57] = 4;
  EXPECT_EQ(whole(f, {.extra_mask = 0x60, .extra_value = 0x20}).packet.msn, 0x01020304u);
  Frame cnp = bytes_of(roce_packet(0, 1, Opcode::cnp, 0));
  EXPECT_EQ(whole(cnp).packet.bth_reserved, 0) << "BECN is none of the reserved bits";
}

// A capture that the simulator writes is read as the packet that it was: ConWeave's header is known
// by these bits, and stands behind the BTH.
TEST(Dissection, FindsWhatAFeaturePutInTheReservedBits) {
  for (const std::uint16_t bits : {0x0000, 0x0020, 0x7f3f, 0x6021, 0x0940, 0x7fff}) {
    Packet p;
    p.opcode = Opcode::write_middle;
    p.payload = 1024;
    p.frame = static_cast<std::uint16_t>(frame_bytes(p.opcode, 1024_B).count() + 4);
    p.msn = 0xabcdef01;
    p.psn = Psn(77);
    p.bth_reserved = bits;
    const EncodedPacket encoded = encode_packet(p, nullptr);
    const bool data = (bits >> 5 & 3) == 1;
    const Dissection d =
        dissect(encoded.bytes, encoded.length, {.extra_mask = 0x60, .extra_value = 0x20});
    ASSERT_EQ(d.kind, FrameKind::roce) << bits;
    EXPECT_EQ(d.packet.bth_reserved, bits);
    EXPECT_EQ(d.extra, data) << bits;
    EXPECT_EQ(d.packet.payload, data ? 1024 : 1028) << bits;
    if (data) {
      EXPECT_EQ(d.packet.msn, 0xabcdef01) << bits;
    }
  }
}

}  // namespace
}  // namespace horae::capture::dissection_test
