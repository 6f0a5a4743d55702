// Programs that the chip cannot run are refused in one line, with its place.
#include "source_design.hpp"

namespace horae::p4price::test {
namespace {

TEST(SourceRefusal, LessOfTwoFieldsInACondition) {
  const auto line = refusal_of({.apply = "if (hdr.h.a < hdr.h.b) { hdr.h.c = 1; }"});
  EXPECT_TRUE(line.starts_with("case.p4:")) << line;
  EXPECT_NE(line.find("test the sign bit"), std::string::npos) << line;
}

TEST(SourceRefusal, ARegisterActionThatComputesTwice) {
  const auto line = refusal_of({.locals = "Register<bit<32>, bit<16>>(1024) r;\n"
                                          "RegisterAction<bit<32>, bit<16>, bit<32>>(r) ra = {\n"
                                          "void apply(inout bit<32> v, out bit<32> rv) { v = v + "
                                          "hdr.h.a + hdr.h.b; rv = v; } };\n",
                                .apply = "hdr.h.c = ra.execute(hdr.h.d);"});
  EXPECT_TRUE(line.starts_with("case.p4:")) << line;
  EXPECT_NE(line.find("one operation"), std::string::npos) << line;
}

// A body may hold its cell, and what it compared, in variables of its own.
TEST(SourceRefusal, NotARegisterActionWithVariables) {
  const auto design =
      design_of({.locals = ""
                           "Register<pair, bit<16>>(1024) r;\n"
                           "RegisterAction<pair, bit<16>, bit<32>>(r) ra = {\n"
                           "void apply(inout pair v, out bit<32> rv) {\n"
                           "  pair old; old = v; bool empty = old.lo == 0; rv = 0;\n"
                           "  if (empty) { v.lo = hdr.h.a; v.hi = hdr.h.b; rv = 1; } } };\n",
                 .apply = "hdr.h.c = ra.execute(hdr.h.d);"});
  const auto* r = design.design.find("Ig.r");
  ASSERT_NE(r, nullptr);
  EXPECT_FALSE(std::get<dataplane::RegisterSpec>(r->spec).unchecked);
}

// A body that asks its own object's predicate, as public programs do.
TEST(SourceRefusal, NotARegisterActionThatCallsItsOwnMethods) {
  const auto design = design_of(
      {.locals =
           "Register<bit<32>, bit<16>>(1024) r;\n"
           "RegisterAction<bit<32>, bit<16>, bit<32>>(r) ra = {\n"
           "void apply(inout bit<32> v, out bit<32> rv) { rv = this.predicate(v == 0); } };\n",
       .apply = "hdr.h.a = ra.execute(hdr.h.d); hdr.h.b = hdr.h.c; hdr.h.e = 1;"});
  EXPECT_NE(design.design.find("Ig.r"), nullptr);
}

/// Whether a program is refused at a place of its own, in one line that says both things.
void expect_refused(const Parts& parts, const std::string& found, const std::string& instead) {
  const auto line = refusal_of(parts);
  EXPECT_TRUE(line.starts_with("case.p4:")) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  EXPECT_NE(line.find(found), std::string::npos) << line;
  EXPECT_NE(line.find(instead), std::string::npos) << line;
}

TEST(SourceRefusal, OperationsThatNoAluDoes) {
  expect_refused({.apply = "hdr.h.a = hdr.h.b * hdr.h.c;"}, "found *", "look the product up");
  expect_refused({.apply = "hdr.h.a = hdr.h.b * 3;"}, "found *", "look the product up");
  expect_refused({.apply = "hdr.h.a = hdr.h.b / hdr.h.c;"}, "found /", "look the result up");
  expect_refused({.apply = "hdr.h.a = hdr.h.b % 7;"}, "found %", "look the result up");
  expect_refused({.apply = "hdr.h.a = hdr.h.b << hdr.h.f;"}, "found a shift by a value",
                 "match the amount");
  expect_refused({.locals = "wide w;",
                  .apply = "w.u[31:0] = hdr.h.a; w.v[31:0] = hdr.h.b; w.u = w.u |+| w.v;\n"
                           "hdr.h.c = w.u[63:32];",
                  .before = "struct wide { bit<64> u; bit<64> v; }\n"},
                 "64 bits in a saturating operation", "split the value");
}

TEST(SourceRefusal, NotOperationsThatAreShiftsAndMasks) {
  for (const char* apply :
       {"hdr.h.a = hdr.h.b * 8;", "hdr.h.a = hdr.h.b / 4;", "hdr.h.a = hdr.h.b % 16;",
        "hdr.h.a = hdr.h.b << 3;", "hdr.h.a = hdr.h.b |+| hdr.h.c;"})
    EXPECT_EQ(refusal_of({.apply = apply}), "nothing was refused") << apply;
}

// Also in an action that nobody sees: it is gone before an ALU is asked.
TEST(SourceRefusal, NotAnOperationThatNobodySees) {
  EXPECT_EQ(refusal_of({.apply = "md.x = hdr.h.b * hdr.h.c;"}), "nothing was refused");
}

TEST(SourceRefusal, AConditionOnThePacketWithinAnAction) {
  const std::string table = " table t { key = { hdr.h.f : exact; } actions = { act; } }";
  expect_refused({.locals = "action act(bit<32> v) { if (hdr.h.g == 1) { hdr.h.a = v; } }" + table,
                  .apply = "t.apply();"},
                 "found a condition on the packet within an action", "test it in the apply block");
  EXPECT_EQ(
      refusal_of(
          {.locals = "action act(bit<1> f, bit<32> v) { if (f == 1) { hdr.h.a = v; } }" + table,
           .apply = "t.apply();"}),
      "nothing was refused");
}

/// A header of words, and their names.
std::string words(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += "bit<32> w" + std::to_string(i) + "; ";
  return out;
}
std::string list_of(int n) {
  std::string out;
  for (int i = 0; i < n; ++i) out += (i == 0 ? "w.w" : ", w.w") + std::to_string(i);
  return out;
}

TEST(SourceRefusal, AHashOverMoreThanACrossbar) {
  const auto program = [](int n) {
    return Parts{.locals = "wide w; Hash<bit<32>>(HashAlgorithm_t.CRC32) h;\n",
                 .apply = "hdr.h.a = h.get({" + list_of(n) + "});",
                 .before = "struct wide { " + words(n) + "}\n"};
  };
  expect_refused(program(33), "a hash over 132 bytes, expected at most 128", "hash in two stages");
  EXPECT_EQ(refusal_of(program(32)), "nothing was refused");
}

TEST(SourceRefusal, AKeyBeyondTheTernaryCrossbar) {
  const auto program = [](int n) {
    std::string keys;
    for (int i = 0; i < n; ++i) keys += "w.w" + std::to_string(i) + " : ternary; ";
    return Parts{.locals =
                     "wide w; action set(bit<32> v) { hdr.h.a = v; }\n"
                     "table t { key = { " +
                     keys + "} actions = { set; } }\n",
                 .apply = "t.apply();",
                 .before = "struct wide { " + words(n) + "}\n"};
  };
  expect_refused(program(17), "a key of 68 bytes under masks, expected at most 66", "match a part");
  EXPECT_EQ(refusal_of(program(16)), "nothing was refused");
}

TEST(SourceRefusal, MoreActionsThanAStageHasInstructions) {
  const auto program = [](int n) {
    std::string actions, names;
    for (int i = 0; i < n; ++i) {
      const std::string k = std::to_string(i);
      actions += "action a" + k + "() { hdr.h.a = " + k + "; }\n";
      names += "a" + k + "; ";
    }
    return Parts{.locals = actions + "table t { key = { hdr.h.f : exact; } actions = { " + names +
                           "} size = 256; }\n",
                 .apply = "t.apply();"};
  };
  expect_refused(program(65), "65 actions that write, expected at most 64", "action data");
  EXPECT_EQ(refusal_of(program(64)), "nothing was refused");
}

// Ethernet and four more headers are below the bound of Tofino's egress, a long stack is not.
TEST(SourceRefusal, APathBeyondWhatTheEgressParserTakes) {
  const auto program = [](int bytes, bool tofino2) {
    return Parts{
        .egress_apply = "hdr.h.a = 1;",
        .tofino2 = tofino2,
        .egress_parse = "pkt.advance(" + std::to_string(8 * bytes) + "); transition accept;"};
  };
  expect_refused(program(160, false), "through the egress parser, expected at most 160",
                 "parse it in ingress");
  EXPECT_EQ(refusal_of(program(160, true)), "nothing was refused");
  EXPECT_EQ(refusal_of(program(100, false)), "nothing was refused");
}

}  // namespace
}  // namespace horae::p4price::test
