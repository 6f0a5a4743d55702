// Order of pieces: dependencies from reads and writes, and what is no dependency.
#include "source_design.hpp"

namespace horae::p4price::test {
namespace {

/// A register and its action, which adds one.
std::string counting(const std::string& name) {
  return "Register<bit<32>, bit<16>>(1024) " + name + ";\n" +
         "RegisterAction<bit<32>, bit<16>, bit<32>>(" + name + ") count_" + name +
         " = { void apply(inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; } };\n";
}

unsigned stages(const Parts& parts) { return compiled(parts).stages_used(); }

TEST(SourceOrder, AChainOfWritesAndMatchesTakesAStageALink) {
  EXPECT_EQ(stages({.locals = counting("r") + counting("s"),
                    .apply = "md.x = count_r.execute(hdr.h.d);\n"
                             "hdr.h.a = count_s.execute(md.x[15:0]);\n"}),
            2u);
}

TEST(SourceOrder, IndependentStatementsShareAStageAndATable) {
  const auto design = design_of({.apply = "hdr.h.a = hdr.h.b; hdr.h.d = 1; hdr.h.f = hdr.h.g;"});
  EXPECT_EQ(design.design.objects.size(), 1u);
}

TEST(SourceOrder, AStatementThatReadsWhatOneBeforeWroteIsATableOfItsOwn) {
  const Parts parts{.apply = "hdr.h.a = hdr.h.b + hdr.h.c; hdr.h.b = hdr.h.a + 1;"};
  EXPECT_EQ(design_of(parts).design.objects.size(), 2u);
  EXPECT_EQ(stages(parts), 2u);
}

TEST(SourceOrder, BranchesOfWhichOneRunsHaveNoOrder) {
  EXPECT_EQ(stages({.apply = "if (hdr.h.f == 1) { hdr.h.a = hdr.h.b + 1; }\n"
                             "else { hdr.h.b = hdr.h.a + 1; }"}),
            1u);
}

TEST(SourceOrder, APlainCopyIsCarriedOnIntoStatementsAndKeys) {
  EXPECT_EQ(stages({.apply = "md.x = hdr.h.a; if (md.x == 5) { hdr.h.b = 1; }"}), 1u);
  const std::string table =
      "action set(bit<32> v) { hdr.h.b = v; }\n"
      "table t { key = { md.x : exact; } actions = { set; } size = 512; }";
  const Parts copied{.locals = table, .apply = "md.x = hdr.h.a; t.apply();"};
  EXPECT_EQ(design_of(copied).design.objects.size(), 1u);  // nobody else reads the copy
  EXPECT_EQ(stages(copied), 1u);
  // A value that is no field is no key, and no copy is a key of a table applied twice.
  EXPECT_EQ(stages({.locals = table, .apply = "md.x = hdr.h.a + 1; t.apply();"}), 2u);
  EXPECT_EQ(stages({.locals = table, .apply = "md.x = 5; t.apply();"}), 2u);
  EXPECT_EQ(stages({.locals = table,
                    .apply = "if (hdr.h.f == 1) { md.x = hdr.h.a; t.apply(); }\n"
                             "else { md.x = hdr.h.c; t.apply(); }"}),
            2u);
}

// Reports of synapse's key-value stores: eleven calls of an action that swaps two bytes do not wait
// for each other's variable.
TEST(SourceOrder, EachCallOfAnActionHasVariablesOfItsOwn) {
  EXPECT_EQ(stages({.locals = "action swap(inout bit<16> a, inout bit<16> b) {\n"
                              "  bit<16> t = a; a = b; b = t; }\n",
                    .apply = "swap(hdr.h.d, hdr.h.e); swap(hdr.m.x, hdr.m.y);\n",
                    .types = "header more_h { bit<16> x; bit<16> y; }\n",
                    .headers = "more_h m;"}),
            1u);
}

// Reports of synapse's packet-writes: bytes of one container take a stage each, in their order;
// twelve bytes of a field of 14 take as many stages as those of a word.
TEST(SourceOrder, PartsOfOneContainerAreWrittenStageByStage) {
  const auto bytes = [](const std::string& field, unsigned n) {
    std::string out;
    for (unsigned i = 0; i < n; ++i)
      out += field + "[" + std::to_string(8 * i + 7) + ":" + std::to_string(8 * i) +
             "] = " + std::to_string(i + 1) + ";\n";
    return out;
  };
  EXPECT_EQ(stages({.apply = bytes("hdr.h.a", 2)}), 2u);
  EXPECT_EQ(stages({.apply = bytes("hdr.h.a", 4)}), 4u);
  const std::string wide = "header wide_h { bit<112> data; }\n";
  EXPECT_EQ(stages({.apply = bytes("hdr.w.data", 12), .types = wide, .headers = "wide_h w;"}), 4u);
  // The second byte of one field shares a table with the first of another.
  EXPECT_EQ(stages({.apply = bytes("hdr.h.d", 2) + bytes("hdr.h.e", 2)}), 3u);
}

TEST(SourceOrder, AConcatenationIsWrittenInPartsOfTheirOwn) {
  const Parts parts{.apply = "hdr.h.a = hdr.h.d ++ hdr.h.e;"};
  EXPECT_EQ(design_of(parts).design.objects.size(), 2u);
  EXPECT_EQ(stages(parts), 2u);
  // Widening writes zeros above, which metadata has at first.
  EXPECT_EQ(design_of({.apply = "hdr.h.a = (bit<32>)hdr.h.d;"}).design.objects.size(), 2u);
  const Parts metadata{.apply = "md.x = (bit<32>)hdr.h.d; hdr.h.a = md.x + 1;"};
  EXPECT_EQ(design_of(metadata).design.objects.size(), 2u);
}

// Validity bits are in one container: in all 34 reports of synapse those who set them for one
// packet are in different stages. On Tofino2 a field of the traffic manager has one too.
TEST(SourceOrder, WhoSetsValidityBitsIsInAStageOfItsOwn) {
  const std::string header = "header other_h { bit<32> x; }\n";
  const auto placed = [&](const std::string& apply, bool tofino2) {
    return stages({.apply = apply,
                   .types = header,
                   .headers = "other_h one; other_h two;",
                   .tofino2 = tofino2});
  };
  const std::string first = "if (hdr.h.f == 1) { hdr.one.setValid(); }\n";
  EXPECT_EQ(placed(first + "if (hdr.h.g == 1) { hdr.two.setValid(); }", true), 2u);
  EXPECT_EQ(placed("if (hdr.h.f == 1) { hdr.one.setValid(); } else { hdr.two.setValid(); }", true),
            1u);
  const std::string port = "if (hdr.h.g == 1) { ig_tm_md.ucast_egress_port = 5; }";
  EXPECT_EQ(placed(first + port, true), 2u);
  EXPECT_EQ(placed(first + port, false), 1u);
}

TEST(SourceOrder, AStructIsCopiedFieldByField) {
  const Parts parts{.locals = "pair p; pair q;",
                    .apply = "q.lo = hdr.h.b; q.hi = hdr.h.c; p = q; hdr.h.a = p.hi;"};
  EXPECT_EQ(design_of(parts).design.objects.size(), 1u);
  EXPECT_EQ(stages(parts), 1u);
}

TEST(SourceOrder, AConditionOnWhatAStageWroteIsAStageLater) {
  EXPECT_EQ(stages({.locals = counting("r"),
                    .apply = "md.x = count_r.execute(hdr.h.d);\n"
                             "if (md.x == 7) { hdr.h.a = 1; }"}),
            2u);
}

/// A register and its action, which says whether a cell is `hdr.h.b`.
std::string asking(const std::string& name, const std::string& type, const std::string& yes,
                   const std::string& no) {
  return "Register<bit<32>, bit<16>>(1024) " + name + ";\n" + "RegisterAction<bit<32>, bit<16>, " +
         type + ">(" + name + ") ask_" + name + " = { void apply(inout bit<32> v, out " + type +
         " m) { if (v == hdr.h.b) { m = " + yes + "; } else { m = " + no + "; } } };\n";
}

// Reports of synapse's cuckoo tables: keys, times and values in three stages.
TEST(SourceOrder, ACallInAConditionIsATableInFrontOfIt) {
  const Parts parts{.locals = asking("r", "bool", "true", "false") +
                              asking("s", "bool", "true", "false") + counting("t"),
                    .apply =
                        "if (ask_r.execute(hdr.h.d)) { if (!ask_s.execute(hdr.h.d)) {\n"
                        "hdr.h.a = count_t.execute(hdr.h.d); } }"};
  EXPECT_EQ(design_of(parts).design.objects.size(), 5u);  // three registers, two conditions
  EXPECT_EQ(stages(parts), 3u);
}

// Report of netcache: three bits of a Bloom filter. No dependency keeps them apart.
TEST(SourceOrder, FlagsThatOneConditionAsksAreSetInStagesOfTheirOwn) {
  const std::string locals = "bit<1> a; bit<1> b; bit<1> c;\n" + asking("r", "bit<1>", "1", "0") +
                             asking("s", "bit<1>", "1", "0") + asking("t", "bit<1>", "1", "0");
  const std::string set =
      "a = ask_r.execute(hdr.h.d); b = ask_s.execute(hdr.h.d); c = ask_t.execute(hdr.h.d);\n";
  const Parts together{.locals = locals,
                       .apply = set + "if (a == 1 && b == 1 && c == 1) { hdr.h.a = 1; }"};
  EXPECT_EQ(stages(together), 4u);
  EXPECT_EQ(dataplane::price_beside(design_of(together).design, chip_of(together)).least, 2u);
  EXPECT_EQ(stages({.locals = locals,
                    .apply = set + "if (a == 1) { hdr.h.a = 1; } if (b == 1) { hdr.h.b = 1; }\n"
                                   "if (c == 1) { hdr.h.c = 1; }"}),
            2u);
}

TEST(SourceOrder, TheGressesShareTheStages) {
  const Parts parts{.apply = "hdr.h.a = hdr.h.b + hdr.h.c; hdr.h.b = hdr.h.a + 1;",
                    .egress_apply = "hdr.h.a = hdr.h.b + hdr.h.c; hdr.h.b = hdr.h.a + 1;"};
  EXPECT_EQ(stages(parts), 2u);
}

TEST(SourceOrder, TheChainSaysWhereAFieldIsWrittenAndMatched) {
  const auto design =
      design_of({.locals = counting("r"),
                 .apply = "md.x = count_r.execute(hdr.h.d);\nif (md.x == 7) { hdr.h.a = 1; }"});
  const auto chain = longest_chain(design);
  ASSERT_FALSE(chain.empty());
  EXPECT_EQ(chain.front().field, "md.x");
  EXPECT_EQ(chain.front().needed.line, chain.front().written.line + 1);
  EXPECT_NE(link_text(chain.front()).find("is matched in line"), std::string::npos);
}

/// A sub-control that adds a value to a cell and gives the sum.
const std::string adder =
    "control Add(in bit<32> value, out bit<32> sum, in bit<16> at) {\n"
    "  Register<bit<32>, bit<16>>(1024) cells;\n"
    "  RegisterAction<bit<32>, bit<16>, bit<32>>(cells) add = {\n"
    "    void apply(inout bit<32> v, out bit<32> rv) { v = v + value; rv = v; } };\n"
    "  apply { sum = add.execute(at); }\n}\n";

// Each sum goes where its value came from: three that have nothing to do with each other.
TEST(SourceOrder, AnArgumentStandsForAParameterThatOverlapsAnother) {
  const Parts parts{.locals = "Add() first; Add() second; Add() third;\n",
                    .apply =
                        "first.apply(hdr.h.a, hdr.h.a, hdr.h.d);\n"
                        "second.apply(hdr.h.b, hdr.h.b, hdr.h.d);\n"
                        "third.apply(hdr.h.c, hdr.h.c, hdr.h.d);\n",
                    .before = adder};
  EXPECT_EQ(stages(parts), 1u);
  EXPECT_EQ(design_of(parts).design.objects.size(), 3u);
}

TEST(SourceOrder, AControlThatIsAppliedTwiceKeepsItsCopies) {
  EXPECT_EQ(stages({.locals = "Add() one;\n",
                    .apply = "if (hdr.h.f == 1) { one.apply(hdr.h.a, hdr.h.a, hdr.h.d); }\n"
                             "else { one.apply(hdr.h.b, hdr.h.b, hdr.h.d); }\n",
                    .before = adder}),
            3u);
}

// The end of the way that exits is seen a stage later, where no stage is the last on its own.
TEST(SourceOrder, AnExitWithinABranchIsAFlagOnTofino2) {
  Parts parts{.apply =
                  "if (hdr.h.f == 1) { if (hdr.h.g == 1) { hdr.h.d = 7; exit; } hdr.h.e = 3; }\n"
                  "hdr.h.a = hdr.h.b;"};
  EXPECT_EQ(stages(parts), 2u);
  parts.tofino2 = false;
  EXPECT_EQ(stages(parts), 1u);
}

TEST(SourceOrder, AnActionThatExitsSetsTheFlagForWhatFollowsItsTable) {
  Parts parts{.locals =
                  "action stop() { hdr.h.d = 7; exit; }\n"
                  "table t { key = { hdr.h.f : exact; } actions = { stop; NoAction; } }\n",
              .apply = "t.apply(); hdr.h.a = hdr.h.b;"};
  EXPECT_EQ(stages(parts), 2u);
  parts.tofino2 = false;
  EXPECT_EQ(stages(parts), 1u);
}

// The rest is in the other way of the branch: nothing to ask for.
TEST(SourceOrder, AnExitAtTheEndOfAWayTakesNoFlag) {
  EXPECT_EQ(stages({.apply = "if (hdr.h.f == 1) { hdr.h.d = 7; exit; }\n hdr.h.a = hdr.h.b;"}), 1u);
}

TEST(SourceOrder, AReturnWithinABranchIsAFlagOnAnyChip) {
  const std::string apply =
      "if (hdr.h.f == 1) { if (hdr.h.g == 1) { hdr.h.d = 7; return; } hdr.h.e = 3; }\n"
      "hdr.h.a = hdr.h.b;";
  EXPECT_EQ(stages({.apply = apply}), 2u);
  EXPECT_EQ(stages({.apply = apply, .tofino2 = false}), 2u);
}

}  // namespace
}  // namespace horae::p4price::test
