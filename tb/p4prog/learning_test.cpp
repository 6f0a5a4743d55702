// Tables that learn: LearnAction over the ways of a register, and sweeps.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::learning_test {
namespace {

/// Learns the flow f1, f2 into cells that f1 alone chooses: 4 cells of two places. b1 says what
/// came of it: 1 known, 2 learned, 4 no room.
Parts learner(const std::string& ways) {
  Parts p;
  p.tofino2 = true;
  p.headers += "struct pair { bit<64> first; bit<64> second; }\n";
  p.locals =
      "Register<pair, bit<8>>(4) flows;\n"
      "LearnAction2<pair, bit<8>, bit<64>, bit<32>, bit<8>>(flows) act = {\n"
      "  void apply(inout pair v, in bit<64> digest, in bool matched, out bit<32> where,\n"
      "             out bit<8> what) {\n"
      "    if (v.first & ~64w0x1f == digest) {\n"
      "      v.first = digest | 31; where = this.address<bit<32>>(0); what = 1;\n"
      "    } else if (v.second & ~64w0x1f == digest) {\n"
      "      v.second = digest | 31; where = this.address<bit<32>>(1); what = 1;\n"
      "    } else if (!matched && v.first & 1 == 0) {\n"
      "      v.first = digest | 31; where = this.address<bit<32>>(0); what = 2;\n"
      "    } else if (!matched && v.second & 1 == 0) {\n"
      "      v.second = digest | 31; where = this.address<bit<32>>(1); what = 2;\n"
      "    } else { where = 0; what = 4; } } };\n"
      "RegisterAction<pair, bit<8>, void>(flows) age = { void apply(inout pair v) {\n"
      "  v.first = v.first - 2; v.second = 0; } };\n"
      "action go() { hdr.data.f1 = act.execute(hdr.data.f1[7:0], hdr.data.b1); }\n" +
      ways +
      "table t { key = { hdr.data.f1 : dleft_hash; hdr.data.f2 : dleft_hash; }\n"
      "  actions = { go; } default_action = go; }\n";
  p.apply = "if (hdr.data.b2 == 1) age.sweep(); else t.apply(); ig_tm_md.ucast_egress_port = 2;";
  return p;
}

std::string flow(unsigned cell, unsigned number, unsigned where, unsigned what) {
  return fmt::format("packet 0 {:08x} {:08x} 0000 00 00\nexpect 2 {:08x} {:08x} 0000 {:02x}\n",
                     cell, number, where, number, what);
}

// One way: two places in a cell; known flows are found, a third one has no room.
TEST(P4Learning, OneWay) {
  EXPECT_EQ(faults_of(learner("@ways(1) "), flow(1, 10, 0x80, 2) + flow(1, 11, 0xc0, 2) +
                                                flow(1, 10, 0x80, 1) + flow(1, 12, 0, 4) +
                                                flow(1, 11, 0xc0, 1) + flow(2, 12, 0x100, 2)),
            "");
}

// Four ways, each a fourth of the register: all flows of a cell find room in a way of their own,
// and none is learned twice. The way stands in the address from bit 23 on.
TEST(P4Learning, FourWays) {
  std::string stf;
  for (unsigned n = 0; n < 8; ++n) stf += flow(0, n, (n / 2) << 23 | (n % 2) << 6, 2);
  stf += flow(0, 8, 0, 4);
  for (unsigned n = 0; n < 8; ++n) stf += flow(0, n, (n / 2) << 23 | (n % 2) << 6, 1);
  EXPECT_EQ(faults_of(learner(""), stf), "");
}

TEST(P4Learning, ASweepRunsOnAllCells) {
  Bench bench(learner("@ways(1) "));
  bench.chip->control_plane().write_register("flows", 0, {9, 9});
  bench.chip->control_plane().write_register("flows", 3, {7, 9});
  EXPECT_EQ(bench.faults("packet 0 00000000 00000000 0000 00 01\nexpect 2\nwait\n"
                         "check_register flows(0) == 7\ncheck_register flows(0) hi == 0\n"
                         "check_register flows(3) == 5\ncheck_register flows(3) hi == 0\n"),
            "");
}

TEST(P4Learning, RefusesMoreWaysThanAStageHasAlus) {
  EXPECT_EQ(refusal_of(learner("@ways(5) ")).substr(0, 8), "case.p4:");
  EXPECT_NE(refusal_of(learner("@ways(5) ")).find("pipe.Ig.t: 5 ways, expected 1 to 4"),
            std::string::npos);
}

}  // namespace
}  // namespace horae::p4prog::test::learning_test
