// Any bytes through a parser that uses all that parsers have: what the deparser emits is what came.
// HORAE_P4_PACKETS=10000000 makes it that many packets.
#include <gtest/gtest.h>

#include <cstdlib>

#include "horae/core/random.hpp"
#include "small_program.hpp"

namespace horae::p4prog::test::any_packet_test {
namespace {

/// Stacks, a varbit, lookahead, masks and ranges in select, a value set, a counter, checksums,
/// advance: headers are emitted as they were extracted, so nothing is lost, added or moved.
Parts program(bool tofino2) {
  Parts p;
  p.tofino2 = tofino2;
  p.headers =
      "header base_h { bit<48> d; bit<48> s; bit<16> type; }\n"
      "header tag_h { bit<3> a; bit<13> b; bit<16> type; }\n"
      "header label_h { bit<20> l; bit<3> e; bit<1> bottom; bit<8> ttl; }\n"
      "header ip_h { bit<4> v; bit<4> ihl; bit<8> tos; bit<16> len; bit<32> id; bit<8> ttl;\n"
      "  bit<8> protocol; bit<16> sum; bit<32> s; bit<32> d; }\n"
      "header options_h { varbit<320> o; }\n"
      "header long_h { bit<128> a; bit<7> b; bit<65> c; }\n"
      "header item_h { bit<8> kind; bit<8> value; }\n"
      "struct headers { base_h base; tag_h[3] tags; label_h[4] labels; ip_h ip; options_h "
      "options;\n"
      "  long_h long_; item_h[6] items; }\n"
      "struct metadata { bit<16> rest; bit<1> wrong; }\n";
  p.parser_locals =
      "  value_set<bit<16>>(4) more_tags;\n"
      "  ParserCounter() left;\n"
      "  Checksum() sum;\n";
  p.parse =
      "pkt.extract(hdr.base); transition select(hdr.base.type) {\n"
      "  0x8100: tag; more_tags: tag; 0x8847 &&& 0xfffe: label; 0x0800: ip;\n"
      "  0x9000 .. 0x90ff: items; 0xaaaa: long_; default: accept; } }\n"
      "state tag { pkt.extract(hdr.tags.next); transition select(hdr.tags.last.type) {\n"
      "  0x8100: tag; 0x0800: ip; 0x8847: label; default: accept; } }\n"
      "state label { pkt.extract(hdr.labels.next); transition select(hdr.labels.last.bottom) {\n"
      "  0: label; default: under; } }\n"
      "state under { transition select(pkt.lookahead<bit<4>>()) { 4: ip; 6: long_; default: "
      "accept; } }\n"
      "state ip { pkt.extract(hdr.ip); sum.add(hdr.ip); md.wrong = (bit<1>)sum.verify();\n"
      "  transition select(hdr.ip.ihl, hdr.ip.protocol) {\n"
      "  (5, 17): items; (5, _): accept; (6 .. 15, _): options; default: reject; } }\n"
      "state options { pkt.extract(hdr.options, ((bit<32>)hdr.ip.ihl - 5) * 32);\n"
      "  sum.subtract_all_and_deposit(md.rest); transition items; }\n"
      "state long_ { pkt.extract(hdr.long_); transition select(hdr.long_.b) { 1: items; default: "
      "accept; } }\n"
      "state items { left.set((bit<8>)3); transition item; }\n"
      "state item { pkt.extract(hdr.items.next); left.decrement(1);\n"
      "  transition select(left.is_zero(), hdr.items.last.kind) {\n"
      "  (true, _): accept; (false, 0): accept; default: item; } }\n";
  // Packets with an error go on.
  p.apply =
      "if (ig_prsr_md.parser_err != 0) { ig_tm_md.ucast_egress_port = 3; } "
      "else { ig_tm_md.ucast_egress_port = 2; }\n"
      "ig_tm_md.bypass_egress = 1;";
  return p;
}

/// Bytes that the parser often likes.
Bytes8 packet(RandomStream& draw) {
  static constexpr std::array<std::uint16_t, 8> types = {0x8100, 0x0800, 0x8847, 0x8848,
                                                         0x9005, 0xaaaa, 0x88a8, 0x1234};
  Bytes8 out(draw.below(140));
  const auto mode = draw.below(4);
  for (auto& b : out) {
    const auto n = static_cast<std::uint8_t>(draw.below(256));
    b = mode == 0 ? n : mode == 1 ? static_cast<std::uint8_t>(n & 3) : mode == 2 ? 0x45 : n;
  }
  const auto at = [&](std::size_t i, std::uint16_t value) {
    if (i + 1 >= out.size()) return;
    out[i] = static_cast<std::uint8_t>(value >> 8);
    out[i + 1] = static_cast<std::uint8_t>(value);
  };
  for (std::size_t i = 12; i < 30; i += 4) {
    if (draw.below(4) != 0) at(i, types[draw.below(static_cast<std::uint32_t>(types.size()))]);
  }
  return out;
}

void run(bool tofino2, std::size_t packets) {
  Bench bench(program(tofino2));
  bench.chip->control_plane().add_to_value_set("more_tags", {"0x88a8"});
  RandomStream draw(11, tofino2 ? "packets 2" : "packets 1");
  std::array<std::size_t, 2> by_port{};
  for (std::size_t i = 0; i < packets; ++i) {
    const Bytes8 in = packet(draw);
    const auto out = bench.chip->inject(8, in, Picoseconds(static_cast<std::int64_t>(i) * 1000));
    ASSERT_EQ(out.size(), 1u) << i;
    ++by_port.at(out[0].port - 2);
    // A header may reach into the FCS, whose bytes are emitted then.
    ASSERT_GE(out[0].bytes.size(), in.size()) << i;
    ASSERT_LE(out[0].bytes.size(), in.size() + 4) << i;
    ASSERT_TRUE(std::equal(in.begin(), in.end(), out[0].bytes.begin())) << i;
    ASSERT_EQ(out[0].port == 3, bench.chip->passes().at(0).error != 0) << i;
  }
  // Both ways are met often, or the bytes are not what they should be.
  EXPECT_GT(by_port[0], packets / 20);
  EXPECT_GT(by_port[1], packets / 20);
}

TEST(AnyPacket, ComesOutAsItCame) {
  const char* const wanted = std::getenv("HORAE_P4_PACKETS");
  const std::size_t packets = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 20'000;
  run(false, packets / 2);
  run(true, packets - packets / 2);
}

}  // namespace
}  // namespace horae::p4prog::test::any_packet_test
