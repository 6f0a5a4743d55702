// Scripts: what is met, what is not and how it reads, what is refused.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::stf_test {
namespace {

const std::string packet = "packet 0 00000001 00000002 0003 04 05\n";

TEST(Stf, SaysWhatWasExpectedAndWhatCame) {
  EXPECT_EQ(
      faults_of({}, packet + "expect 2 00000009\n"),
      "2: port 2: expected 00000009, came 000000010000000200030405 (of the packet in line 1)\n");
  EXPECT_EQ(faults_of({}, packet),
            "1: port 2: nothing was expected, came 000000010000000200030405\n");
  EXPECT_EQ(faults_of({}, packet + "expect 2 00\nexpect 2 00\n"),
            "3: port 2: expected 00, nothing came\n");
  EXPECT_EQ(faults_of({}, packet + "expect 2 000000010000000200030405$\n"), "");
  EXPECT_EQ(
      faults_of({}, packet + "expect 2 0000000100$\n"),
      "2: port 2: expected 0000000100$, came 000000010000000200030405 (of the packet in line 1)\n");
}

// A port alone: any packet in its order, and more may come; what has bytes is still compared.
TEST(Stf, APortAloneTakesAnyPackets) {
  EXPECT_EQ(faults_of({}, "expect 2\nexpect 2 00000009\n" + packet + packet).substr(0, 28),
            "2: port 2: expected 00000009");
  EXPECT_EQ(faults_of({}, "expect 2\n" + packet + packet), "");
  EXPECT_EQ(faults_of({}, "expect 2\n"), "1: port 2: expected any packet, nothing came\n");
}

TEST(Stf, BitsOfAByteAreWrittenBehindADot) {
  EXPECT_EQ(faults_of({}, packet + "expect 2 00000001 000000 .000***10 0003\n"), "");
  EXPECT_EQ(faults_of({}, packet + "expect 2 000000 .00000010\n"),
            "2: port 2: expected 000000.00000010, came 000000010000000200030405 (of the packet in "
            "line 1)\n");
  EXPECT_EQ(refusal_of({}, "expect 2 .0000\n"),
            "case.stf:1:15: '.0000', expected a dot and eight of 0, 1 and *");
}

TEST(Stf, LinesGoOnAndEndInSemicolons) {
  EXPECT_EQ(faults_of({}, "packet 0 00000001 \\\n00000002 0003 04 05;\nexpect 2 00000001;\n"), "");
}

// Where a key takes slices, a name without them means the whole field; a key under a mask compares
// the mask's bits; ones beyond a field's width are ones.
TEST(Stf, ValuesOfWholeFieldsAndAllOnes) {
  Parts p;
  p.locals =
      "action to(bit<9> port) { ig_tm_md.ucast_egress_port = port; }\n"
      "table t { key = { hdr.data.f1[31:24] : exact; hdr.data.f1[7:0] : exact;\n"
      "    hdr.data.f2 & 0xff00 : exact @name(\"f2\"); hdr.data.b1 : ternary; }\n"
      "  actions = { to; } }\n";
  p.apply = "t.apply();";
  EXPECT_EQ(faults_of(p,
                      "add t data.f1:0x12ffff34 f2:0x5678 b1:0xffff to(port:3)\n"
                      "packet 0 12000034 00005600 0000 ff 00\nexpect 3 12000034\n"
                      "packet 0 12000034 00005600 0000 fe 00\n"),
            "");
  EXPECT_EQ(refusal_of(p, "add t data.f1:0 f2:0 b1:0x1ab to(3)\n"),
            "case.stf:1:1: 0x1ab is wider than 8 bits");
}

TEST(Stf, StarsAndCommentsAndOrder) {
  EXPECT_EQ(faults_of({}, "# first\nexpect 2 0000000* ****0002 # any\n" + packet), "");
}

TEST(Stf, LoopsAndVariables) {
  EXPECT_EQ(faults_of({},
                      "setenv REST 00000002 0003 04 05\n"
                      "$(for i in $(seq 1 3); do printf \"packet 0 %08x $REST;\" $i; done)\n"
                      "$(for i in 1 2 3; do expect 2 0000000$i; done)\n"),
            "");
}

TEST(Stf, NothingMayHaveCome) {
  Parts p;
  p.apply = "if (hdr.data.b1 == 1) ig_tm_md.ucast_egress_port = 2;";
  EXPECT_EQ(faults_of(p, packet + "no_packet\n"), "");
  EXPECT_EQ(faults_of(p, "packet 0 00000001 00000002 0003 01 05\nno_packet\n"),
            "1: port 2: nothing was expected, came 000000010000000200030105\n");
}

TEST(Stf, RegistersAndCountersAreCompared) {
  Parts p;
  p.locals =
      "Register<bit<16>, bit<8>>(4) r;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) f = { void apply(inout bit<16> v) { v = 6; } "
      "};\n";
  p.apply = "f.execute(1);";
  EXPECT_EQ(faults_of(p, packet + "check_register r(1) lo == 7\ncheck_register r(1) > 5\n"),
            "2: register r(1): expected lo == 0x7, it is 0x6\n");
  EXPECT_EQ(faults_of(p,
                      "check_register r(0) == 00\ncheck_register r(0) < 010\n"
                      "check_register r(0) != 017\n"),
            "");
  EXPECT_EQ(faults_of(p, "check_register r(0) == 012\n"),
            "1: register r(0): expected lo == 0xa, it is 0x0\n");
  EXPECT_EQ(refusal_of(p, "check_register r(4) == 1\n"),
            "case.stf:1:1: cell 4 of pipe.Ig.r, which has 4");
}

TEST(Stf, RefusesWhatIsNoCommand) {
  EXPECT_EQ(refusal_of({}, "\npackt 0 00\n"),
            "case.stf:2:1: 'packt' is no command, did you mean 'packet'?");
  EXPECT_EQ(refusal_of({}, "packet 0 0g\n"), "case.stf:1:12: 'g' is no hexadecimal digit");
  EXPECT_EQ(refusal_of({}, "packet 0 012\n"), "case.stf:1:13: an odd number of digits");
  EXPECT_EQ(refusal_of({}, "packet 512 01\n"), "case.stf:1:11: port 512, expected 0 to 511");
  EXPECT_EQ(refusal_of({}, "expect\n"), "case.stf:1:7: a port is expected");
  EXPECT_EQ(refusal_of({}, "wait now\n"), "case.stf:1:6: 'now' is left over");
  EXPECT_EQ(
      refusal_of({}, "$(for i in x; break)\n"),
      "case.stf:1:1: this loop is not understood, expected $(for NAME in $(seq FIRST LAST); do "
      "COMMAND; done)");
}

// Whatever the text is, it is run or refused.
TEST(Stf, AnyBytesAreTaken) {
  std::uint32_t state = 1;
  const std::string letters = "packet expect add t 0x1f*()$:,;#\n\t-.=forseqdo{}\"%";
  for (int i = 0; i < 400; ++i) {
    std::string text;
    for (int n = 0; n < 60; ++n) {
      state = state * 1664525 + 1013904223;
      text += letters[(state >> 16) % letters.size()];
    }
    refusal_of({}, text);
  }
}

TEST(Stf, CommandsOfALineStandBetweenSemicolons) {
  const std::string bytes = "00000001 00000002 0003 04 05";
  EXPECT_EQ(faults_of({}, "setenv P packet 0 " + bytes + "\n$P; $P; # two\n;expect 2 " + bytes +
                              ";; expect 2 " + bytes + "; no_packet\n"),
            "");
  EXPECT_EQ(refusal_of({}, "wait; wit; wait\n"),
            "case.stf:1:1: 'wit' is no command, did you mean 'wait'?");
}

}  // namespace
}  // namespace horae::p4prog::test::stf_test
