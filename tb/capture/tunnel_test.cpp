// RoCEv1, and RoCE inside VXLAN and GRE: taken apart, and changed as a switch changes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "horae/capture/dissection.hpp"
#include "horae/capture/rewriter.hpp"
#include "link_bytes.hpp"
#include "roce_bytes.hpp"

namespace horae::capture::tunnel_test {
namespace {

using namespace horae::testing;

const NetworkAddress node0 = {{10, 0, 0, 1}, 4}, node1 = {{10, 0, 0, 2}, 4};

Dissection taken(const ByteString& b) { return dissect(b, static_cast<std::uint32_t>(b.size())); }

ByteString roce_v2(std::uint16_t payload = 64) {
  return horae::testing::bytes_of(roce_packet(0, 1, Opcode::send_only, 77, payload));
}

/// One's complement sum, folded, of what begins at `from` and ends at `to`.
std::uint32_t sum(const ByteString& b, std::size_t from, std::size_t to, std::uint32_t first = 0) {
  std::uint32_t s = first;
  for (std::size_t i = from; i < to; i += 2)
    s += std::uint32_t{b[i]} << 8 | (i + 1 < to ? b[i + 1] : 0u);
  while (s > 0xffff) s = (s & 0xffff) + (s >> 16);
  return s;
}

/// UDP checksum of a VXLAN frame over IPv4.
std::uint32_t udp_sum(const ByteString& b) {
  const std::uint32_t length = std::uint32_t{b[38]} << 8 | b[39];
  return sum(b, 34, 34 + length, sum(b, 26, 34) + 17 + length);
}

TEST(Rocev1, IsAPacketLikeAnother) {
  const ByteString f = rocev1_frame(64, {.opcode = 6, .dest_qp = 5, .psn = 9}, {0x81, 0, 0x60, 1});
  const Dissection d = taken(f);
  EXPECT_EQ(d.kind, FrameKind::roce);
  EXPECT_TRUE(d.v1);
  EXPECT_EQ(d.source, node0);
  EXPECT_EQ(d.destination, node1);
  EXPECT_EQ(d.packet.opcode, Opcode::write_first);
  EXPECT_EQ(d.packet.psn, Psn(9));
  EXPECT_EQ(d.packet.dest_qp, Qpn(5));
  EXPECT_EQ(d.packet.payload, 64 - 16) << "the rest is its RETH";
  EXPECT_EQ(d.packet.entropy, 0x2345) << "of the flow label";
  EXPECT_EQ(d.packet.traffic_class, 3);
  EXPECT_EQ(d.packet.ecn, Ecn::not_ect);
  EXPECT_EQ(d.packet.hop_limit, 64);
  EXPECT_EQ(d.packet.frame, f.size() + 4);
  EXPECT_EQ(d.udp_end, f.size());
  EXPECT_EQ(d.tags, 1);
}

TEST(Rocev1, OfWhatIsDamaged) {
  ByteString f = rocev1_frame();
  f[14] = 0x40;
  EXPECT_EQ(taken(f).problem, "no version 6 behind the ethertype of RoCEv1");
  f = rocev1_frame();
  f[18] = 0x10;
  EXPECT_EQ(taken(f).problem, "a GRH's length beyond the frame");
  EXPECT_EQ(taken(f).problem_at, 18);
  f = rocev1_frame();
  f[19] = 15;
  EXPECT_EQ(taken(f).problem, "a GRH's length that ends in the headers of RoCEv1");
  f = rocev1_frame();
  f[20] = 17;
  EXPECT_EQ(taken(f).kind, FrameKind::other) << "no BTH";
  f = rocev1_frame();
  for (std::size_t cut = 0; cut < f.size(); ++cut) {
    const Dissection d = dissect(std::span(f).first(cut), static_cast<std::uint32_t>(f.size()));
    EXPECT_EQ(d.kind, cut < 54 ? FrameKind::cut : cut < 66 ? FrameKind::other : FrameKind::roce);
  }
}

TEST(Rocev1, ItsIcrcFollowsWhatChanges) {
  const ByteString f = rocev1_frame();
  Dissection d = taken(f);
  d.packet.src = 0, d.packet.dst = 1;
  Packet after = d.packet;
  after.psn = Psn(8);
  after.hop_limit = 63;
  Rewriter rewriter;
  const auto out = rewriter.rewrite(d, after, f, static_cast<std::uint32_t>(f.size()));
  ByteString expected = rocev1_frame(64, {.psn = 8});
  expected[14 + 7] = 63;  // which the ICRC does not cover
  EXPECT_EQ(ByteString(out.bytes.begin(), out.bytes.end()), expected);

  ByteString wrong = f;
  wrong.back() ^= 1;
  const auto kept = rewriter.rewrite(d, after, wrong, static_cast<std::uint32_t>(f.size()));
  EXPECT_EQ(ByteString(kept.bytes.end() - 4, kept.bytes.end()),
            ByteString(wrong.end() - 4, wrong.end()));
}

TEST(Rocev1, AnAnswerGoesBack) {
  const ByteString f = rocev1_frame();
  Dissection d = taken(f);
  d.packet.src = 0, d.packet.dst = 1;
  Packet nack = nack_packet(1, 0, 7, 30);
  nack.frame = 66;
  Rewriter rewriter;
  const auto out = rewriter.rewrite(d, nack, f, static_cast<std::uint32_t>(f.size()));
  const ByteString bytes(out.bytes.begin(), out.bytes.end());
  const ByteString bth =
      joined({bth_of({.opcode = 0x11, .dest_qp = 30, .psn = 7}, 0), {0x60, 0, 0, 0}});
  ByteString grh = grh_of(gid_of(2), gid_of(1), bth.size());
  const ByteString expected = joined(
      {{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x89, 0x15}, with_icrc({}, joined({grh, bth}), true)});
  ByteString hops = expected;
  hops[14 + 7] = nack.hop_limit;
  EXPECT_EQ(bytes, hops);
}

TEST(Tunnel, TheInnerPacketIsMatchedAndTheWholeFrameIsItsSize) {
  const ByteString inner = roce_v2();
  const ByteString tag = {0x81, 0, 0x20, 7};
  const ByteString tagged =
      joined({{inner.begin(), inner.begin() + 12}, tag, {inner.begin() + 12, inner.end()}});
  const ByteString ip(inner.begin() + 14, inner.end());
  ByteString both = vxlan_frame(tagged);
  both.insert(both.begin() + 12, tag.begin(), tag.end());
  const ByteString checksum_and_sequence = {0x90, 0, 0x65, 0x58, 0, 0, 0, 0, 0, 0, 0, 1};
  const std::vector<std::pair<ByteString, Tunnel>> frames = {
      {vxlan_frame(inner), Tunnel::vxlan},
      {both, Tunnel::vxlan},
      {gre_frame(nvgre, inner), Tunnel::gre},
      {gre_frame(checksum_and_sequence, tagged), Tunnel::gre},
      {gre_frame({0, 0, 0x08, 0x00}, ip), Tunnel::gre}};
  for (const auto& [f, tunnel] : frames) {
    const Dissection d = taken(f);
    EXPECT_EQ(d.kind, FrameKind::roce);
    EXPECT_EQ(d.tunnel, tunnel);
    EXPECT_EQ(d.source, node0);
    EXPECT_EQ(d.destination, node1);
    EXPECT_EQ(d.packet.psn, Psn(77));
    EXPECT_EQ(d.packet.entropy, 0xc123);
    EXPECT_EQ(d.packet.payload, 64);
    EXPECT_EQ(d.packet.ecn, Ecn::ect0);
    EXPECT_EQ(d.packet.frame, f.size() + 4) << "with the outer headers";
  }
  EXPECT_EQ(taken(frames[1].first).tags, 2);
  const Dissection first = taken(vxlan_frame(rocev1_frame()));
  EXPECT_TRUE(first.v1 && first.tunnel == Tunnel::vxlan);
  EXPECT_EQ(first.destination, node1);
}

/// An IPv6 header from fd00::9:1 to fd00::9:2.
ByteString ipv6_before(std::uint8_t next, const ByteString& inner) {
  ByteString source(16, 0), destination(16, 0);
  source[0] = destination[0] = 0xfd, source[15] = 1, destination[15] = 2;
  return joined({{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x86, 0xdd, 0x60, 0, 0, 0},
                 {static_cast<std::uint8_t>(inner.size() >> 8),
                  static_cast<std::uint8_t>(inner.size()), next, 60},
                 source,
                 destination,
                 inner});
}

/// Behind labels; only the last has its flag.
ByteString mpls_before(unsigned labels, const ByteString& inner) {
  ByteString stack;
  for (unsigned i = 1; i <= labels; ++i) {
    const std::uint8_t last = i == labels ? 1 : 0;
    stack.insert(stack.end(), {0, 1, static_cast<std::uint8_t>(0x20 | last), 64});
  }
  return joined({{2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x88, 0x47}, stack, inner});
}

ByteString geneve_frame(const ByteString& options, std::uint16_t type, const ByteString& inner) {
  ByteString f = vxlan_frame(joined({options, inner}));
  f[36] = 6081 >> 8, f[37] = 6081 & 0xff;
  f[42] = static_cast<std::uint8_t>(options.size() / 4);
  f[43] = 0;
  f[44] = static_cast<std::uint8_t>(type >> 8), f[45] = static_cast<std::uint8_t>(type);
  return f;
}

/// A routing header of one segment before `inner`.
ByteString segments_before(std::uint8_t next, const ByteString& inner) {
  ByteString header = {next, 2, 4, 0, 0, 0, 0, 0};
  header.resize(header.size() + 16, 0xfd);
  return joined({header, inner});
}

TEST(Tunnel, EveryKindShowsItsInnerPacketAndTakesChanges) {
  const ByteString inner = roce_v2();
  const ByteString ip(inner.begin() + 14, inner.end());
  const ByteString word = {0, 0, 0, 9};
  const ByteString options(8, 0x55);
  struct Case {
    ByteString bytes;
    Tunnel tunnel;
    std::size_t inner_ip;
  };
  const std::vector<Case> cases = {
      {mpls_before(1, ip), Tunnel::mpls, 18},
      {mpls_before(3, ip), Tunnel::mpls, 26},
      {mpls_before(2, joined({word, inner})), Tunnel::mpls, 22 + 4 + 14},
      {geneve_frame({}, 0x6558, inner), Tunnel::geneve, 50 + 14},
      {geneve_frame(options, 0x6558, inner), Tunnel::geneve, 58 + 14},
      {geneve_frame(options, 0x0800, ip), Tunnel::geneve, 58},
      {ipv4_before(4, ip), Tunnel::ip, 34},
      {ipv6_before(4, ip), Tunnel::ip, 54},
      {ipv6_before(143, inner), Tunnel::ip, 54 + 14},
      {ipv6_before(43, segments_before(4, ip)), Tunnel::srv6, 54 + 24},
      {ipv6_before(43, segments_before(143, inner)), Tunnel::srv6, 54 + 24 + 14}};
  Rewriter rewriter;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [f, tunnel, inner_ip] = cases[i];
    Dissection d = taken(f);
    ASSERT_EQ(d.kind, FrameKind::roce) << i;
    EXPECT_EQ(d.tunnel, tunnel) << i;
    EXPECT_EQ(d.ip, inner_ip) << i;
    EXPECT_EQ(d.destination, node1) << i;
    EXPECT_EQ(d.packet.psn, Psn(77)) << i;
    EXPECT_EQ(d.packet.frame, f.size() + 4) << i;
    // A mark inside is the only change: to the same bytes as of a packet that was marked before.
    d.packet.src = 0, d.packet.dst = 1;
    Packet after = d.packet;
    after.ecn = Ecn::ce;
    const auto out = rewriter.rewrite(d, after, f, static_cast<std::uint32_t>(f.size()));
    Packet p = roce_packet(0, 1, Opcode::send_only, 77, 64);
    p.ecn = Ecn::ce;
    const ByteString marked = horae::testing::bytes_of(p);
    ByteString expected = f;
    std::copy(marked.begin() + 14, marked.end(), expected.begin() + static_cast<long>(inner_ip));
    EXPECT_EQ(ByteString(out.bytes.begin(), out.bytes.end()), expected) << i;
    // Growth inside lengthens outer lengths; an answer goes back.
    after = d.packet;
    after.frame = static_cast<std::uint16_t>(after.frame + 4);
    const auto more = rewriter.rewrite(d, after, f, static_cast<std::uint32_t>(f.size()));
    const Dissection longer = taken({more.bytes.begin(), more.bytes.end()});
    EXPECT_EQ(longer.kind, FrameKind::roce) << i;
    EXPECT_EQ(longer.packet.payload, 68) << i;
    const auto back =
        rewriter.rewrite(d, nack_packet(1, 0, 77, 3), f, static_cast<std::uint32_t>(f.size()));
    const Dissection answer = taken({back.bytes.begin(), back.bytes.end()});
    EXPECT_EQ(answer.tunnel, tunnel) << i;
    EXPECT_EQ(answer.destination, node0) << i;
    EXPECT_TRUE(answer.packet.is_nack()) << i;
    for (std::size_t cut = 0; cut < f.size(); ++cut)
      dissect(std::span(f).first(cut), static_cast<std::uint32_t>(f.size()));
  }
}

TEST(Tunnel, OfAnythingElseIsTheOuterPacket) {
  ByteString tcp = roce_v2();
  tcp[23] = 6;
  ByteString damaged = roce_v2();
  damaged[14] = 0x95;
  ByteString no_network = vxlan_frame(roce_v2());
  no_network[42] = 0;
  const NetworkAddress outer = {{10, 9, 0, 2}, 4};
  for (const ByteString& f : {vxlan_frame(tcp), vxlan_frame(damaged), no_network,
                              vxlan_frame(vxlan_frame(roce_v2())), vxlan_frame({})}) {
    const Dissection d = taken(f);
    EXPECT_EQ(d.kind, FrameKind::udp);
    EXPECT_EQ(d.tunnel, Tunnel::none);
    EXPECT_EQ(d.destination, outer);
    EXPECT_EQ(d.packet.entropy, 0xbeef);
  }
  const ByteString routed = {0x40, 0, 0x65, 0x58}, other = {0, 0, 0x88, 0xbe};
  for (const ByteString& header : {routed, other})
    EXPECT_EQ(taken(gre_frame(header, roce_v2())).kind, FrameKind::ip);
  const ByteString f = vxlan_frame(roce_v2());
  for (std::size_t cut = 14; cut < f.size(); ++cut) {
    const Dissection d = dissect(std::span(f).first(cut), static_cast<std::uint32_t>(f.size()));
    EXPECT_EQ(d.kind == FrameKind::roce, cut >= 50 + 42 + 12) << cut;
  }
}

TEST(Tunnel, InnerHeadersChangeAndOuterOnesFollow) {
  ByteString f = vxlan_frame(roce_v2());
  const std::uint32_t right = 0xffff - udp_sum(f);
  f[40] = static_cast<std::uint8_t>(right >> 8), f[41] = static_cast<std::uint8_t>(right);
  ASSERT_EQ(udp_sum(f), 0xffffu);
  Dissection d = taken(f);
  d.packet.src = 0, d.packet.dst = 1;
  Packet after = d.packet;
  after.ecn = Ecn::ce;
  after.psn = Psn(78);
  Rewriter rewriter;
  const auto out = rewriter.rewrite(d, after, f, static_cast<std::uint32_t>(f.size()));
  const ByteString bytes(out.bytes.begin(), out.bytes.end());
  EXPECT_EQ(udp_sum(bytes), 0xffffu);
  Packet p = roce_packet(0, 1, Opcode::send_only, 78, 64);
  p.ecn = Ecn::ce;
  EXPECT_EQ(ByteString(bytes.begin() + 50, bytes.end()), horae::testing::bytes_of(p))
      << "with its ICRC and its IP checksum";
  EXPECT_EQ(ByteString(bytes.begin(), bytes.begin() + 40), ByteString(f.begin(), f.begin() + 40));

  // Four bytes behind the BTH: every length and every checksum has them.
  after = d.packet;
  after.frame = static_cast<std::uint16_t>(after.frame + 4);
  after.msn = 0x01020304;
  const auto more = rewriter.rewrite(d, after, f, static_cast<std::uint32_t>(f.size()));
  const ByteString longer(more.bytes.begin(), more.bytes.end());
  EXPECT_EQ(longer.size(), f.size() + 4);
  EXPECT_EQ(more.length, f.size() + 4);
  EXPECT_EQ(longer[17], f[17] + 4) << "outer IP";
  EXPECT_EQ(longer[39], f[39] + 4) << "outer UDP";
  EXPECT_EQ(longer[50 + 17], f[50 + 17] + 4) << "inner IP";
  EXPECT_EQ(udp_sum(longer), 0xffffu);
  const Dissection again = taken(longer);
  EXPECT_EQ(again.packet.payload, 68);
}

TEST(Tunnel, ACheckedGreStaysRight) {
  const auto checksum = [](const ByteString& b) { return sum(b, 34, b.size()); };
  ByteString f = gre_frame({0x80, 0, 0x65, 0x58, 0, 0, 0, 0}, roce_v2());
  const std::uint32_t right = 0xffff - checksum(f);
  f[38] = static_cast<std::uint8_t>(right >> 8), f[39] = static_cast<std::uint8_t>(right);
  Dissection d = taken(f);
  d.packet.src = 0, d.packet.dst = 1;
  Packet after = d.packet;
  after.entropy = 0x1234;
  Packet cnp = roce_packet(1, 0, Opcode::cnp, 0);
  Rewriter rewriter;
  for (const Packet& p : {after, cnp}) {
    const auto out = rewriter.rewrite(d, p, f, static_cast<std::uint32_t>(f.size()));
    EXPECT_EQ(checksum({out.bytes.begin(), out.bytes.end()}), 0xffffu);
  }
}

TEST(Tunnel, AnAnswerGoesBackThroughIt) {
  ByteString f = vxlan_frame(roce_v2(), 0x1234);
  Dissection d = taken(f);
  d.packet.src = 0, d.packet.dst = 1;
  const Packet nack = nack_packet(1, 0, 77, 3);
  Rewriter rewriter;
  const auto out = rewriter.rewrite(d, nack, f, static_cast<std::uint32_t>(f.size()));
  const ByteString bytes(out.bytes.begin(), out.bytes.end());
  EXPECT_EQ(ByteString(bytes.begin(), bytes.begin() + 12),
            (ByteString{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}));
  EXPECT_EQ(ByteString(bytes.begin() + 26, bytes.begin() + 34),
            (ByteString{10, 9, 0, 2, 10, 9, 0, 1}));
  EXPECT_EQ(bytes[40] << 8 | bytes[41], 0) << "no checksum that it need not have";
  const Dissection back = taken(bytes);
  EXPECT_EQ(back.tunnel, Tunnel::vxlan);
  EXPECT_EQ(back.source, node1);
  EXPECT_EQ(back.destination, node0);
  EXPECT_TRUE(back.packet.is_nack());
  EXPECT_EQ(bytes.size(), 50u + 14 + 20 + 8 + 12 + 4 + 4);
}

}  // namespace
}  // namespace horae::capture::tunnel_test
