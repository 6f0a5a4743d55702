#include "horae/capture/rewriter.hpp"

#include <gtest/gtest.h>

#include "roce_bytes.hpp"

namespace horae::capture::rewriter_test {
namespace {

using testing::bytes_of;
using testing::nack_packet;
using testing::roce_packet;
using Frame = std::vector<std::uint8_t>;

/// Takes a frame apart, lets `change` do what a switch would, and puts it together again.
template <class F>
Frame changed(const Frame& f, F&& change, std::size_t captured = ~std::size_t{0}, bool fcs = false,
              const DissectOptions& options = {}) {
  const std::span<const std::uint8_t> bytes(f.data(), std::min(captured, f.size()));
  Dissection d = dissect(bytes, static_cast<std::uint32_t>(f.size()),
                         fcs ? DissectOptions{.fcs = true} : options);
  d.packet.src = 0;
  d.packet.dst = 1;
  Packet after = d.packet;
  change(after);
  Rewriter rewriter(fcs);
  const auto out = rewriter.rewrite(d, after, bytes, static_cast<std::uint32_t>(f.size()));
  if (captured >= f.size()) {
    EXPECT_EQ(out.length, out.bytes.size());
  }
  return {out.bytes.begin(), out.bytes.end()};
}

TEST(Rewriter, LeavesAloneWhatIsLeftAlone) {
  Frame f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  f[24] ^= 0x55;     // a wrong IPv4 checksum
  f.back() ^= 0xff;  // and a wrong ICRC
  EXPECT_EQ(changed(f, [](Packet& p) { p.traffic_class = 5, p.metadata = 9; }), f);
  EXPECT_EQ(changed(
                f, [](Packet&) {}, 70),
            Frame(f.begin(), f.begin() + 70));
}

TEST(Rewriter, WritesEveryFieldAsTheCodecWould) {
  const auto change = [](Packet& p) {
    p.entropy = 0x4242;
    p.ecn = Ecn::ce;
    p.psn = Psn(0x777777);
    p.dest_qp = Qpn(0x10203);
    p.ack_request = true;
  };
  for (const bool ipv6 : {false, true}) {
    for (const Opcode opcode : {Opcode::write_first, Opcode::send_last_immediate}) {
      Packet p = roce_packet(0, 1, opcode, 5, 333);
      const AddressPlan plan{.ipv6 = ipv6, .vlan_id = 12};
      Packet expected = p;
      change(expected);
      for (const bool fcs : {false, true})
        EXPECT_EQ(changed(bytes_of(p, plan, fcs), change, ~0u, fcs), bytes_of(expected, plan, fcs));
    }
  }
  Packet ack = roce_packet(0, 1, Opcode::acknowledge, 5);
  Packet nack = ack;
  nack.syndrome = syndrome::nak_psn_sequence;
  nack.msn = 77;
  EXPECT_EQ(changed(bytes_of(ack), [&](Packet& p) { p.syndrome = nack.syndrome, p.msn = 77; }),
            bytes_of(nack));
}

TEST(Rewriter, ReservedBitsEnterTheIcrcAsFarAsItCoversThem) {
  const Frame f = bytes_of(roce_packet(0, 1, Opcode::write_middle, 5, 64));
  const Frame out = changed(f, [](Packet& p) { p.bth_reserved = 0x25 << 7 | 0x33; });
  EXPECT_EQ(out[46], 0x25);
  EXPECT_EQ(out[50] & 0x7f, 0x33);
  const RoceFrame decoded = decode(out);
  EXPECT_TRUE(decoded.icrc_valid);
  EXPECT_EQ(decoded.bth.reserved7, 0x33);
}

TEST(Rewriter, AWrongIcrcOrFcsStaysWrong) {
  const auto mark = [](Packet& p) { p.psn = Psn(99), p.ecn = Ecn::ce; };
  const Packet data = roce_packet(0, 1, Opcode::write_middle, 5, 64);
  Frame icrc = bytes_of(data);
  icrc.back() ^= 0x10;
  Frame out = changed(icrc, mark);
  EXPECT_EQ(out[53], 99);
  EXPECT_EQ(Frame(out.end() - 4, out.end()), Frame(icrc.end() - 4, icrc.end()));
  EXPECT_FALSE(decode(out).icrc_valid);
  const Frame longer = changed(icrc, [](Packet& p) {
    p.bth_reserved = 0x20;
    p.frame = static_cast<std::uint16_t>(p.frame + 4);
  });
  EXPECT_EQ(Frame(longer.end() - 4, longer.end()), Frame(icrc.end() - 4, icrc.end()));

  Frame fcs = bytes_of(data, {}, true);
  fcs.back() ^= 0x10;
  out = changed(fcs, mark, ~0u, true);
  EXPECT_EQ(Frame(out.end() - 4, out.end()), Frame(fcs.end() - 4, fcs.end()));
  EXPECT_TRUE(decode(std::span(out).first(out.size() - 4)).icrc_valid);
  // The switch's packet is new and right.
  const Packet nack = nack_packet(1, 0, 44, 9);
  out = changed(
      fcs,
      [&](Packet& p) {
        std::swap(p.src, p.dst);
        p.opcode = Opcode::acknowledge;
        p.syndrome = nack.syndrome;
        p.psn = nack.psn;
        p.dest_qp = nack.dest_qp;
        p.payload = 0;
        p.ecn = nack.ecn;
        p.frame = nack.frame;
      },
      ~0u, true);
  EXPECT_EQ(out, bytes_of(nack, {}, true));
}

TEST(Rewriter, ExchangesAddresses) {
  const Packet p = roce_packet(0, 1, Opcode::send_only, 5, 64);
  Packet back = roce_packet(1, 0, Opcode::send_only, 5, 64);
  EXPECT_EQ(changed(bytes_of(p), [](Packet& q) { std::swap(q.src, q.dst); }), bytes_of(back));
}

TEST(Rewriter, MakesNacksAndCnpsOfData) {
  const Packet data = roce_packet(0, 1, Opcode::write_middle, 50, 1024);
  const Packet nack = nack_packet(1, 0, 44, 9);
  const auto to_nack = [&](Packet& p) {
    std::swap(p.src, p.dst);
    p.opcode = Opcode::acknowledge;
    p.syndrome = nack.syndrome;
    p.psn = nack.psn;
    p.dest_qp = nack.dest_qp;
    p.payload = 0;
    p.ecn = nack.ecn;
    p.frame = nack.frame;
  };
  EXPECT_EQ(changed(bytes_of(data), to_nack), bytes_of(nack));
  // The packet was captured in part, but all of the new one is known.
  const Frame f = bytes_of(data);
  EXPECT_EQ(changed(f, to_nack, 64), bytes_of(nack));

  Packet cnp = roce_packet(1, 0, Opcode::cnp, 0, 0, 9);
  EXPECT_EQ(changed(f,
                    [&](Packet& p) {
                      std::swap(p.src, p.dst);
                      p.opcode = Opcode::cnp;
                      p.psn = Psn(0);
                      p.dest_qp = cnp.dest_qp;
                      p.payload = 0;
                      p.ecn = cnp.ecn;
                      p.frame = cnp.frame;
                    }),
            bytes_of(cnp));
}

TEST(Rewriter, PutsFourBytesBehindTheBthAndTakesThemOut) {
  const Frame f = bytes_of(roce_packet(0, 1, Opcode::write_middle, 50, 1024));
  const auto put = [](Packet& p) {
    p.bth_reserved = 0x20;
    p.msn = 0xa1b2c3d4;
    p.frame = static_cast<std::uint16_t>(p.frame + 4);
  };
  const Frame longer = changed(f, put);
  ASSERT_EQ(longer.size(), f.size() + 4);
  EXPECT_EQ(Frame(longer.begin() + 54, longer.begin() + 58), (Frame{0xa1, 0xb2, 0xc3, 0xd4}));
  EXPECT_TRUE(decode(longer).icrc_valid);  // and lengths and the IPv4 checksum with it
  const Frame back = changed(longer,
                             [](Packet& p) {
                               EXPECT_EQ(p.msn, 0xa1b2c3d4);
                               EXPECT_EQ(p.payload, 1024);
                               p.bth_reserved = 0;
                               p.msn = 0;
                               p.frame = static_cast<std::uint16_t>(p.frame - 4);
                             },
                             ~0u, false, {.extra_mask = 0x60, .extra_value = 0x20});
  EXPECT_EQ(back, f);
  EXPECT_EQ(changed(f, put, 60).size(), 64u);
}

TEST(Rewriter, MarksAndCutsOtherPacketsAsWell) {
  Frame f = bytes_of(roce_packet(0, 1, Opcode::send_only, 1, 100));
  f[23] = 6;  // TCP, with an IPv4 checksum that is wrong by as much
  const Frame marked = changed(f, [](Packet& p) { p.ecn = Ecn::ce; });
  EXPECT_EQ(marked[15] & 3, 3);
  EXPECT_EQ(Frame(marked.begin() + 26, marked.end()), Frame(f.begin() + 26, f.end()));
  f[23] = 17;
  f[37] ^= 1;  // UDP to another port, with a right IPv4 checksum
  Frame other = changed(f, [](Packet& p) { p.ecn = Ecn::ce, p.hop_limit = 7; });
  other[37] ^= 1;
  EXPECT_NO_THROW(decode(other)) << "the IPv4 checksum is right";
  EXPECT_EQ(std::get<Ipv4Header>(decode(other).ip).ttl, 7);
  EXPECT_EQ(changed(f, [](Packet& p) { p.frame = 84; }), Frame(f.begin(), f.begin() + 80));
}

TEST(Rewriter, KeepsAUdpChecksumRight) {
  const auto sum = [](const Frame& f) {
    const std::size_t length = static_cast<std::size_t>(f[38] << 8 | f[39]);
    std::uint32_t total = 17 + static_cast<std::uint32_t>(length);
    for (std::size_t i = 26; i < 34 + length; i += 2)
      total += static_cast<std::uint32_t>(f[i] << 8 | f[i + 1]);
    while (total > 0xffff) total = (total & 0xffff) + (total >> 16);
    return total;
  };
  Frame f = bytes_of(roce_packet(0, 1, Opcode::write_middle, 1, 100));
  const std::uint32_t wrong = sum(f);
  f[40] = static_cast<std::uint8_t>(~wrong >> 8), f[41] = static_cast<std::uint8_t>(~wrong);
  ASSERT_EQ(sum(f), 0xffffu);
  EXPECT_EQ(sum(changed(f, [](Packet& p) { p.psn = Psn(99), p.entropy = 3; })), 0xffffu);
  EXPECT_EQ(sum(changed(f,
                        [](Packet& p) {
                          p.msn = 0x12345678;
                          p.frame = static_cast<std::uint16_t>(p.frame + 4);
                        })),
            0xffffu);
}

}  // namespace
}  // namespace horae::capture::rewriter_test
