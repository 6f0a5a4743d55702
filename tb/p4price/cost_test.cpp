// Price of a source: properties that any price has.
#include "source_design.hpp"

namespace horae::p4price::test {
namespace {

using dataplane::Resource;

std::string table(const std::string& entries) {
  return "action set(bit<32> v) { hdr.h.b = v; }\n"
         "table t { key = { hdr.h.a : exact; } actions = { set; } size = " +
         entries + "; }\n";
}

TEST(SourceCost, MoreEntriesNeverCostLess) {
  std::int64_t before = 0;
  for (std::uint64_t entries = 512; entries <= 1u << 18; entries *= 2) {
    const auto sram = compiled({.locals = table("512"), .apply = "t.apply();"}, {{"Ig.t", entries}})
                          .total[Resource::sram];
    EXPECT_GE(sram, before) << entries;
    before = sram;
  }
  EXPECT_GT(before, 100);
}

TEST(SourceCost, ATableThatIsNotAppliedCostsNothing) {
  EXPECT_TRUE(design_of({.locals = table("512")}).design.objects.empty());
}

TEST(SourceCost, WhatNobodyReadsCostsNothing) {
  EXPECT_TRUE(design_of({.apply = "md.x = hdr.h.a + 1; md.y = 0;"}).design.objects.empty());
}

TEST(SourceCost, TheOrderOfDeclarationsChangesNothing) {
  const std::string a = "Register<bit<32>, bit<16>>(1024) r;\n",
                    b = "Register<bit<16>, bit<16>>(4096) s;\n";
  const std::string actions =
      "RegisterAction<bit<32>, bit<16>, bit<32>>(r) ra = "
      "{ void apply(inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; } };\n"
      "RegisterAction<bit<16>, bit<16>, bit<16>>(s) sa = "
      "{ void apply(inout bit<16> v, out bit<16> rv) { v = v + 1; rv = v; } };\n";
  const std::string apply = "hdr.h.a = ra.execute(hdr.h.d); hdr.h.d = sa.execute(hdr.h.e);";
  const auto one = compiled({.locals = a + b + actions, .apply = apply});
  const auto other = compiled({.locals = b + a + actions, .apply = apply});
  EXPECT_EQ(one.total, other.total);
  EXPECT_EQ(one.stages_used(), other.stages_used());
}

// tb/validate/compiler/registers.toml: 64k cells of 32 bits take 17 blocks, spare counted.
TEST(SourceCost, ARegisterTakesWhatTheCompilerReports) {
  const auto ledger = compiled(
      {.locals = "Register<bit<32>, bit<16>>(65536) r;\n"
                 "RegisterAction<bit<32>, bit<16>, bit<32>>(r) ra = "
                 "{ void apply(inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; } };\n",
       .apply = "hdr.h.a = ra.execute(hdr.h.d);"});
  EXPECT_EQ(ledger.total[Resource::sram], 17);
  EXPECT_EQ(ledger.total[Resource::map_ram], 17);
  EXPECT_EQ(ledger.total[Resource::stateful_alu], 1);
  EXPECT_EQ(ledger.total[Resource::gateway], 1);
  EXPECT_EQ(ledger.total[Resource::logical_table], 1);
}

// Reports of synapse: 9,103 entries of 32 bits with an idle timer take 4 RAMs, 3 of data and 6 map
// RAMs. Two entries with 32 bits of data each would fill all bits for overhead of a RAM.
TEST(SourceCost, TwoEntriesWithWholeWordsOfDataDoNotShareARam) {
  const auto total = [](const std::string& type, const std::string& field) {
    return compiled({.locals = "action set(" + type + " v) { " + field +
                               " = v; }\ntable t { key = { hdr.h.a : exact; } actions = { set; } "
                               "size = 9103; idle_timeout = true; }\n",
                     .apply = "t.apply();"})
        .total;
  };
  const auto word = total("bit<32>", "hdr.h.b"), half = total("bit<16>", "hdr.h.d");
  EXPECT_EQ(word[Resource::sram], 7);
  EXPECT_EQ(word[Resource::map_ram], 6);
  EXPECT_EQ(half[Resource::sram], 5);
  EXPECT_EQ(half[Resource::map_ram], 5);
}

// Reports of synapse's NATs: 72,818 entries of 32 bits with 96 of data fill a stage (16 and 64
// RAMs); of the rest one entry lies in a RAM, 32 bits of its data beside it (8 and 4).
TEST(SourceCost, TheRestOfATableThatFillsAStageIsLaidOutAnew) {
  const auto ledger = compiled(
      {.locals = "action set(bit<32> u, bit<32> v, bit<32> w) { hdr.h.b = u; hdr.h.c = v; "
                 "md.x = w; }\n"
                 "table t { key = { hdr.h.a : exact; } actions = { set; } size = 72818; }\n",
       .apply = "t.apply(); hdr.h.a = md.x;"});
  EXPECT_EQ(ledger.total[Resource::sram], 92);
  EXPECT_EQ(ledger.stages_used(), 3u);
}

// As the compiler reports of precision: both conditions are part of the tables they guard.
TEST(SourceCost, AccessesInBothWaysOfBranchesTakeATableAndAGatewayEach) {
  const auto ledger = compiled(
      {.locals = "Register<bit<32>, bit<16>>(1024) r;\n"
                 "RegisterAction<bit<32>, bit<16>, bit<32>>(r) get = "
                 "{ void apply(inout bit<32> v, out bit<32> rv) { rv = v; } };\n"
                 "RegisterAction<bit<32>, bit<16>, bit<32>>(r) put = "
                 "{ void apply(inout bit<32> v, out bit<32> rv) { v = hdr.h.b; rv = 0; } };\n",
       .apply = "if (hdr.h.f == 1) { hdr.h.a = get.execute(hdr.h.d); }\n"
                "else if (hdr.h.g == 1) { hdr.h.a = put.execute(hdr.h.d); }"});
  EXPECT_EQ(ledger.total[Resource::logical_table], 2);
  EXPECT_EQ(ledger.total[Resource::gateway], 2);
  EXPECT_EQ(ledger.total[Resource::stateful_alu], 1);
}

TEST(SourceCost, ObjectsAreNamedAndPlacedAsInTheSource) {
  const auto design = design_of({.locals = table("512"), .apply = "t.apply();"}).design;
  ASSERT_EQ(design.objects.size(), 1u);
  EXPECT_EQ(design.objects[0].name, "Ig.t");
  EXPECT_EQ(design.objects[0].where.file, "case.p4");
  EXPECT_GT(design.objects[0].where.line, 0u);
}

// Both begin with the same words of one header: one unit sums them until the ways part.
TEST(SourceCost, ResidualSumsThatBeginAlikeShareAUnit) {
  const auto design = [](const std::string& second) {
    return design_of({.apply = "hdr.h.a = hdr.h.b;",
                      .parser_locals = "Checksum() one; Checksum() two;\n",
                      .parse = "one.subtract({hdr.h.a, hdr.h.b}); two.subtract({hdr.h.a, " +
                               second + "}); transition select(hdr.h.f) { 1 : a; default : b; }",
                      .states = "state a { md.z = one.get(); transition accept; }\n"
                                "state b { md.z = two.get(); transition accept; }\n"})
        .design.checksums.size();
  };
  EXPECT_EQ(design("hdr.h.b"), 1u);
  EXPECT_EQ(design("hdr.h.c"), 2u);
}

// A bridged header that one action makes valid has its sources' storage (p4c auto_alias.cpp).
TEST(SourceCost, CopiesIntoAHeaderOfTheStagesAreOneStorage) {
  const auto stages = [](const std::string& action, const std::string& apply) {
    return compiled({.locals =
                         "Register<bit<32>, bit<16>>(1024) r;\n"
                         "RegisterAction<bit<32>, bit<16>, bit<32>>(r) ra = "
                         "{ void apply(inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; } };\n"
                         "action bridge() { " +
                         action + " }\n",
                     .apply = "md.x = ra.execute(hdr.h.d); bridge(); " + apply,
                     .types = "header bridge_h { bit<32> x; }\n",
                     .headers = "bridge_h bridge;"})
        .stages_used();
  };
  EXPECT_EQ(stages("hdr.bridge.setValid(); hdr.bridge.x = md.x;", ""), 1u);
  // Read again, made valid elsewhere, or its source written later: a copy, which waits.
  EXPECT_EQ(stages("hdr.bridge.setValid(); hdr.bridge.x = md.x;", "hdr.h.b = hdr.bridge.x + 1;"),
            3u);
  EXPECT_EQ(stages("hdr.bridge.x = md.x;", "if (hdr.h.f == 1) { hdr.bridge.setValid(); }"), 2u);
}

// Reports of synapse: a header made valid together with a port takes a value and a mask of its
// validity bits beside a constant that no instruction holds, more than lies beside an entry.
// Reports of 15 key-value stores and translators of synapse: a value whose two low bytes are
// swapped takes a RAM of action data, which those lack that also copy it into a header off its
// boundaries.
TEST(SourceCost, BytesThatAreReadOneByOneHaveContainersOfTheirOwn) {
  const auto sram = [](const std::string& apply) {
    return compiled({.locals =
                         "action set(bit<32> v) { md.x = v; }\n"
                         "table t { key = { hdr.h.d : exact; } actions = { set; } size = 64; }\n",
                     .apply = "t.apply();\n" + apply,
                     .types = "header odd_h { bit<8> k; bit<32> v; bit<24> rest; }\n",
                     .headers = "odd_h odd;"})
        .total[Resource::sram];
  };
  const std::string swap = "hdr.h.e[15:8] = md.x[7:0]; hdr.h.e[7:0] = md.x[15:8];";
  const std::string use = "hdr.h.b = md.x;";
  const std::int64_t whole = sram(use);
  EXPECT_EQ(sram(swap + use), whole + 1);
  EXPECT_EQ(sram("hdr.h.e = md.x[15:0];" + use), whole);
  EXPECT_EQ(sram(swap + "hdr.odd.v = md.x;"), whole);
}

TEST(SourceCost, ValidityBitsAndLargeConstantsAreActionData) {
  const auto sram = [](const std::string& body, bool tofino2 = true) {
    return compiled({.locals = "action act() { " + body + " }\n",
                     .apply = "act();",
                     .types = "header other_h { bit<16> x; }\n",
                     .headers = "other_h one; other_h two; other_h three; other_h four; other_h "
                                "five; other_h six; other_h seven;",
                     .tofino2 = tofino2})
        .total[Resource::sram];
  };
  const std::string both = "hdr.one.setValid(); ig_tm_md.ucast_egress_port = 5;";
  EXPECT_EQ(sram(both + "hdr.one.x = 5352;"), 1);
  EXPECT_EQ(sram(both + "hdr.one.x = 5;"), 0);
  EXPECT_EQ(sram("hdr.one.setValid(); hdr.one.x = 5352;"), 0);
  EXPECT_EQ(sram("hdr.one.setValid(); hdr.two.setValid(); hdr.one.x = 5352; hdr.two.x = 999;"), 0);
  EXPECT_EQ(sram(both + "hdr.one.x = 5352;", false), 0);
}

// The compiler's report of chamaleonet: a constant's name in the pragma leaves three bits.
TEST(SourceCost, APragmaWithoutANumberSaysNothingOfATimersBits) {
  const auto blocks = [](const std::string& pragma) {
    return compiled({.locals =
                         "const int ONE = 1; action set(bit<32> v) { hdr.h.b = v; }\n" + pragma +
                         " table t { key = { hdr.h.a : exact; hdr.h.d : exact; hdr.h.f : exact; }\n"
                         "  actions = { set; } size = 20000; idle_timeout = true; }\n",
                     .apply = "t.apply();"})
        .total[Resource::map_ram];
  };
  EXPECT_EQ(blocks("@idletime_precision(ONE)"), blocks(""));
  EXPECT_LT(blocks("@idletime_precision(1)"), blocks(""));
}

// A pragma may name the partition's field; it is no part of what is stored.
TEST(SourceCost, APragmaNamesTheFieldThatFindsThePartition) {
  const auto made = design_of(
      {.locals = "action set(bit<32> v) { hdr.h.b = v; }\n"
                 "@atcam_partition_index(\"hdr.h.d\") @atcam_number_partitions(1024)\n"
                 "table t { key = { hdr.h.a : ternary; hdr.h.d : exact; } actions = { set; }\n"
                 "  size = 16384; }\n",
       .apply = "t.apply();"});
  const auto* t = made.design.find("Ig.t");
  ASSERT_NE(t, nullptr);
  const auto& spec = std::get<dataplane::MatchSpec>(t->spec);
  EXPECT_EQ(spec.kind, dataplane::MatchKind::atcam);
  EXPECT_EQ(spec.key_bits, 32u);
  EXPECT_EQ(spec.partitions, 1024u);
}

// Exact keys are stored once, beside the masked prefix (p4c table_layout.cpp).
TEST(SourceCost, OnlyThePrefixOfAnAlgorithmicTableIsStoredWithItsMask) {
  const auto made =
      design_of({.locals = "action set(bit<32> v) { hdr.h.b = v; }\n"
                           "@alpm(1) table t { key = { hdr.h.d : exact; hdr.h.a : lpm; }\n"
                           "  actions = { set; } size = 4096; }\n",
                 .apply = "t.apply();"});
  const auto* t = made.design.find("Ig.t");
  ASSERT_NE(t, nullptr);
  const auto& spec = std::get<dataplane::MatchSpec>(t->spec);
  EXPECT_EQ(spec.kind, dataplane::MatchKind::alpm);
  EXPECT_EQ(spec.key_bits, 48u);
  EXPECT_EQ(spec.masked_bits, 32u);
}

}  // namespace
}  // namespace horae::p4price::test
