// What follows what: dependencies from reads and writes, and what is no dependency.
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

TEST(SourceOrder, APlainCopyIsCarriedOnIntoStatementsAndNotIntoKeys) {
  EXPECT_EQ(stages({.apply = "md.x = hdr.h.a; if (md.x == 5) { hdr.h.b = 1; }"}), 1u);
  EXPECT_EQ(stages({.locals = "action set(bit<32> v) { hdr.h.b = v; }\n"
                              "table t { key = { md.x : exact; } actions = { set; } size = 512; }",
                    .apply = "md.x = hdr.h.a; t.apply();"}),
            2u);
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

}  // namespace
}  // namespace horae::p4price::test
