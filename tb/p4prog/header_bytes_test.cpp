// Headers' bytes stay in the packet: what is emitted is as it was extracted, with what was written
// since, whatever way the header took.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "horae/core/codec/crc.hpp"
#include "small_program.hpp"

namespace horae::p4prog::test::header_bytes_test {
namespace {

/// Two headers of one type behind each other; nobody names `rest` or `long_`.
Parts two() {
  Parts p;
  p.headers =
      "header odd_h { bit<3> a; bit<13> b; bit<7> rest; bit<1> c; bit<72> long_; bit<65> d; bit<7> "
      "e; }\n"
      "struct headers { odd_h x; odd_h y; }\nstruct metadata { bit<9> port; }\n";
  p.parse = "pkt.extract(hdr.x); pkt.extract(hdr.y); transition accept; }\n";
  return p;
}
const std::string x = "e123 45 112233445566778899 8000000000000001ff ";
const std::string y = "0456 78 aabbccddeeff001122 0123456789abcdef01 ";

std::string sent(const std::string& applied, const std::string& expected,
                 const std::string& packet = x + y + "77") {
  Parts p = two();
  p.apply = "ig_tm_md.ucast_egress_port = 2; " + applied;
  return faults_of(p, "packet 0 " + packet + "\nexpect 2 " + expected + "$\n");
}

TEST(HeaderBytes, FieldsThatNobodyNamesStay) {
  EXPECT_EQ(sent("", x + y + "77"), "");
  EXPECT_EQ(sent("hdr.x.b = 0x1fff; hdr.y.c = 1;",
                 "ffff 45 112233445566778899 8000000000000001ff 0456 79 aabbccddeeff001122 "
                 "0123456789abcdef01 77"),
            "");
  EXPECT_EQ(sent("hdr.x.d = 5; hdr.y.b[3:0] = 0;",
                 "e123 45 112233445566778899 00000000000000 02ff 0450 78 aabbccddeeff001122 "
                 "0123456789abcdef01 77"),
            "");
}

TEST(HeaderBytes, ACopyHasThoseOfItsOriginal) {
  EXPECT_EQ(sent("hdr.y = hdr.x;", x + x + "77"), "");
  EXPECT_EQ(sent("hdr.y = hdr.x; hdr.x.b = 0;",
                 "e000 45 112233445566778899 8000000000000001ff " + x + "77"),
            "");
  EXPECT_EQ(sent("odd_h t = hdr.x; hdr.x = hdr.y; hdr.y = t;", y + x + "77"), "");
}

TEST(HeaderBytes, OneThatBecomesValidAgainHasThem) {
  EXPECT_EQ(sent("hdr.x.setInvalid(); hdr.x.setValid();", x + y + "77"), "");
  EXPECT_EQ(sent("hdr.x.setInvalid();", y + "77"), "");
}

TEST(HeaderBytes, OneThatIsMadeHasNone) {
  Parts p = two();
  p.parse = "pkt.extract(hdr.y); transition accept; }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.x.setValid(); hdr.x.c = 1;";
  EXPECT_EQ(faults_of(p, "packet 0 " + y + "77\nexpect 2 0000 01 000000000000000000 " +
                             "000000000000000000 " + y + "77$\n"),
            "");
  EXPECT_EQ(sent("hdr.y = {1, 2, 3, 1, 4, 5, 6};",
                 x + "2002 07 000000000000000004 0000000000000002 86 77"),
            "");
}

// Behind an emit its fields may be written again.
TEST(HeaderBytes, AreAsTheyWereWhenTheHeaderWasEmitted) {
  Parts p = two();
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.x.c = 0;";
  p.deparse = "pkt.emit(hdr.x); hdr.x.b = 0; hdr.y.b = 0; pkt.emit(hdr.y);";
  EXPECT_EQ(faults_of(p, "packet 0 e123 45 112233445566778899 8000000000000001ff " + y +
                             "77\nexpect 2 e123 44 112233445566778899 8000000000000001ff "
                             "0000 78 aabbccddeeff001122 0123456789abcdef01 77$\n"),
            "");
}

// Nothing lies behind what is written then.
TEST(HeaderBytes, MayEndThePacket) {
  EXPECT_EQ(sent("hdr.y.b = 0; hdr.y.e = 0x7f;",
                 x + "0000 78 aabbccddeeff001122 0123456789abcdef7f", x + y),
            "");
  EXPECT_EQ(sent("hdr.x.setInvalid(); hdr.y.e = 0;",
                 "0456 78 aabbccddeeff001122 0123456789abcdef00", x + y),
            "");
}

// The chip's header has bytes like any other, if somebody wants them.
TEST(HeaderBytes, OfTheChipsHeaderAreThere) {
  Parts p = two();
  p.headers =
      "header odd_h { bit<8> a; bit<8> b; }\n"
      "struct headers { ingress_intrinsic_metadata_t chip; odd_h x; }\nstruct metadata { }\n";
  p.parse = "pkt.extract(hdr.x); transition accept; }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.chip = ig_intr_md; hdr.x.b = hdr.x.a;";
  EXPECT_EQ(faults_of(p, "packet 5 0708 99\nexpect 2 0005 **** **** **** 0707 99$\n"), "");
}

// The place where a header was extracted is no part of its value, and all of its fields are.
TEST(HeaderBytes, AreComparedByTheirValues) {
  const std::string compare =
      "if (hdr.x == hdr.y) { ig_tm_md.ucast_egress_port = 2; } "
      "else { ig_tm_md.ucast_egress_port = 3; }";
  Parts p = two();
  p.apply = compare;
  std::string other = x;
  other.replace(other.find("5566"), 4, "5567");  // of `long_`
  EXPECT_EQ(faults_of(p, "packet 0 " + x + x + "\nexpect 2 " + x + x + "$\npacket 0 " + x + other +
                             "\nexpect 3 " + x + other + "$\n"),
            "");
}

TEST(HeaderBytes, MoveWithTheElementsOfAStack) {
  Parts p;
  p.headers =
      "header item_h { bit<8> kind; bit<16> rest; }\nstruct headers { item_h[3] items; }\n"
      "struct metadata { bit<9> port; }\n";
  p.parse = "pkt.extract(hdr.items.next); pkt.extract(hdr.items.next); transition accept; }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; hdr.items.push_front(1); hdr.items[0].setValid();"
      "hdr.items[0].kind = 9; hdr.items[2].kind = 8;";
  EXPECT_EQ(faults_of(p, "packet 0 01 aabb 02 ccdd\nexpect 2 09 0000 01 aabb 08 ccdd$\n"), "");
}

// Few packets are read beyond what is copied at once, or to their FCS.
TEST(HeaderBytes, AreReadFarBehindTheBegin) {
  Parts p;
  p.headers =
      "header skip_h { bit<32> f; }\nheader last_h { bit<32> a; bit<32> fcs; }\n"
      "struct headers { skip_h skip; last_h last; }\nstruct metadata { bit<32> seen; }\n";
  p.parse =
      "pkt.extract(hdr.skip); pkt.advance(2400); md.seen = pkt.lookahead<bit<32>>();"
      "pkt.extract(hdr.last); transition accept; }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.skip.f = md.seen;";
  std::string filling;
  for (int i = 0; i < 300; ++i) filling += "55 ";
  // CRC-32 of zlib, the lowest byte first.
  Bytes8 bytes = {1, 2, 3, 4};
  bytes.insert(bytes.end(), 300, 0x55);
  for (const std::uint8_t b : {0xde, 0xad, 0xbe, 0xef}) bytes.push_back(b);
  const auto fcs = static_cast<std::uint32_t>(Crc(CrcParameters{}).of(bytes));
  const auto reversed = __builtin_bswap32(fcs);
  EXPECT_EQ(faults_of(p, "packet 0 01020304 " + filling + "deadbeef\nexpect 2 deadbeef deadbeef " +
                             fmt::format("{:08x}", reversed) + "$\n"),
            "");
}

}  // namespace
}  // namespace horae::p4prog::test::header_bytes_test
