// Values: arithmetic, slices, casts, wide numbers, calls, as P4-16 says.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::expressions_test {
namespace {

// h1 or b1 and b2 take what `apply` computes of f1 and f2.
std::string computed(const std::string& apply, const std::string& packet,
                     const std::string& expected) {
  Parts p;
  p.apply = "ig_tm_md.ucast_egress_port = 2;\n" + apply;
  return faults_of(p, "packet 0 " + packet + "\nexpect 2 " + expected + "$\n");
}

TEST(Expressions, WrapAndSaturate) {
  EXPECT_EQ(computed("hdr.data.b1 = hdr.data.b1 + hdr.data.b2; hdr.data.b2 = hdr.data.b2 - 8w9;",
                     "00000000 00000000 0000 f0 20", "00000000 00000000 0000 10 17"),
            "");
  EXPECT_EQ(
      computed("hdr.data.b1 = hdr.data.b1 |+| hdr.data.b2; hdr.data.b2 = 8w3 |-| hdr.data.b2;",
               "00000000 00000000 0000 f0 20", "00000000 00000000 0000 ff 00"),
      "");
  EXPECT_EQ(computed("hdr.data.b1 = (bit<8>)((int<8>)hdr.data.b1 |+| (int<8>)hdr.data.b2);"
                     "hdr.data.b2 = (bit<8>)((int<8>)8w0x80 |-| (int<8>)hdr.data.b2);",
                     "00000000 00000000 0000 70 20", "00000000 00000000 0000 7f 80"),
            "");
}

TEST(Expressions, ShiftAndSlice) {
  EXPECT_EQ(computed("hdr.data.h1 = hdr.data.f1[19:4]; hdr.data.f1[31:28] = hdr.data.f1[3:0];"
                     "hdr.data.f2 = hdr.data.f2 << 4; hdr.data.b1 = hdr.data.b1 >> 2;"
                     "hdr.data.b2 = (bit<8>)((int<8>)hdr.data.b2 >> 2);",
                     "12345678 80000001 0000 ff 84", "82345678 00000010 4567 3f e1"),
            "");
}

TEST(Expressions, CastByTheSignOfWhatWas) {
  EXPECT_EQ(
      computed("hdr.data.f1 = (bit<32>)(int<32>)(int<8>)hdr.data.b1;"
               "hdr.data.f2 = (bit<32>)hdr.data.b1; hdr.data.h1 = hdr.data.b1 ++ hdr.data.b2;",
               "00000000 00000000 0000 81 42", "ffffff81 00000081 8142 81 42"),
      "");
}

TEST(Expressions, CompareBySign) {
  EXPECT_EQ(computed("if (hdr.data.b1 < hdr.data.b2) hdr.data.f1 = 1;"
                     "if ((int<8>)hdr.data.b1 < (int<8>)hdr.data.b2) hdr.data.f2 = 1;",
                     "00000000 00000000 0000 81 01", "00000000 00000001 0000 81 01"),
            "");
}

TEST(Expressions, OperandsAreEvaluatedFromLeftToRight) {
  Parts p;
  p.headers += "bit<8> change(inout bit<8> v) { v = v + 4; return 2; }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2;\n"
      "hdr.data.b2 = hdr.data.b1 + change(hdr.data.b1);\n";
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 03 00\n"
                      "expect 2 00000000 00000000 0000 07 05$\n"),
            "");
}

// How far a stack is filled is no part of its value.
TEST(Expressions, StacksAreEqualByTheirHeaders) {
  Parts p;
  p.headers =
      "header data_h { bit<32> f1; bit<32> f2; bit<16> h1; bit<8> b1; bit<8> b2; }\n"
      "header one_h { bit<8> f; }\n"
      "struct headers { data_h data; one_h[2] ones; }\nstruct metadata { }\n";
  p.parse =
      "pkt.extract(hdr.data); pkt.extract(hdr.ones.next); pkt.extract(hdr.ones.next); "
      "transition accept; }\n";
  p.locals = "one_h[2] other;\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; other[0] = hdr.ones[0]; other[1] = hdr.ones[1];\n"
      "if (other == hdr.ones) { hdr.data.h1 = 1; }\n"
      "other[1].f = 9; if (other != hdr.ones) { hdr.data.b1 = 1; }\n";
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 00 00 07 08\n"
                      "expect 2 00000000 00000000 0001 01 00 07 08$\n"),
            "");
}

TEST(Expressions, OnlyWhatMattersIsEvaluated) {
  EXPECT_EQ(computed("bool t = hdr.data.b1 == 1 || hdr.data.b2 == 1;"
                     "bool f = hdr.data.b1 == 1 && hdr.data.b2 == 2;"
                     "hdr.data.h1 = t ? (f ? 16w3 : 16w2) : 16w1;",
                     "00000000 00000000 0000 07 01", "00000000 00000000 0002 07 01"),
            "");
}

TEST(Expressions, ListsAreTakenBeforeTheyAreWritten) {
  EXPECT_EQ(
      computed("hdr.data = {hdr.data.f2, hdr.data.f1, hdr.data.h1, hdr.data.b2, hdr.data.b1};",
               "11111111 22222222 3333 44 55", "22222222 11111111 3333 55 44"),
      "");
}

TEST(Expressions, NumbersMayBeWide) {
  Parts p;
  p.headers =
      "header data_h { bit<128> a; bit<128> b; }\n"
      "struct headers { data_h data; }\nstruct metadata { bit<128> t; }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; md.t = hdr.data.a + hdr.data.b;\n"
      "if (hdr.data.a < hdr.data.b) hdr.data.a = md.t; else hdr.data.a = hdr.data.a ^ hdr.data.b;\n"
      "hdr.data.b = hdr.data.b << 60; hdr.data.b[127:120] = md.t[71:64];";
  EXPECT_EQ(
      faults_of(p,
                "packet 0 00000000000000000123456789abcdef 0000000000000001fedcba9876543211\n"
                "expect 2 00000000000000020000000000000000 02edcba987654321 1000000000000000$\n"
                "packet 0 f0000000000000000000000000000000 f0000000000000000000000000000001\n"
                "expect 2 e0000000000000000000000000000001 00\n"
                "packet 0 f0000000000000000000000000000001 f0000000000000000000000000000000\n"
                "expect 2 00000000000000000000000000000001\n"),
      "");
}

TEST(Expressions, ActionsGiveBackWhatTheyWrite) {
  Parts p;
  p.locals =
      "action swap(inout bit<8> a, inout bit<8> b) { bit<8> t = a; a = b; b = t; }\n"
      "action both(bit<8> x, out bit<16> y) { y = x ++ x; }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; swap(hdr.data.b1, hdr.data.b2);"
      "both(hdr.data.b1, hdr.data.h1);";
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 01 02\n"
                      "expect 2 00000000 00000000 0202 02 01\n"),
            "");
}

TEST(Expressions, ExitEndsTheControlAndNotTheDeparser) {
  Parts p;
  p.locals = "action stop() { hdr.data.b1 = 0xee; exit; }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; if (hdr.data.b2 == 1) { stop(); hdr.data.b2 = 0; }"
      "hdr.data.h1 = 0xffff;";
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 01 01\n"
                      "expect 2 00000000 00000000 0000 ee 01\n"
                      "packet 0 00000000 00000000 0000 01 02\n"
                      "expect 2 00000000 00000000 ffff 01 02\n"),
            "");
}

// P4-16, exit: what an action was given inout goes back before the control ends, through all
// callers.
TEST(Expressions, ExitHandsBackWhatActionsWereGiven) {
  Parts p;
  p.locals =
      "action stop() { exit; }\n"
      "action set(inout bit<8> x, out bit<16> y, bit<8> when) {\n"
      "  x = 0xaa; y = 0xbbbb; if (when == 1) { stop(); } x = 0xcc; }\n"
      "action through(inout bit<8> x, bit<8> when) { set(x, hdr.data.h1, when); x = x + 1; }\n"
      "action bound(inout bit<8> x) { x = 0xdd; exit; }\n"
      "table t { key = { hdr.data.f1 : exact; } actions = { bound(hdr.data.b1); NoAction; }\n"
      "  const entries = { 7 : bound(hdr.data.b1); } default_action = NoAction; }\n";
  p.apply =
      "ig_tm_md.ucast_egress_port = 2; t.apply(); through(hdr.data.b1, hdr.data.b2);"
      "hdr.data.b2 = 0xff;";
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 01 01\n"
                      "expect 2 00000000 00000000 bbbb aa 01\n"
                      "packet 0 00000000 00000000 0000 01 02\n"
                      "expect 2 00000000 00000000 bbbb cd ff\n"
                      "packet 0 00000007 00000000 0000 01 02\n"
                      "expect 2 00000007 00000000 0000 dd 02\n"),
            "");
}

/// A table of four entries that all match, each with a number of its own.
std::string winner(const std::vector<std::string>& entries, const std::string& properties = "") {
  Parts p;
  std::string rows;
  for (const std::string& e : entries) rows += e + "\n";
  p.locals =
      "action is(bit<8> n) { hdr.data.b2 = n; }\n"
      "table t { key = { hdr.data.b1 : ternary; } actions = { is; }\n" +
      properties + "entries = {\n" + rows + "} }\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; t.apply();";
  for (int n = 1; n <= 4; ++n) {
    const std::string expected =
        "packet 0 00000000 00000000 0000 01 00\nexpect 2 00000000 00000000 0000 01 0" +
        std::to_string(n) + "\n";
    if (faults_of(p, expected).empty()) return std::to_string(n);
  }
  return "none";
}

// P4-16, 14.2.1.4; the annotation as bmv2's back end takes it.
TEST(Expressions, TheEntryOfTheHighestPriorityWins) {
  EXPECT_EQ(winner({"_ : is(1);", "1 : is(2);", "_ : is(3);"}), "1");
  EXPECT_EQ(winner({"priority = 10: _ : is(1);", "priority = 30: _ : is(2);",
                    "priority = 20: _ : is(3);"}),
            "2");
  EXPECT_EQ(winner({"priority = 10: _ : is(1);", "priority = 30: _ : is(2);",
                    "priority = 20: _ : is(3);"},
                   "largest_priority_wins = false;\n"),
            "1");
  // The rest go down from the one before, or up: 3, 2, 40, 30.
  EXPECT_EQ(winner({"_ : is(1);", "_ : is(2);", "priority = 40: 2 : is(3);", "_ : is(4);"},
                   "priority_delta = 10;\n"),
            "1");
  EXPECT_EQ(winner({"_ : is(1);", "_ : is(2);", "priority = 50: 2 : is(3);", "_ : is(4);"},
                   "priority_delta = 10;\n"),
            "4");
  EXPECT_EQ(winner({"priority = 50: _ : is(1);", "_ : is(2);", "priority = 10: _ : is(3);"},
                   "largest_priority_wins = false; priority_delta = 10;\n"),
            "3");
  EXPECT_EQ(winner({"_ : is(1) @priority(3);", "_ : is(2);", "_ : is(3) @priority(1);"}), "3");
  EXPECT_EQ(winner({"_ : is(1) @priority(4);", "_ : is(2);", "_ : is(3) @priority(5);"}), "2");
}

}  // namespace
}  // namespace horae::p4prog::test::expressions_test
