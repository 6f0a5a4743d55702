// Rules by which the chip treats packets, metadata, registers and tables: a test for each rule that
// no other file of this folder has.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::reference_rules_test {
namespace {

const std::string packet = "packet 0 00000001 00000002 0003 04 05 aabbcc\n";
const std::string same = " 00000001 00000002 0003 04 05 aabbcc$\n";
const std::string first_header =
    "header first_h { bit<32> f; }\n"
    "struct eg_headers { first_h first; } struct eg_metadata { }\n";

TEST(P4Rules, AnEgressParserSeesTheMetadataThatItTakes) {
  Parts p;
  p.egress_headers = first_header;
  p.egress_apply = "hdr.first.f = hdr.first.f + 8;";
  p.egress_parse = "pkt.extract(hdr.first); transition accept; }\n";
  EXPECT_EQ(faults_of(p, packet + "expect 2 00000009 00000002 0003 04 05 aabbcc$\n"), "");
  p.egress_parse = "pkt.extract(eg_intr_md); " + p.egress_parse;
  EXPECT_EQ(faults_of(p, packet + "expect 2 00000009 00000002 0003 04 05 aabbcc$\n"), "");
}

TEST(P4Rules, AllWaysAtOnce) {
  const std::string groups =
      "mc_mgrp_create 5\nmc_mgrp_create 6\nmc_node_create 0 11\nmc_node_create 0 12\n"
      "mc_node_associate 5 0\nmc_node_associate 6 1\n";
  Parts p;
  p.apply =
      "ig_tm_md.ucast_egress_port = 9; ig_tm_md.mcast_grp_a = 5; ig_tm_md.mcast_grp_b = 6;\n"
      "ig_tm_md.copy_to_cpu = 1;";
  EXPECT_EQ(faults_of(p, groups + packet +
                             "expect 9\nexpect 11\nexpect 12\nexpect 192\nwait\n"
                             "no_packet\n"),
            "");
  p.tofino2 = true;
  EXPECT_EQ(faults_of(p, groups + packet + "expect 9\nexpect 11\nexpect 12\nexpect 0\n"), "");
  // drop_ctl of 1 stops the copies of the traffic manager, of 2 the one to the CPU.
  p.apply += "ig_dprsr_md.drop_ctl = 1;";
  EXPECT_EQ(faults_of(p, groups + packet + "expect 0\nwait\nno_packet\n"), "");
  p.apply += "ig_dprsr_md.drop_ctl = 3;";
  EXPECT_EQ(faults_of(p, groups + packet + "no_packet\n"), "");
}

TEST(P4Rules, ATypeThatNobodyWroteIsNoRequest) {
  Parts p;
  p.headers += "struct learn_t { bit<32> a; }\nheader mirror_h { bit<8> kind; }\n";
  p.deparser_locals = "Digest<learn_t>() d;\nMirror() m;\n";
  p.deparse =
      "if (ig_dprsr_md.digest_type == 0) { d.pack({hdr.data.f1}); }\n"
      "if (ig_dprsr_md.mirror_type == 0) { m.emit<mirror_h>(10w6, {8w1}); } pkt.emit(hdr);";
  const auto digests = [&](const std::string& copy) {
    Bench b(p);
    EXPECT_EQ(b.faults("mirroring_add 6 12\n" + packet + "expect 2" + same + copy), "");
    return b.chip->take_digests().size();
  };
  EXPECT_EQ(digests("no_packet\n"), 0u);
  p.apply += "ig_dprsr_md.digest_type = 0;";
  EXPECT_EQ(digests("no_packet\n"), 1u);
  p.apply += "ig_dprsr_md.mirror_type = 0;";
  EXPECT_EQ(digests("expect 12 01" + same.substr(1)), 1u);
}

TEST(P4Rules, FieldsOfAHeaderThatIsNotThere) {
  Parts p;
  p.headers =
      "header data_h { bit<32> f1; bit<32> f2; bit<16> h1; bit<8> b1; bit<8> b2; }\n"
      "header more_h { bit<16> x; }\nstruct headers { data_h data; more_h more; }\n"
      "struct metadata { }\n";
  p.apply = "hdr.more.x = 7; ig_tm_md.ucast_egress_port = 2;";
  EXPECT_EQ(faults_of(p, packet + "expect 2" + same), "");
  // setValid() does not clear it.
  p.apply += "hdr.data.setInvalid(); hdr.data.setValid();";
  EXPECT_EQ(faults_of(p, packet + "expect 2" + same), "");
  p.apply += "hdr.data.setInvalid();";
  EXPECT_EQ(faults_of(p, packet + "expect 2 aabbcc$\n"), "");
}

TEST(P4Rules, EgressNeverDropsForAnError) {
  Parts p;
  p.egress_headers =
      "header long_h { bit<256> f; }\nstruct eg_headers { long_h l; } struct eg_metadata { }\n";
  p.egress_parse = "pkt.extract(eg_intr_md); pkt.extract(hdr.l); transition accept; }\n";
  EXPECT_EQ(faults_of(p, packet + "expect 2" + same), "");
}

// It replaces copies and mirroring of the first pass, and happens once.
TEST(P4Rules, AResubmissionReplacesAllElse) {
  Parts p;
  p.headers += "header again_h { bit<64> value; }\nheader mirror_h { bit<8> kind; }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; hdr.data.b1 = hdr.data.b1 + 1; ig_dprsr_md.resubmit_type = "
      "1;\n"
      "if (ig_intr_md.resubmit_flag == 0) ig_dprsr_md.mirror_type = 1;";
  p.deparser_locals = "Resubmit() r;\nMirror() m;\n";
  p.deparse =
      "if (ig_dprsr_md.resubmit_type == 1) r.emit<again_h>({64w5});\n"
      "if (ig_dprsr_md.mirror_type == 1) m.emit<mirror_h>(10w6, {8w1}); pkt.emit(hdr);";
  EXPECT_EQ(faults_of(p, "mirroring_add 6 12\n" + packet +
                             "expect 2 00000001 00000002 0003 05 05 aabbcc$\nwait\nno_packet\n"),
            "");
}

TEST(P4Rules, CountersCountThePacketBeforeThePass) {
  Parts p;
  p.locals = "Counter<bit<32>, bit<8>>(4, CounterType_t.BYTES) in_;\n";
  p.apply = "hdr.data.setInvalid(); in_.count(1); ig_tm_md.ucast_egress_port = 2;";
  p.egress_locals = "Counter<bit<32>, bit<8>>(4, CounterType_t.BYTES) out_;\n";
  p.egress_apply = "out_.count(1);";
  // 15 and the FCS; egress what ingress sent, 3 and the FCS.
  EXPECT_EQ(faults_of(p, packet + "expect 2 aabbcc$\ncheck_counter in_(1) bytes == 19\n"
                                  "check_counter out_(1) bytes == 7\n"),
            "");
}

TEST(P4Rules, WhatIsAdvancedOverIsGone) {
  Parts p;
  p.parse = "pkt.extract(hdr.data); pkt.advance(16); transition accept; }\n";
  EXPECT_EQ(faults_of(p, packet + "expect 2 00000001 00000002 0003 04 05 cc$\n"), "");
}

Parts with_register(const std::string& type, const std::string& body) {
  Parts p;
  p.locals = "Register<" + type + ", bit<8>>(4) r;\nRegisterAction<" + type +
             ", bit<8>, bit<16>>(r) act = {\n  void apply(inout " + type +
             " v, out bit<16> rv) { " + body + " } };\n";
  p.apply = "hdr.data.h1 = act.execute(hdr.data.b1); ig_tm_md.ucast_egress_port = 2;";
  return p;
}

TEST(P4Rules, ARegisterComparesAsWideAsItIsTold) {
  const Parts p =
      with_register("bit<8>", "if ((bit<32>)v < hdr.data.f1) rv = 1; else rv = 2; v = 0xff;");
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000100 00000000 0000 01 00\nexpect 2 00000100 00000000 0001\n"
                      "packet 0 00000100 00000000 0000 01 00\nexpect 2 00000100 00000000 0001\n"
                      "packet 0 000000ff 00000000 0000 01 00\nexpect 2 000000ff 00000000 0002\n"),
            "");
}

TEST(P4Rules, ACellMayHaveASign) {
  const Parts p = with_register("int<8>", "if (v < 0) rv = 1; else rv = 2; v = v - 1;");
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 01 00\nexpect 2 00000000 00000000 0002\n"
                      "packet 0 00000000 00000000 0000 01 00\nexpect 2 00000000 00000000 0001\n"
                      "check_register r(1) == 0xfe\n"),
            "");
}

TEST(P4Rules, BeyondTheLastCellNothingHappens) {
  const Parts p = with_register("bit<16>", "v = 7; rv = 9;");
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 1234 04 00\nexpect 2 00000000 00000000 0000\n"
                      "packet 0 00000000 00000000 1234 03 00\nexpect 2 00000000 00000000 0009\n"
                      "check_register r(3) == 7\ncheck_register r(0) == 0\n"),
            "");
}

// Operations that the chip could not do run as P4 says.
TEST(P4Rules, ShiftsAndComparisonsOfFields) {
  Parts p;
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; if (hdr.data.f1 < hdr.data.f2) ig_tm_md.ucast_egress_port = "
      "3;\n"
      "hdr.data.h1 = hdr.data.h1 << hdr.data.b1; hdr.data.b2 = hdr.data.b2 * 4;";
  EXPECT_EQ(
      faults_of(p,
                "packet 0 00000001 00000002 0003 04 45\nexpect 3 00000001 00000002 0030 04 14\n"
                "packet 0 00000002 00000002 0003 11 45\nexpect 2 00000002 00000002 0000 11\n"),
      "");
}

// A case's packets come a microsecond apart.
TEST(P4Rules, StampsAreNanosecondsOf48Bits) {
  Parts p;
  p.apply =
      "hdr.data.f1 = ig_prsr_md.global_tstamp[31:0]; hdr.data.f2 = "
      "ig_intr_md.ingress_mac_tstamp[31:0];\n"
      "hdr.data.h1 = ig_prsr_md.global_tstamp[47:32]; ig_tm_md.ucast_egress_port = 2;";
  EXPECT_EQ(faults_of(p, packet + packet +
                             "expect 2 000003e8 000003e8 0000\nexpect 2 000007d0 000007d0 0000\n"),
            "");
}

TEST(P4Rules, EachPipeMayHaveItsOwnPipeline) {
  std::string text = text_of({});
  const std::size_t from = text.find("control Ig("), to = text.find("control IgDeparser(");
  std::string other = text.substr(from, to - from);
  other.replace(0, 11, "control Other(");
  other.replace(other.find("port = 2"), 8, "port = 200");
  text.insert(to, other);
  const std::string one = "Pipeline(IgParser(), Ig(),";
  const std::size_t end = text.find("Switch(");
  text.insert(end, "Pipeline(IgParser(), Other()," +
                       text.substr(text.find(one) + one.size(),
                                   text.find(" pipe;") - text.find(one) - one.size()) +
                       " second;\n");
  text.replace(text.find("Switch(pipe)"), 12, "Switch(pipe, second)");
  EXPECT_EQ(Bench(text, false, {})
                .faults("packet 3 00000001 00000002 0003 04 05\nexpect 2\n"
                        "packet 131 00000001 00000002 0003 04 05\nexpect 200\n"),
            "");
}

TEST(P4Rules, ATableHas512EntriesUnlessItSaysSo) {
  Parts p;
  p.locals =
      "action to(bit<9> port) { ig_tm_md.ucast_egress_port = port; }\n"
      "table t { key = { hdr.data.h1 : exact; } actions = { to; } }\n";
  p.apply = "t.apply();";
  const std::string fill = "$(for i in $(seq 1 512); do add t hdr.data.h1:$i to(3); done)\n";
  EXPECT_EQ(faults_of(p, fill + packet + "expect 3\n"), "");
  EXPECT_NE(refusal_of(p, fill + "add t hdr.data.h1:600 to(3)\n").find("case.stf:2:1: "),
            std::string::npos);
}

TEST(P4Rules, ARangeHasBothEnds) {
  Parts p;
  p.locals =
      "action to(bit<9> port) { ig_tm_md.ucast_egress_port = port; }\n"
      "table t { key = { hdr.data.b1 : range; } actions = { to; } default_action = to(9); }\n";
  p.apply = "t.apply();";
  const auto sent = [](const char* b1) {
    return std::string("packet 0 00000001 00000002 0003 ") + b1 + " 05\n";
  };
  EXPECT_EQ(faults_of(p, "add t hdr.data.b1:3..5 to(2)\n" + sent("02") + "expect 9\n" + sent("03") +
                             "expect 2\n" + sent("05") + "expect 2\n" + sent("06") + "expect 9\n"),
            "");
}

// A checksum is of the headers that are there.
TEST(P4Rules, AnUpdateTakesTheHeadersThatAreThere) {
  Parts p;
  p.headers =
      "header data_h { bit<16> sum; bit<16> kind; }\nheader more_h { bit<16> x; }\n"
      "struct headers { data_h data; more_h more; }\nstruct metadata { }\n";
  p.parse =
      "pkt.extract(hdr.data); transition select(hdr.data.kind) { 1: more; default: accept; } }\n"
      "state more { pkt.extract(hdr.more); transition accept; }\n";
  p.deparser_locals = "Checksum() c;\n";
  p.deparse = "hdr.data.sum = c.update({hdr.data.kind, hdr.more.x}); pkt.emit(hdr);";
  EXPECT_EQ(faults_of(p,
                      "packet 0 0000 0001 1000\nexpect 2 effe 0001 1000$\n"
                      "packet 0 0000 0002 1000\nexpect 2 fffd 0002 1000$\n"),
            "");
}

TEST(P4Rules, DigestsAndMirrorHeadersHaveTheirRoom) {
  Parts p;
  p.headers += "struct learn_t { bit<384> a; }\nheader mirror_h { bit<264> a; }\n";
  p.deparser_locals = "Digest<learn_t>() d;\n";
  p.deparse = "if (ig_dprsr_md.digest_type == 1) d.pack({384w1});\npkt.emit(hdr);";
  EXPECT_EQ(refusal_of(p), "case.p4:25:37: 48 bytes for pipe.IgDeparser.d, expected at most 47");
  p.tofino2 = true;
  EXPECT_EQ(faults_of(p, packet + "expect 2" + same), "");
  p.deparser_locals = "Mirror() m;\n";
  p.deparse = "if (ig_dprsr_md.mirror_type == 1) m.emit<mirror_h>(8w6, {264w1});\npkt.emit(hdr);";
  EXPECT_EQ(faults_of(p, packet + "expect 2" + same), "");
  p.tofino2 = false;
  p.deparse.replace(p.deparse.find("8w6"), 3, "10w6");
  EXPECT_EQ(refusal_of(p), "case.p4:25:37: 33 bytes for pipe.IgDeparser.m, expected at most 32");
}

// 8 kbit/s are a byte each millisecond: two packets of 16 bytes are the burst of 32, the third one
// within it is yellow or red. Of packets that came yellow none is green.
TEST(P4Rules, MetersKnowTheColourBefore) {
  Parts p;
  p.locals = "Meter<bit<8>>(4, MeterType_t.BYTES) m;\n";
  p.apply =
      "hdr.data.b2 = m.execute(hdr.data.b1, (MeterColor_t)hdr.data.b2); ig_tm_md.ucast_egress_port "
      "= 2;";
  const auto sent = [](const char* before, const char* after) {
    return std::string("packet 0 00000001 00000002 0003 01 ") + before +
           "\nexpect 2 00000001 00000002 0003 01 " + after + "\n";
  };
  const auto rates = [](std::int64_t burst, std::int64_t peak_burst) {
    return dataplane::MeterRates{BitRate(8000), Bytes(burst), BitRate(16000), Bytes(peak_burst)};
  };
  Bench plain(p);
  plain.chip->control_plane().set_meter("m", 1, rates(32, 48));
  EXPECT_EQ(plain.faults(sent("00", "00") + sent("00", "00") + sent("00", "01") + sent("00", "03")),
            "");
  Bench aware(p);
  aware.chip->control_plane().set_meter("m", 1, rates(32, 48));
  EXPECT_EQ(aware.faults(sent("01", "01") + sent("03", "03") + sent("00", "00") + sent("00", "00") +
                         sent("00", "03")),
            "");
  EXPECT_THROW(aware.chip->control_plane().set_meter("m", 4, rates(1, 1)), InputError);
}

// TNA 7.9: the length is less by what the program says, so that 16 bytes count as four; in place of
// the colour or behind it.
TEST(P4Rules, MetersCountAdjustedLengths) {
  for (const std::string arguments :
       {"hdr.data.b1, 32w12", "hdr.data.b1, MeterColor_t.GREEN, 32w12"}) {
    Parts p;
    p.locals = "Meter<bit<8>>(4, MeterType_t.BYTES) m;\n";
    p.apply = "hdr.data.b2 = m.execute(" + arguments + "); ig_tm_md.ucast_egress_port = 2;";
    Bench bench(p);
    bench.chip->control_plane().set_meter("m", 1, {BitRate(8), Bytes(12), BitRate(8), Bytes(16)});
    const std::string sent =
        "packet 0 00000001 00000002 0003 01 00\nexpect 2 000000010000000200030";
    EXPECT_EQ(bench.faults(sent + "100\n" + sent + "100\n" + sent + "100\n" + sent + "101\n" +
                           sent + "103\n"),
              "");
  }
}

}  // namespace
}  // namespace horae::p4prog::test::reference_rules_test
