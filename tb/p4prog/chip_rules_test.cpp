// Rules of the chip that differ from P4, a program each.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::chip_rules_test {
namespace {

// A header that the packet does not have whole sets two bits, too far an advance one of them.
TEST(P4Chip, ErrorsOfShortPacketsByWhatWasTaken) {
  Parts p;
  p.apply =
      "hdr.data.setValid(); hdr.data.h1 = ig_prsr_md.parser_err; ig_tm_md.ucast_egress_port = 2;";
  EXPECT_EQ(faults_of(p, "packet 0 0000\nexpect 2 00000000 00000000 0022\n"), "");
  p.parse = "pkt.advance(320); transition accept; }\n";
  EXPECT_EQ(faults_of(p, "packet 0 0000\nexpect 2 00000000 00000000 0002\n"), "");
}

// The counter takes the whole byte: a field of its upper half counts sixteen times.
TEST(P4Chip, AParserCounterTakesTheByteOfItsField) {
  Parts p;
  p.headers =
      "header data_h { bit<4> high; bit<4> low; bit<8> rest; }\n"
      "struct headers { data_h data; }\nstruct metadata { bit<1> zero; }\n";
  p.parser_locals = "ParserCounter() left;\n";
  p.apply = "if (md.zero == 1) ig_tm_md.ucast_egress_port = 2;";
  const auto parse = [&](const std::string& set) {
    p.parse = "pkt.extract(hdr.data); left.set(" + set +
              ");\nmd.zero = (bit<1>)left.is_zero(); transition accept; }\n";
    return p;
  };
  // Rotated by two to the right the upper half counts four times: 6 * 4 - 24.
  EXPECT_EQ(faults_of(parse("hdr.data.high, 240, 2, 7, -24"), "packet 0 6000\nexpect 2 6000\n"),
            "");
  EXPECT_EQ(faults_of(parse("hdr.data.low, 240, 0, 7, -6"), "packet 0 0600\nexpect 2 0600\n"), "");
  // More than `max` of the byte is an error, and ingress drops the packet.
  EXPECT_EQ(faults_of(parse("hdr.data.high, 80, 2, 7, -24"), "packet 0 6000\nno_packet\n"), "");
}

// A pushed counter also counts down the one below it, if the push says so.
TEST(P4Chip, APushedCounterCountsForTheOneBelow) {
  Parts p;
  p.tofino2 = true;
  p.parser_locals = "ParserCounter() left;\n";
  p.headers =
      "header data_h { bit<8> f1; }\nstruct headers { data_h data; }\n"
      "struct metadata { bit<1> zero; }\n";
  p.apply = "if (md.zero == 1) ig_tm_md.ucast_egress_port = 2;";
  for (const bool with_below : {true, false}) {
    p.parse = std::string("pkt.extract(hdr.data); left.set(hdr.data.f1); left.push(8w2") +
              (with_below ? ", true" : "") +
              "); left.decrement(2); left.pop();\n"
              "md.zero = (bit<1>)left.is_zero(); transition accept; }\n";
    EXPECT_EQ(
        faults_of(p, "packet 0 02\n" + std::string(with_below ? "expect 2 02\n" : "no_packet\n")),
        "")
        << with_below;
  }
}

// Both orders of the pair hash alike, and as the XOR of both where the second one stands.
TEST(P4Chip, ASymmetricHashIsOfTheXorOfItsPair) {
  Parts p;
  p.locals =
      "@symmetric(\"hdr.data.f1\", \"hdr.data.f2\")\n"
      "Hash<bit<16>>(HashAlgorithm_t.CRC16) both;\nHash<bit<16>>(HashAlgorithm_t.CRC16) plain;\n";
  p.apply =
      "if (hdr.data.b1 == 0) hdr.data.h1 = both.get({hdr.data.f1, hdr.data.f2});\n"
      "else hdr.data.h1 = plain.get({hdr.data.f1 ^ hdr.data.f2});\n"
      "ig_tm_md.ucast_egress_port = 2;";
  Bench bench(p);
  const auto hash = [&](std::uint8_t a, std::uint8_t b, std::uint8_t which) {
    const std::uint8_t bytes[12] = {0, 0, 0, a, 0, 0, 0, b, 0, 0, which, 0};
    const auto out = bench.chip->inject(0, bytes, Picoseconds(1));
    return out.at(0).bytes.at(8) << 8 | out.at(0).bytes.at(9);
  };
  EXPECT_EQ(hash(0x45, 0x72, 0), hash(0x72, 0x45, 0));
  EXPECT_EQ(hash(0x45, 0x72, 0), hash(0x45, 0x72, 1));
  EXPECT_NE(hash(0x45, 0x72, 0), hash(0x45, 0x73, 0));
}

// Counters take the packet as it came with its FCS; nobody pads it.
TEST(P4Chip, CountersTakeThePacketWithItsFcs) {
  Parts p;
  p.locals = "Counter<bit<32>, bit<8>>(4, CounterType_t.BYTES) c;\n";
  p.apply = "c.count(1);";
  EXPECT_EQ(faults_of(p, "packet 0 00000001 00000002 0003 04 05\ncheck_counter c(1) bytes == 16\n"),
            "");
}

TEST(P4Chip, AnEnumerationIsWhatAStatefulActionGives) {
  Parts p;
  p.headers += "enum kind { NONE, FIRST, LATER };\n";
  p.locals =
      "Register<bit<8>, bit<8>>(4) r;\n"
      "RegisterAction<bit<8>, bit<8>, kind>(r) act = { void apply(inout bit<8> v, out kind k) {\n"
      "  if (v == 0) k = kind.FIRST; else k = kind.LATER; v = 1; } };\n";
  p.apply =
      "kind k = act.execute(0);\nif (k == kind.FIRST) ig_tm_md.ucast_egress_port = 2;\n"
      "else if (k == kind.LATER) ig_tm_md.ucast_egress_port = 3;";
  const std::string packet = "packet 0 00000001 00000002 0003 04 05\n";
  EXPECT_EQ(faults_of(p, packet + packet + "expect 2 0000\nexpect 3 0000\n"), "");
}

TEST(P4Chip, ClearSetsAllCells) {
  Parts p;
  p.tofino2 = true;
  p.locals = "Register<bit<16>, bit<8>>(4) r;\n";
  p.apply = "r.clear(7);";
  EXPECT_EQ(faults_of(p,
                      "packet 0 00000001 00000002 0003 04 05\n"
                      "check_register r(0) == 7\ncheck_register r(3) == 7\n"),
            "");
}

// The ghost thread shares the registers of ingress; packets see the other half of a pair.
TEST(P4Chip, TheGhostThreadWritesDepthsOfQueues) {
  const std::string text = [] {
    Parts p;
    p.tofino2 = true;
    p.apply = "hdr.data.f1 = (bit<32>)get.execute(3); ig_tm_md.ucast_egress_port = 2;";
    p.locals =
        "RegisterAction<bit<32>, bit<11>, bit<32>>(depths) get = {\n"
        "  void apply(inout bit<32> v, out bit<32> rv) { rv = v; } };\n";
    p.headers += "Register<bit<32>, bit<11>>(16) depths;\n";
    std::string t = text_of(p);
    t.replace(t.find("Pipeline("), 0,
              "control Gh(in ghost_intrinsic_metadata_t g) {\n"
              "  RegisterAction<bit<32>, bit<11>, bit<32>>(depths) put = {\n"
              "    void apply(inout bit<32> v) { v = (bit<32>)g.qlength; } };\n"
              "  apply { if (g.ping_pong == 1) put.execute(g.qid); } }\n");
    t.replace(t.find("EgDeparser()) pipe"), 18, "EgDeparser(), Gh()) pipe");
    return t;
  }();
  Bench bench(text, true, {});
  const std::string packet = "packet 0 00000001 00000002 0003 04 05\n";
  EXPECT_EQ(bench.faults(packet + "expect 2 00000000\nghost run 3:70 4:80\n" + packet +
                         "expect 2 00000046\n"),
            "");
  EXPECT_EQ(refusal_of({}, "ghost run 1:2\n"), "case.stf:1:1: the program has no ghost thread");
}

// Filters have their settings from the control plane; a case's packets come a microsecond apart.
TEST(P4Chip, FiltersInTime) {
  Parts p;
  p.locals = "Lpf<bit<32>, bit<8>>(4) smooth;\nWred<bit<32>, bit<8>>(4, 1, 0) red;\n";
  p.apply =
      "hdr.data.b1 = red.execute(hdr.data.f2, 2);\n"
      "hdr.data.f1 = smooth.execute(hdr.data.f1, 1); ig_tm_md.ucast_egress_port = 2;";
  Bench bench(p);
  EXPECT_EQ(
      bench.faults("packet 0 00000001 000003e8 0003 04 05\nexpect 2 00000001 000003e8 0003 00\n"),
      "");
  bench.chip->control_plane().set_low_pass("smooth", 1, {.rising = Picoseconds(1'442'600)});
  bench.chip->control_plane().set_early_drop("red", 2, {.average = {}, .least = 10, .most = 20});
  // The first is the average; a microsecond later half of the way to the next is left.
  EXPECT_EQ(
      bench.faults("packet 0 00000000 00000014 0003 04 05\nexpect 2 00000000 00000014 0003 01\n"
                   "packet 0 00000100 00000009 0003 04 05\nexpect 2 00000080 00000009 0003 00\n"),
      "");
  EXPECT_THROW(bench.chip->control_plane().set_low_pass("smooth", 4, {}), InputError);
  EXPECT_THROW(bench.chip->control_plane().set_early_drop("smoth", 0, {}), InputError);
}

// An access within another one, and `exit` within one, are the same from the first packet on, when
// registers are looked at for the first time, to the last; also with an index beyond the cells.
TEST(P4Chip, AnAccessWithinAnotherLeavesTheOuterCellAlone) {
  Parts p;
  p.locals =
      "Register<bit<32>, bit<8>>(16) inner_cells; Register<bit<32>, bit<8>>(16) outer_cells;\n"
      "RegisterAction<bit<32>, bit<8>, bit<32>>(inner_cells) inner = {\n"
      "  void apply(inout bit<32> v, out bit<32> rv) { v = v + 100; rv = v; } };\n"
      "RegisterAction<bit<32>, bit<8>, bit<32>>(outer_cells) outer = {\n"
      "  void apply(inout bit<32> v, out bit<32> rv) {\n"
      "    v = v + 1; rv = v + inner.execute(hdr.data.b1); } };\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.data.f1 = outer.execute(0);";
  const std::string in = "packet 0 00000000 00000000 0000 ", out = "expect 2 000000";
  EXPECT_EQ(faults_of(p, in + "01 00\n" + out + "65 00000000 0000 01 00\n" +      // 1 + 100
                             in + "01 00\n" + out + "ca 00000000 0000 01 00\n" +  // 2 + 200
                             in + "ff 00\n" + out + "03 00000000 0000 ff 00\n" +  // no such cell
                             in + "01 00\nexpect 2 00000130 00000000 0000 01 00\n"),  // 4 + 300
            "");
}

TEST(P4Chip, ExitWithinAnAccessIsTheSameForEachPacket) {
  Parts p;
  p.locals =
      "Register<bit<32>, bit<8>>(16) cells;\n"
      "RegisterAction<bit<32>, bit<8>, bit<32>>(cells) act = {\n"
      "  void apply(inout bit<32> v, out bit<32> rv) {\n"
      "    v = v + 1; rv = v; if (hdr.data.b1 == 5) { exit; } rv = 7; } };\n";
  p.apply = "ig_tm_md.ucast_egress_port = 2; hdr.data.f1 = act.execute(0); hdr.data.f2 = 9;";
  std::string script;
  for (const char* count : {"01", "02", "03"})
    script += std::string("packet 0 00000000 00000000 0000 05 00\nexpect 2 000000") + count +
              " 00000009 0000 05 00\n";
  EXPECT_EQ(faults_of(p, script), "");
}

}  // namespace
}  // namespace horae::p4prog::test::chip_rules_test
