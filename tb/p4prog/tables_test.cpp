// Tables: kinds, priorities, defaults, entries of the program, what an application gives.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::tables_test {
namespace {

Parts with_table(const std::string& table, const std::string& apply = "t.apply();") {
  Parts p;
  p.locals =
      "action nop() { }\n"
      "action send(bit<9> port) { ig_tm_md.ucast_egress_port = port; }\n"
      "action set(bit<16> v, bit<8> w) { ig_tm_md.ucast_egress_port = 1; hdr.data.h1 = v;"
      " hdr.data.b1 = w; }\n"
      "table t {\n" +
      table + "}\n";
  p.apply = apply;
  return p;
}

TEST(Tables, MatchAllKindsAtOnce) {
  const Parts p = with_table(
      "key = { hdr.data.f1 : lpm; hdr.data.h1 : exact; hdr.data.b1 : ternary; hdr.data.b2 : range; "
      "}\n"
      "actions = { send; nop; } default_action = nop;\n");
  EXPECT_EQ(
      faults_of(p,
                "add t 10 data.f1:0x0a000000/8 data.h1:1 data.b1:0x1* data.b2:5..9 send(port:3)\n"
                "add t 20 data.f1:10.1.0.0/16 data.h1:1 data.b1:0b***1**** data.b2:9->20 "
                "send(port:4)\n"
                "packet 0 0a010203 00000000 0001 1f 07\nexpect 3\n"
                "packet 0 0a010203 00000000 0001 1f 09\nexpect 4\n"
                "packet 0 0a010203 00000000 0001 3f 14\nexpect 4\n"
                "packet 0 0a010203 00000000 0001 1f 04\n"
                "packet 0 0b010203 00000000 0001 1f 07\n"
                "packet 0 0a010203 00000000 0002 1f 07\n"),
      "");
}

TEST(Tables, TheHigherPriorityWinsThenTheFirst) {
  const Parts p =
      with_table("key = { hdr.data.b1 : ternary; } actions = { send; nop; } default_action = nop;");
  EXPECT_EQ(faults_of(p,
                      "add t 1 b1:0x** send(port:1)\nadd t 5 b1:0x1* send(port:2)\n"
                      "add t 5 b1:0x12 send(port:3)\nadd t 6 b1:0x13 send(port:4)\n"
                      "packet 0 00000000 00000000 0000 12 00\nexpect 2\n"
                      "packet 0 00000000 00000000 0000 13 00\nexpect 4\n"
                      "packet 0 00000000 00000000 0000 22 00\nexpect 1\n"),
            "");
}

TEST(Tables, ASecondEntryOfAnExactKeyReplacesTheFirst) {
  const Parts p =
      with_table("key = { hdr.data.b1 : exact; } actions = { send; nop; } default_action = nop;");
  EXPECT_EQ(faults_of(p,
                      "add t b1:7 send(port:1)\nadd t 0 b1:7 send(2)\n"
                      "packet 0 00000000 00000000 0000 07 00\nexpect 2\n"),
            "");
}

TEST(Tables, EntriesOfTheProgramAreTriedInTheirOrder) {
  const Parts p = with_table(
      "key = { hdr.data.b1 : ternary; hdr.data.b2 : ternary; } actions = { set; nop; }\n"
      "const entries = { (0x10 &&& 0xf0, _) : set(0x1111, 1); (0x12, 3) : set(0x2222, 2);\n"
      "  (_, 3) : set(0x3333, 3); }\n"
      "const default_action = nop; size = 8;\n");
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 12 03\nexpect 1 00000000 00000000 1111 01\n"
                      "packet 0 00000000 00000000 0000 22 03\nexpect 1 00000000 00000000 3333 03\n"
                      "packet 0 00000000 00000000 0000 22 04\n"),
            "");
  EXPECT_EQ(refusal_of(p, "add t b1:1 nop()"),
            "case.stf:1:1: pipe.Ig.t has entries that are const");
  EXPECT_EQ(refusal_of(p, "setdefault t nop()"),
            "case.stf:1:1: pipe.Ig.t has a default action that is const");
}

// P4-16, 14.2.1.4: by a prefix the longest one wins.
TEST(Tables, OfEntriesWithPrefixesTheLongestWins) {
  const Parts p = with_table(
      "key = { hdr.data.b1 : lpm; hdr.data.b2 : exact; } actions = { set; nop; }\n"
      "const entries = { (0x10 &&& 0xf0, 3) : set(0x1111, 1); (0x12, 3) : set(0x2222, 2);\n"
      "  (_, 3) : set(0x3333, 3); }\n"
      "const default_action = nop; size = 8;\n");
  EXPECT_EQ(
      faults_of(p,
                "packet 0 00000000 00000000 0000 12 03\nexpect 1 00000000 00000000 2222 02\n"
                "packet 0 00000000 00000000 0000 13 03\nexpect 1 00000000 00000000 1111 01\n"
                "packet 0 00000000 00000000 0000 22 03\nexpect 1 00000000 00000000 3333 03\n"),
      "");
}

TEST(Tables, AMissRunsTheDefaultWithItsData) {
  const Parts p = with_table(
      "key = { hdr.data.b1 : exact; } actions = { set; nop; } default_action = set(0x4444, 9);\n");
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 01 00\nexpect 1 00000000 00000000 4444 09\n"
                      "setdefault t set(v:0x5555, w:8)\n"
                      "packet 0 00000000 00000000 0000 01 00\nexpect 1 00000000 00000000 5555 08\n"
                      "add t b1:1 nop()\npacket 0 00000000 00000000 0000 01 00\n"),
            "");
}

TEST(Tables, SayWhetherTheyHitAndWhatRan) {
  Parts p = with_table(
      "key = { hdr.data.b1 : exact; } actions = { send; set; nop; } default_action = nop;\n",
      "if (t.apply().hit) hdr.data.b2 = 1; else hdr.data.b2 = 2;\n"
      "ig_tm_md.ucast_egress_port = 5;\n"
      "switch (u.apply().action_run) { send: { hdr.data.f2 = 1; } set: { hdr.data.f2 = 2; }"
      " default: { hdr.data.f2 = 3; } }");
  p.locals +=
      "table u { key = { hdr.data.f1 : exact; } actions = { send; set; nop; } default_action = "
      "nop; "
      "}\n";
  EXPECT_EQ(
      faults_of(p,
                "add t b1:1 nop()\nadd u data.f1:1 set(7, 8)\nadd u data.f1:2 send(5)\n"
                "packet 0 00000000 00000000 0000 01 00\nexpect 5 00000000 00000003 0000 01 01\n"
                "packet 0 00000000 00000000 0000 02 00\nexpect 5 00000000 00000003 0000 02 02\n"
                "packet 0 00000001 00000000 0000 02 00\nexpect 1 00000001 00000002 0007 08 02\n"
                "packet 0 00000002 00000000 0000 02 00\nexpect 5 00000002 00000001 0000 02 02\n"),
      "");
}

TEST(Tables, KeysAreExpressionsAndValidity) {
  Parts p = with_table(
      "key = { hdr.data.f1[15:8] : exact; hdr.other.isValid() : exact; hdr.data.b1 & 0xf : exact "
      "@name(\"low\"); }\nactions = { send; nop; } default_action = nop;\n");
  p.headers =
      "header data_h { bit<32> f1; bit<32> f2; bit<16> h1; bit<8> b1; bit<8> b2; }\n"
      "struct headers { data_h data; data_h other; }\nstruct metadata { }\n";
  EXPECT_EQ(faults_of(p,
                      "add t data.f1:0x2200 other.$valid:0 low:5 send(port:3)\n"
                      "packet 0 11112233 00000000 0000 f5 00\nexpect 3\n"
                      "packet 0 11113333 00000000 0000 f5 00\n"),
            "");
}

TEST(Tables, ActionsMayBeGivenArguments) {
  Parts p;
  p.locals =
      "action put(out bit<16> to, in bit<8> from, bit<8> data) { to = from ++ data; }\n"
      "table t { key = { hdr.data.b1 : exact; } actions = { put(hdr.data.h1, hdr.data.b2); } }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; t.apply();";
  EXPECT_EQ(faults_of(p,
                      "add t b1:1 put(data:0xee)\npacket 0 00000000 00000000 0000 01 dd\n"
                      "expect 2 00000000 00000000 ddee 01 dd\n"),
            "");
}

TEST(Tables, OneWithoutAKeyRunsItsDefault) {
  const Parts p = with_table("actions = { send; nop; } default_action = nop;\n");
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 01 00\nsetdefault t send(port:6)\n"
                      "packet 0 00000000 00000000 0000 01 00\nexpect 6\n"),
            "");
  EXPECT_EQ(refusal_of(p, "add t b1:1 nop()"), "case.stf:1:1: pipe.Ig.t has no key");
}

TEST(Tables, AreAsLargeAsTheySay) {
  const Parts p = with_table(
      "key = { hdr.data.b1 : exact; } actions = { nop; } default_action = nop; size = 2;\n");
  EXPECT_EQ(refusal_of(p, "add t b1:1 nop()\nadd t b1:2 nop()\nadd t b1:3 nop()\n"),
            "case.stf:3:1: switch.pipe0.pipe.Ig.t: full (2 entries)");
}

TEST(Tables, AreAppliedOncePerPass) {
  const Parts p =
      with_table("key = { hdr.data.b1 : exact; } actions = { nop; } default_action = nop;\n",
                 "t.apply(); if (hdr.data.b2 == 1) t.apply();");
  EXPECT_EQ(faults_of(p, "packet 0 00000000 00000000 0000 01 00\n"), "");
  EXPECT_NE(refusal_of(p, "packet 0 00000000 00000000 0000 01 01\n")
                .find("case.stf:1:1: switch.pipe0.pipe.Ig.t"),
            std::string::npos);
}

TEST(Tables, NamesAreFoundAndFaultsNamed) {
  const Parts p = with_table(
      "key = { hdr.data.b1 : exact; hdr.data.b2 : exact; } actions = { send; nop; }"
      " default_action = nop;\n");
  EXPECT_EQ(refusal_of(p, "add tt b1:1 b2:1 nop()"),
            "case.stf:1:1: there is no table 'tt'; expected one of pipe.Ig.t, Ig.t, t");
  EXPECT_EQ(refusal_of(p, "add Ig.t b1:1 nop()"),
            "case.stf:1:1: no value for hdr.data.b2, which pipe.Ig.t matches exactly");
  EXPECT_EQ(refusal_of(p, "add pipe.Ig.t b1:1 b2:300 nop()"),
            "case.stf:1:1: 300 is wider than 8 bits");
  EXPECT_EQ(refusal_of(p, "add t b1:1 b2:2 sent(port:3)"),
            "case.stf:1:1: there is no action of pipe.Ig.t 'sent', did you mean 'send'?");
  EXPECT_EQ(refusal_of(p, "add t b1:1 b2:2 send()"),
            "case.stf:1:1: no value for port of pipe.Ig.send");
  EXPECT_EQ(refusal_of(p, "add t b1:x b2:2 nop()"),
            "case.stf:1:1: 'x' is no value, expected a number as 12, 0x1f or 0b101, or an address");
}

// How the chip codes an enumeration is not said by the program, so only names mean its members.
TEST(P4Tables, AKeyOfAnEnumerationTakesNamesOfMembers) {
  Parts p;
  p.headers += "enum kind { FIRST, SECOND, THIRD };\n";
  p.locals =
      "kind k = kind.FIRST;\naction to(bit<9> port) { ig_tm_md.ucast_egress_port = port; }\n"
      "table t { key = { k : ternary; hdr.data.b2 : ternary; } actions = { to; } size = 8; }\n";
  p.apply =
      "if (hdr.data.b1 == 1) k = kind.SECOND; else if (hdr.data.b1 == 2) k = kind.THIRD;\n"
      "t.apply();";
  EXPECT_EQ(faults_of(p,
                      "add t k:SECOND to(3)\nadd t k:kind.THIRD to(4)\nadd t k:0x** to(5)\n"
                      "packet 0 00000001 00000002 0003 01 05\nexpect 3\n"
                      "packet 0 00000001 00000002 0003 02 05\nexpect 4\n"
                      "packet 0 00000001 00000002 0003 00 05\nexpect 5\n"),
            "");
  EXPECT_EQ(refusal_of(p, "add t k:0b000* to(3)\n"),
            "case.stf:1:1: 0b000* for k of an enumeration without bits; expected one of FIRST, "
            "SECOND, THIRD");
}

}  // namespace
}  // namespace horae::p4prog::test::tables_test
