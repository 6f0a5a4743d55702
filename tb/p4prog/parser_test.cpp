// The parser: what it takes, where it goes, what it makes of short packets; and the deparser.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::parser_test {
namespace {

TEST(Parser, WhatIsNotParsedFollows) {
  EXPECT_EQ(faults_of({},
                      "packet 0 00000001 00000002 0003 04 05 aabbcc\n"
                      "expect 2 00000001 00000002 0003 04 05 aabbcc$\n"),
            "");
}

TEST(Parser, WhatIsNotEmittedIsGone) {
  Parts p;
  p.deparse = "";
  EXPECT_EQ(faults_of(p, "packet 0 00000001 00000002 0003 04 05 aabbcc\nexpect 2 aabbcc$\n"), "");
}

// The FCS behind the packet can be parsed: only what is longer is too short.
TEST(Parser, AShortPacketIsDroppedUnlessTheControlAsksForTheError) {
  const std::string eight = "packet 0 00000001 00000002\n", seven = "packet 0 00000001 000000\n";
  EXPECT_EQ(faults_of({}, eight + "expect 2 00000001 00000002\n"), "");
  EXPECT_EQ(faults_of({}, seven), "");
  Parts p;
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; if (ig_prsr_md.parser_err == 0x22)"
      "{ ig_tm_md.ucast_egress_port = 3; }";
  EXPECT_EQ(faults_of(p, seven + "expect 3 00000001 000000$\n" + eight + "expect 2\n"), "");
}

TEST(Parser, SelectsByMasksRangesAndSets) {
  Parts p;
  p.headers =
      "header data_h { bit<8> k; bit<8> v; }\nstruct headers { data_h data; }\n"
      "struct metadata { bit<9> port; }\n";
  p.parser_locals = "value_set<bit<8>>(4) special;\n";
  p.parse =
      "pkt.extract(hdr.data); transition select(hdr.data.k, hdr.data.v) {\n"
      "  (1, _): one; (0x10 &&& 0xf0, 0): masked; (3..5, 7): ranged; (special, _): listed;\n"
      "  default: accept; } }\n"
      "state one { md.port = 1; transition accept; }\n"
      "state masked { md.port = 2; transition accept; }\n"
      "state ranged { md.port = 3; transition accept; }\n"
      "state listed { md.port = 4; transition accept; }\n";
  p.apply = "ig_tm_md.ucast_egress_port = md.port;";
  Bench b(p);
  b.chip->control_plane().add_to_value_set("special", {"0x77"});
  EXPECT_EQ(b.faults("packet 0 0100\nexpect 1 0100\n"
                     "packet 0 1f00\nexpect 2 1f00\npacket 0 1f01\nexpect 0 1f01\n"
                     "packet 0 0307\nexpect 3\npacket 0 0507\nexpect 3\npacket 0 0607\nexpect 0\n"
                     "packet 0 7700\nexpect 4\npacket 0 7800\nexpect 0\n"),
            "");
}

TEST(Parser, NoCaseIsAnError) {
  Parts p;
  p.parse = "pkt.extract(hdr.data); transition select(hdr.data.b1) { 1: accept; } }\n";
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000001 00000002 0003 04 05\n"
                      "packet 0 00000001 00000002 0003 01 05\n"
                      "expect 2 00000001 00000002 0003 01 05\n"),
            "");
}

TEST(Parser, RejectEndsAsAcceptDoes) {
  Parts p;
  p.parse =
      "pkt.extract(hdr.data); transition select(hdr.data.b1) { 1: accept; default: reject; } }";
  EXPECT_EQ(faults_of(p, "packet 0 00000001 00000002 0003 04 05\nexpect 2\n"), "");
}

TEST(Parser, LooksAheadAndGoesOn) {
  Parts p;
  p.headers =
      "header data_h { bit<16> a; }\nstruct headers { data_h data; }\n"
      "struct metadata { bit<8> next; }\n";
  p.parse =
      "pkt.extract(hdr.data); md.next = pkt.lookahead<bit<24>>()[7:0]; pkt.advance(16);\n"
      "transition accept; }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.data.a[7:0] = md.next;";
  EXPECT_EQ(faults_of(p, "packet 0 1122 334455 66\nexpect 2 1155 55 66$\n"), "");
}

TEST(Parser, FillsAStackAndKnowsItsEnd) {
  Parts p;
  p.headers =
      "header tag_h { bit<7> id; bit<1> last; }\nstruct headers { tag_h[3] tags; }\n"
      "struct metadata { }\n";
  p.parse =
      "transition tag; }\nstate tag { pkt.extract(hdr.tags.next);\n"
      "transition select(hdr.tags.last.last) { 1: accept; default: tag; } }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; if (hdr.tags[1].isValid()) hdr.tags.pop_front(1);"
      "else { hdr.tags.push_front(1); hdr.tags[0].setValid(); hdr.tags[0].id = 9; }";
  EXPECT_EQ(faults_of(p,
                      "packet 0 02 04 07 aa\nexpect 2 04 07 aa$\n"
                      "packet 0 07 aa\nexpect 2 12 07 aa$\n"
                      "packet 0 02 04 06 08 09\n"),
            "");
}

TEST(Parser, AVarbitIsAsLongAsItIsTold) {
  Parts p;
  p.headers =
      "header len_h { bit<8> n; }\nheader var_h { varbit<64> v; }\n"
      "struct headers { var_h var; len_h len; }\nstruct metadata { }\n";
  p.parse =
      "pkt.extract(hdr.len); pkt.extract(hdr.var, (bit<32>)hdr.len.n * 8); transition accept; }\n";
  EXPECT_EQ(faults_of(p,
                      "packet 0 03 aabbcc dd\nexpect 2 aabbcc 03 dd$\n"
                      "packet 0 00 aa\nexpect 2 00 aa$\n"
                      "packet 0 09 00112233445566778899\n"),
            "");
}

TEST(Parser, Counts) {
  Parts p;
  p.headers =
      "header len_h { bit<8> n; }\nheader opt_h { bit<8> v; }\n"
      "struct headers { len_h len; opt_h[4] opts; len_h end; }\nstruct metadata { }\n";
  p.parser_locals = "ParserCounter() left;\n";
  p.parse =
      "pkt.extract(hdr.len); left.set(hdr.len.n); transition more; }\n"
      "state more { transition select(left.is_zero(), left.is_negative()) {\n"
      "  (true, _): over; (_, true): accept; default: one; } }\n"
      "state one { pkt.extract(hdr.opts.next); left.decrement(2); transition more; }\n"
      "state over { pkt.extract(hdr.end); transition accept; }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; if (hdr.end.isValid()) hdr.end.n = 0xee;";
  EXPECT_EQ(faults_of(p,
                      "packet 0 04 01 02 03\nexpect 2 04 01 02 ee$\n"
                      "packet 0 03 01 02 03\nexpect 2 03 01 02 03$\n"),
            "");
}

// On Tofino the mask of four arguments is the number of its highest bit.
TEST(Parser, ACounterTurnsMasksAndAdds) {
  Parts p;
  p.headers =
      "header len_h { bit<8> n; bit<8> z; }\nstruct headers { len_h len; }\n"
      "struct metadata { bit<1> zero; }\n";
  p.parser_locals = "ParserCounter() left;\n";
  p.parse =
      "pkt.extract(hdr.len); left.set(hdr.len.n, 8w255, 8w4, 3w3, 8w250);\n"
      "transition select(left.is_zero()) { true: zero; default: accept; } }\n"
      "state zero { md.zero = 1; transition accept; }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.len.z = (bit<8>)md.zero;";
  EXPECT_EQ(faults_of(p, "packet 0 6f 07\nexpect 2 6f 01\npacket 0 7f 07\nexpect 2 7f 00\n"), "");
}

TEST(Parser, SumsUpAndSaysWhatIsWrong) {
  Parts p;
  p.headers =
      "header sum_h { bit<16> a; bit<16> sum; }\nstruct headers { sum_h s; }\n"
      "struct metadata { bool wrong; }\n";
  p.parser_locals = "Checksum() c;\n";
  p.parse = "pkt.extract(hdr.s); c.add(hdr.s); md.wrong = c.verify(); transition accept; }\n";
  p.deparser_locals = "Checksum() c;\n";
  p.apply = "ig_tm_md.ucast_egress_port = md.wrong ? 9w3 : 9w2; hdr.s.a = hdr.s.a + 1;";
  p.deparse = "hdr.s.sum = c.update({hdr.s.a}); pkt.emit(hdr);";
  EXPECT_EQ(faults_of(p,
                      "packet 0 1234 edcb\nexpect 2 1235 edca\n"
                      "packet 0 1234 edcc\nexpect 3 1235 edca\n"),
            "");
}

// RFC 1624: what the packet's sum covers beyond the headers is kept by a residual.
TEST(Parser, KeepsTheRestOfAChecksum) {
  Parts p;
  p.headers =
      "header sum_h { bit<16> a; bit<16> sum; }\nstruct headers { sum_h s; }\n"
      "struct metadata { bit<16> rest; }\n";
  p.parser_locals = "Checksum() c;\n";
  p.parse =
      "pkt.extract(hdr.s); c.subtract({hdr.s.a, hdr.s.sum}); md.rest = c.get(); transition accept; "
      "}";
  p.deparser_locals = "Checksum() c;\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.s.a = 0x2000;";
  p.deparse = "hdr.s.sum = c.update({hdr.s.a, md.rest}); pkt.emit(hdr);";
  // Payload 0x0101: 1000 + 0101 + sum = ffff, and afterwards 2000 + 0101 + sum = ffff.
  EXPECT_EQ(faults_of(p, "packet 0 1000 eefe 0101\nexpect 2 2000 defe 0101$\n"), "");
}

TEST(Parser, AnUpdateOfZeroMayBeOnes) {
  Parts p;
  p.headers =
      "header sum_h { bit<16> a; bit<16> s0; bit<16> s1; }\nstruct headers { sum_h s; }\n"
      "struct metadata { }\n";
  p.parse = "pkt.extract(hdr.s); transition accept; }";
  p.deparser_locals = "Checksum() c;\nChecksum() d;\n";
  p.deparse =
      "hdr.s.s0 = c.update({hdr.s.a}); hdr.s.s1 = d.update({hdr.s.a}, true); pkt.emit(hdr);";
  EXPECT_EQ(faults_of(p,
                      "packet 0 ffff 1111 2222\nexpect 2 ffff 0000 ffff\n"
                      "packet 0 1234 1111 2222\nexpect 2 1234 edcb edcb\n"),
            "");
}

}  // namespace
}  // namespace horae::p4prog::test::parser_test
