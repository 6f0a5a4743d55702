// Externs: registers and their actions, hashes, counters, meters, math units.
#include <gtest/gtest.h>

#include "horae/p4prog/math_unit.hpp"
#include "small_program.hpp"

namespace horae::p4prog::test::externs_test {
namespace {

Parts with(const std::string& locals, const std::string& apply) {
  Parts p;
  p.locals = locals;
  p.apply = "ig_tm_md.ucast_egress_port = 2;\n" + apply;
  return p;
}

TEST(Registers, KeepWhatAnActionLeaves) {
  const Parts p = with(
      "Register<bit<16>, bit<8>>(8, 5) r;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) add = {\n"
      "  void apply(inout bit<16> v, out bit<16> rv) { rv = v; v = v + hdr.data.h1; } };\n",
      "hdr.data.h1 = add.execute(hdr.data.b1);");
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0003 02 00\nexpect 2 00000000 00000000 0005\n"
                      "packet 0 00000000 00000000 ffff 02 00\nexpect 2 00000000 00000000 0008\n"
                      "check_register r(2) == 7\ncheck_register pipe.Ig.r(3) = 5\n"),
            "");
}

// Unwritten cells are zero, and beyond the last cell there is nothing to write.
TEST(Registers, GiveZeroWhereNothingIsGiven) {
  const Parts p = with(
      "Register<bit<16>, bit<8>>(4) r;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) max = {\n"
      "  void apply(inout bit<16> v, out bit<16> rv) { if (hdr.data.h1 > v) { v = hdr.data.h1; rv "
      "= "
      "1; } } };\n",
      "hdr.data.h1 = max.execute(hdr.data.b1);");
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0007 02 00\nexpect 2 00000000 00000000 0001\n"
                      "packet 0 00000000 00000000 0007 02 00\nexpect 2 00000000 00000000 0000\n"
                      "packet 0 00000000 00000000 0007 09 00\nexpect 2 00000000 00000000 0000\n"),
            "");
}

TEST(Registers, MayBePairsWithSigns) {
  const Parts p = with(
      "struct pair { int<16> low; bit<16> high; }\n"
      "Register<pair, bit<8>>(4) r;\n"
      "RegisterAction<pair, bit<8>, bit<16>>(r) f = {\n"
      "  void apply(inout pair v, out bit<16> rv) {\n"
      "    if (v.low < 0) { rv = v.high; } v.low = v.low - 1; v.high = v.high + 3; } };\n",
      "hdr.data.h1 = f.execute(0);");
  Parts q = p;
  q.headers += "struct pair { int<16> low; bit<16> high; }\n";
  q.locals = p.locals.substr(p.locals.find('\n') + 1);
  EXPECT_EQ(faults_of(q,
                      "packet 0 00000000 00000000 1111 00 00\nexpect 2 00000000 00000000 0000\n"
                      "packet 0 00000000 00000000 1111 00 00\nexpect 2 00000000 00000000 0003\n"
                      "check_register r(0) lo == 0xfffe\ncheck_register r(0) hi == 6\n"),
            "");
}

TEST(Registers, HaveCellsOfOneBit) {
  const Parts p = with(
      "Register<bit<1>, bit<8>>(256) r;\n"
      "RegisterAction<bit<1>, bit<8>, bit<1>>(r) seen = {\n"
      "  void apply(inout bit<1> v, out bit<1> rv) { rv = v; v = 1; } };\n",
      "hdr.data.b2 = (bit<8>)seen.execute(hdr.data.b1);");
  EXPECT_EQ(
      faults_of(p,
                "packet 0 00000000 00000000 0000 07 55\nexpect 2 00000000 00000000 0000 07 00\n"
                "packet 0 00000000 00000000 0000 07 55\nexpect 2 00000000 00000000 0000 07 01\n"
                "packet 0 00000000 00000000 0000 08 55\nexpect 2 00000000 00000000 0000 08 00\n"),
      "");
}

TEST(Registers, AreAccessedOncePerPass) {
  const Parts p = with(
      "Register<bit<16>, bit<8>>(4) r;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) a = { void apply(inout bit<16> v) { v = 1; } "
      "};\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) b = { void apply(inout bit<16> v) { v = 2; } "
      "};\n",
      "a.execute(0); if (hdr.data.b1 == 1) b.execute(1);");
  EXPECT_EQ(faults_of(p, "packet 0 00000000 00000000 0000 00 00\nexpect 2\n"), "");
  EXPECT_NE(refusal_of(p, "packet 0 00000000 00000000 0000 01 00\n")
                .find("case.stf:1:1: switch.pipe0.pipe.Ig.r"),
            std::string::npos);
}

// Each comparison is a bit of the number of the bit that is set; they are of the cell as it was.
TEST(Registers, APredicateIsOneBitOfSixteen) {
  Parts p = with(
      "Register<bit<16>, bit<8>>(4) r;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) f = {\n"
      "  void apply(inout bit<16> v, out bit<16> rv) {\n"
      "    v = v + 1; if (v == 2) { v = 9; } else if (v > hdr.data.h1) { v = 8; }\n"
      "    rv = this.predicate(); } };\n",
      "hdr.data.h1 = f.execute(0);");
  p.tofino2 = true;
  // Before: 0, 1, 2; compared with 2, and with h1.
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000000 00000000 0000 00 00\nexpect 2 00000000 00000000 0001\n"
                      "packet 0 00000000 00000000 0000 00 00\nexpect 2 00000000 00000000 0004\n"),
            "");
}

TEST(Registers, AreFifosAndStacks) {
  Parts p = with(
      "Register<bit<16>, bit<8>>(2) r;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) in_ = {\n"
      "  void apply(inout bit<16> v) { v = hdr.data.h1; } };\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) out_ = {\n"
      "  void apply(inout bit<16> v, out bit<16> rv) { rv = v; }\n"
      "  void underflow(inout bit<16> v, out bit<16> rv) { rv = 0xeeee; } };\n",
      "if (hdr.data.b1 == 0) { in_.enqueue(); } else { hdr.data.h1 = out_.dequeue(); }");
  p.tofino2 = true;
  const std::string in = "packet 0 00000000 00000000 ",
                    out = "packet 0 00000000 00000000 0000 01 00\n";
  EXPECT_EQ(faults_of(p, in + "1111 00 00\n" + in + "2222 00 00\n" + in + "3333 00 00\n" +
                             "expect 2\nexpect 2\nexpect 2\nwait\n" + out + out + out +
                             "expect 2 00000000 00000000 1111\nexpect 2 00000000 00000000 2222\n"
                             "expect 2 00000000 00000000 eeee\n"),
            "");
}

TEST(Registers, TakeParametersFromTheControlPlane) {
  const Parts p = with(
      "Register<bit<16>, bit<8>>(4) r;\nRegisterParam<bit<16>>(0x21) limit;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) f = {\n"
      "  void apply(inout bit<16> v, out bit<16> rv) { rv = limit.read(); } };\n",
      "hdr.data.h1 = f.execute(0);");
  Bench b(p);
  EXPECT_EQ(b.faults("packet 0 00000000 00000000 0000 00 00\nexpect 2 00000000 00000000 0021\n"),
            "");
  b.chip->control_plane().set_parameter("limit", {"0x22"});
  EXPECT_EQ(b.faults("packet 0 00000000 00000000 0000 00 00\nexpect 2 00000000 00000000 0022\n"),
            "");
}

TEST(Registers, MayHaveACellPerEntry) {
  Parts p = with(
      "DirectRegister<bit<16>>() r;\nDirectCounter<bit<32>>(CounterType_t.PACKETS_AND_BYTES) c;\n"
      "DirectRegisterAction<bit<16>, bit<16>>(r) f = {\n"
      "  void apply(inout bit<16> v, out bit<16> rv) { v = v + 1; rv = v; } };\n"
      "action count() { hdr.data.h1 = f.execute(); c.count(); }\n"
      "table t { key = { hdr.data.b1 : exact; } actions = { count; } default_action = count;"
      " registers = r; counters = c; }\n",
      "t.apply();");
  EXPECT_EQ(faults_of(p,
                      "add t b1:1 count() = A\nadd t b1:2 count() = B\n"
                      "packet 0 00000000 00000000 ffff 01 00\nexpect 2 00000000 00000000 0001\n"
                      "packet 0 00000000 00000000 ffff 02 00\nexpect 2 00000000 00000000 0001\n"
                      "packet 0 00000000 00000000 ffff 01 00\nexpect 2 00000000 00000000 0002\n"
                      "packet 0 00000000 00000000 ffff 03 00\nexpect 2 00000000 00000000 0000\n"
                      "check_counter c($A) packets == 2\ncheck_counter c($B) packets == 1\n"
                      "check_counter c($A) bytes == 32\n"),
            "");
}

TEST(Hashes, AreThoseOfTheChip) {
  Parts p = with(
      "Hash<bit<32>>(HashAlgorithm_t.CRC32) h;\nHash<bit<16>>(HashAlgorithm_t.CRC16) k;\n"
      "CRCPolynomial<bit<16>>(16w0x1021, false, false, false, 16w0xffff, 16w0) poly;\n"
      "Hash<bit<16>>(HashAlgorithm_t.CUSTOM, poly) c;\n",
      "hdr.data.f2 = h.get({hdr.data.f1}); hdr.data.h1 = k.get({hdr.data.f1});"
      "bit<16> x = c.get({hdr.data.f1}); hdr.data.b1 = x[15:8]; hdr.data.b2 = x[7:0];");
  // Checksum of the four characters "1234".
  EXPECT_EQ(faults_of(p,
                      "packet 0 31323334 00000000 0000 00 00\n"
                      "expect 2 31323334 9be3e0a3 14ba 53 49\n"),
            "");
}

TEST(Counters, CountTheFcs) {
  const Parts p = with("Counter<bit<32>, bit<8>>(8, CounterType_t.PACKETS_AND_BYTES) c;\n",
                       "c.count(hdr.data.b1);");
  std::string packet = "packet 0 00000000 00000000 0000 03 00\n";
  EXPECT_EQ(faults_of(p, packet + "expect 2\n" + packet.substr(0, packet.size() - 1) +
                             std::string(200, '0') + "\nexpect 2\n" +
                             "check_counter c(3) packets == 2\ncheck_counter c(3) bytes == 132\n"
                             "check_counter c(4)\n"),
            "");
}

TEST(Meters, WithoutRatesGiveTheColourBefore) {
  const Parts p = with("Meter<bit<8>>(8, MeterType_t.BYTES, 8w33, 8w22, 8w11) m;\n",
                       "hdr.data.b2 = m.execute(hdr.data.b1, (MeterColor_t)hdr.data.b2);");
  EXPECT_EQ(
      faults_of(p,
                "packet 0 00000000 00000000 0000 00 00\nexpect 2 00000000 00000000 0000 00 0b\n"
                "packet 0 00000000 00000000 0000 00 01\nexpect 2 00000000 00000000 0000 00 16\n"
                "packet 0 00000000 00000000 0000 00 03\nexpect 2 00000000 00000000 0000 00 21\n"),
      "");
}

TEST(MathUnit, IsATableByLeadingBits) {
  const MathUnit::Data ramp{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const MathUnit same(false, 0, -3, ramp);
  EXPECT_EQ(same.execute(0), 0u);
  EXPECT_EQ(same.execute(1), 1u);
  EXPECT_EQ(same.execute(11), 11u);
  EXPECT_EQ(same.execute(0x1234), 0x1200u);  // four bits count
  const MathUnit doubled(false, 1, -6,
                         {0, 0, 0, 0, 0, 0, 0, 0, 64, 81, 100, 121, 144, 169, 196, 225});
  EXPECT_EQ(doubled.execute(10), 100u);
  EXPECT_EQ(doubled.execute(160), 25600u);
}

TEST(MathUnit, ComesNearItsFunction) {
  const auto near = [](MathOp op, std::uint32_t x, double y, double part) {
    const double got = MathUnit::of(op, 1, 1).execute(x);
    EXPECT_NEAR(got, y, y * part + 1) << static_cast<int>(op) << " of " << x;
  };
  for (const std::uint32_t x : {1u, 5u, 12u, 100u, 1000u, 40000u}) {
    near(MathOp::mul, x, x, 0.13);
    near(MathOp::sqr, x, static_cast<double>(x) * x, 0.27);
    near(MathOp::sqrt, x, std::sqrt(static_cast<double>(x)), 0.13);
  }
  EXPECT_NEAR(MathUnit::of(MathOp::div, 1 << 20, 1).execute(1000), (1 << 20) / 1000.0, 140);
  EXPECT_NEAR(MathUnit::of(MathOp::mul, 3, 4).execute(1000), 750, 100);
}

TEST(Externs, WhatIsNotSupportedIsNamed) {
  Parts p;
  p.tofino2 = true;
  p.headers = "extern Odd { Odd(); void act(); } " + p.headers;
  p.deparser_locals = "Odd() made;\n";
  p.deparse = "made.act(); pkt.emit(hdr);";
  EXPECT_EQ(refusal_of(p), "case.p4:23:6: Odd.act() of pipe.IgDeparser.made is not supported");
}

}  // namespace
}  // namespace horae::p4prog::test::externs_test
