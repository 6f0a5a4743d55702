// Reads of what nobody wrote: zero, warned of once, or random.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4prog::test::unwritten_test {
namespace {

const std::string packet = "packet 0 00000001 00000002 0003 04 05\n";

/// Warnings after a packet went twice, each without the file and the column.
std::string warnings_of(const Parts& p) {
  Bench bench(text_of(p), p.tofino2, {.watch_unwritten = true});
  bench.faults(packet + packet);
  std::string out;
  for (const std::string& line : bench.chip->take_warnings()) {
    const std::size_t at = line.find(": ");
    EXPECT_TRUE(line.starts_with("case.p4:")) << line;
    out += line.substr(at + 2) + "\n";
  }
  EXPECT_TRUE(bench.chip->take_warnings().empty());
  return out;
}

TEST(P4Unwritten, MetadataThatNobodyWrote) {
  Parts p;
  p.apply = "hdr.data.h1 = md.m1;\nhdr.data.f1 = md.m2 + 1;\nhdr.data.f2 = md.m2;";
  EXPECT_EQ(warnings_of(p),
            "md.m1 is read before it is written\nmd.m2 is read before it is written\n");
  // Each at the line of its first read.
  Bench bench(text_of(p), false, {.watch_unwritten = true});
  bench.faults(packet);
  const auto lines = bench.chip->take_warnings();
  ASSERT_EQ(lines.size(), 2u);
  const auto line_of = [](const std::string& s) { return std::stoi(s.substr(8)); };
  EXPECT_EQ(line_of(lines[1]), line_of(lines[0]) + 1);
}

TEST(P4Unwritten, WhatIsWrittenOnThisPath) {
  Parts p;
  p.apply = "if (hdr.data.b1 == 4) md.m1 = 7; hdr.data.h1 = md.m1;";
  EXPECT_EQ(warnings_of(p), "");
  p.apply = "if (hdr.data.b1 == 5) md.m1 = 7; hdr.data.h1 = md.m1;";
  EXPECT_EQ(warnings_of(p), "md.m1 is read before it is written\n");
}

TEST(P4Unwritten, LocalsAndHeadersThatAreSetValid) {
  Parts p;
  p.locals = "bit<8> local;\n";
  p.apply = "hdr.data.b1 = local; ig_tm_md.ucast_egress_port = 2;";
  EXPECT_EQ(warnings_of(p), "local is read before it is written\n");
  p = {};
  p.headers =
      "header data_h { bit<8> f1; } header tag_h { bit<8> a; bit<8> b; }\n"
      "struct headers { data_h data; tag_h tag; }\nstruct metadata { }\n";
  p.apply = "hdr.tag.setValid(); hdr.tag.a = 1; ig_tm_md.ucast_egress_port = 2;";
  EXPECT_EQ(warnings_of(p), "hdr.tag.b is read before it is written\n");
  // One that is not valid is not sent, so nothing of it is read.
  p.apply = "hdr.tag.a = 1; ig_tm_md.ucast_egress_port = 2;";
  EXPECT_EQ(warnings_of(p), "");
}

TEST(P4Unwritten, DataOfEntriesAndWhatExternsGiveAreWritten) {
  Parts p;
  p.locals =
      "Register<bit<16>, bit<8>>(4) r;\n"
      "RegisterAction<bit<16>, bit<8>, bit<16>>(r) f = { void apply(inout bit<16> v, out bit<16> "
      "o)\n"
      "  { o = v; v = v + 1; } };\n"
      "Hash<bit<16>>(HashAlgorithm_t.CRC16) h;\n"
      "action a(bit<8> x) { hdr.data.b1 = x; }\n"
      "table t { actions = { a; } default_action = a(3); key = { hdr.data.b2 : exact; } }\n";
  p.apply =
      "t.apply(); md.m1 = f.execute(0); hdr.data.h1 = md.m1 + h.get({hdr.data.f1});\n"
      "ig_tm_md.ucast_egress_port = 2;";
  EXPECT_EQ(warnings_of(p), "");
}

TEST(P4Unwritten, MetadataMayBeZeroByAPragma) {
  Parts p;
  p.apply = "hdr.data.h1 = md.m1;";
  std::string text = text_of(p);
  text.replace(text.find("Switch(pipe)"), 0, "@pa_auto_init_metadata\n");
  Bench bench(text, false, {.watch_unwritten = true});
  bench.faults(packet);
  EXPECT_TRUE(bench.chip->take_warnings().empty());
}

// Random, but the same for the same seed; what was parsed is as it came.
TEST(P4Unwritten, RandomBitsBySeed) {
  Parts p;
  p.apply = "hdr.data.f1 = md.m2; ig_tm_md.ucast_egress_port = 2;";
  const auto run = [&](std::uint64_t seed) {
    Bench bench(text_of(p), false, {.random_unwritten = true, .seed = seed});
    const std::uint8_t bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const auto out = bench.chip->inject(0, bytes, Picoseconds(1)).at(0).bytes;
    EXPECT_EQ(Bytes8(out.begin() + 4, out.end()), (Bytes8{5, 6, 7, 8, 9, 10, 11, 12}));
    return Bytes8(out.begin(), out.begin() + 4);
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
  EXPECT_NE(run(1), (Bytes8{0, 0, 0, 0}));
}

}  // namespace
}  // namespace horae::p4prog::test::unwritten_test
