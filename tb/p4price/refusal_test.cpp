// What the chip cannot do is refused in one line, with its place.
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

}  // namespace
}  // namespace horae::p4price::test
