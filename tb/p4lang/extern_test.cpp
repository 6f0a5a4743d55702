// Extern objects and functions: type arguments that are inferred, overloads, abstract methods.
#include <gtest/gtest.h>

#include <algorithm>

#include "small_program.hpp"

namespace horae::p4lang::extern_test {
namespace {

const ExternObject& object(const Program& p, std::string_view name) {
  return *std::find_if(p.externs.begin(), p.externs.end(),
                       [&](const auto& e) { return e.name == name; });
}

TEST(Externs, TypeArgumentsFollowFromTheConstructor) {
  const Program p = program_of(
      {.locals = R"(
    Register<bit<32>, bit<10>>(1024, 7) r;
    RegisterAction<_, bit<10>, bit<32>>(r) count = {
      void apply(inout bit<32> v, out bit<32> rv) { v = v + 1; rv = v; }
    };
    Hash<bit<16>>(HashAlgorithm_t.CRC16) h;)",
       .apply = "hdr.a.z = count.execute(md.n[9:0]); md.n = h.get({hdr.a.x, hdr.a.z});"});
  EXPECT_EQ(type_text(*object(p, "pipe.I.r").type), "Register<bit<32>, bit<10>>");
  EXPECT_EQ(object(p, "pipe.I.r").argument("size")->value, 1024);
  EXPECT_EQ(object(p, "pipe.I.r").argument("initial_value")->value, 7);
  const ExternObject& count = object(p, "pipe.I.count");
  EXPECT_EQ(type_text(*count.type), "RegisterAction<bit<32>, bit<10>, bit<32>>");
  EXPECT_EQ(p.externs[count.argument("reg")->index].name, "pipe.I.r");
  const Block& b = *p.block(p.pipes[0], "ingress");
  const Function& apply = b.functions[count.methods.at(0).function];
  EXPECT_EQ(apply.name, "pipe.I.count.apply");
  EXPECT_EQ(apply.kind, FunctionKind::method);
  EXPECT_EQ(b.variables[apply.parameters.at(0)].direction, Direction::inout);
  EXPECT_EQ(apply.body.size(), 2u);
  const Expr& get = b.body[1].value;
  EXPECT_EQ(get.callee, Callee::extern_method);
  EXPECT_EQ(type_text(*get.type_arguments.at(0)), "tuple<bit<8>, bit<32>>");
}

TEST(Externs, MethodsAreChosenByTheirArguments) {
  const Program p = program_of(
      {.locals = "Meter<bit<8>>(256, MeterType_t.BYTES) m; Counter<bit<32>, bit<8>>(256, "
                 "CounterType_t.PACKETS) c;",
       .apply = "md.m = m.execute(hdr.a.x, MeterColor_t.RED); md.m = m.execute(hdr.a.x, 32w4);"
                "c.count(hdr.a.x);"});
  const Block& b = *p.block(p.pipes[0], "ingress");
  EXPECT_EQ(b.body[0].value.operands[1].type->kind, TypeKind::enumeration);
  EXPECT_EQ(type_text(*b.body[1].value.operands[1].type), "bit<32>");
  EXPECT_EQ(b.body[2].value.operands.size(), 1u) << "what is left out at the end is not there";
  EXPECT_EQ(fault_in("m.execute();", "Meter<bit<8>>(256, MeterType_t.BYTES) m;"),
            "'execute': found 0 arguments, expected 2 to 3 or 1 to 2");
}

TEST(Externs, ArgumentsMayBeNamed) {
  const Program p = program_of(
      {.locals =
           "CRCPolynomial<bit<16>>(coeff = 0x1021, reversed = false, msb = false, init = 0xffff,"
           " extended = false, xor = 0) poly; Hash<bit<16>>(HashAlgorithm_t.CUSTOM, poly) h;",
       .apply = "md.n = h.get(hdr.a.x);"});
  EXPECT_EQ(object(p, "pipe.I.poly").argument("init")->value, 0xffff);
  EXPECT_EQ(fault_in("",
                     "CRCPolynomial<bit<16>>(coef = 1, reversed = false, msb = false, init = 0, "
                     "extended = false, xor = 0) p;"),
            "'CRCPolynomial' has no parameter 'coef', did you mean 'coeff'?");
}

TEST(Externs, ExternsOfOneNameDifferByTypeArguments) {
  const Program p =
      program_of({.deparser = "Checksum() a; Checksum<bit<16>>(HashAlgorithm_t.CSUM16) b;"
                              "apply { hdr.a.y = a.update({hdr.a.x, hdr.a.x}, true); hdr.a.y = "
                              "b.update({hdr.a.z}); pkt.emit(hdr); }"});
  EXPECT_EQ(type_text(*object(p, "pipe.D.a").type), "Checksum");
  EXPECT_EQ(type_text(*object(p, "pipe.D.b").type), "Checksum<bit<16>>");
}

TEST(Externs, AbstractMethodsAreChecked) {
  const std::string r =
      "Register<bit<32>, bit<8>>(8) r; RegisterAction<bit<32>, bit<8>, bit<32>>(r) a = ";
  EXPECT_EQ(fault_in("", r + "{ };"),
            "'a' needs a method 'apply', as extern 'RegisterAction' declares");
  EXPECT_EQ(fault_in("", r + "{ void aply(inout bit<32> v) { } };"),
            "extern 'RegisterAction' has no abstract method 'aply', did you mean 'apply'?");
  EXPECT_EQ(fault_in("", r + "{ void apply(in bit<32> v) { } };"),
            "parameter 'v' has another direction than extern 'RegisterAction' declares");
  EXPECT_EQ(fault_in("", r + "{ void apply(inout bit<16> v) { } };"),
            "parameter 'v' is bit<16>, which extern 'RegisterAction' does not take here");
}

TEST(Externs, InsideAMethodTheObjectsOwnAreKnown) {
  const Program p = program_of(
      {.locals = "Register<bit<32>, bit<8>>(8) r; RegisterAction<bit<32>, bit<8>, bit<32>>(r) a = {"
                 "void apply(inout bit<32> v, out bit<32> rv) { rv = this.predicate(v > 3, md.m == "
                 "1); rv = predicate(); } };",
       .apply = "hdr.a.z = a.execute(1);"});
  const Block& b = *p.block(p.pipes[0], "ingress");
  const ExternObject& a = object(p, "pipe.I.a");
  for (const Stmt& s : b.functions[a.methods[0].function].body) {
    EXPECT_EQ(s.value.callee, Callee::extern_method);
    EXPECT_EQ(p.externs[s.value.index].name, "pipe.I.a");
  }
}

TEST(Externs, ATypeThatNothingSaysIsAsked) {
  EXPECT_EQ(fault_in("md.n = h.get({hdr.a.x, 3});", "Hash<bit<16>>(HashAlgorithm_t.CRC16) h;"),
            "'get': found a number without a width in a list");
  EXPECT_EQ(fault_in("md.n = h.gte(hdr.a.x);", "Hash<bit<16>>(HashAlgorithm_t.CRC16) h;"),
            "extern 'Hash' has no method 'gte', did you mean 'get'?");
}

TEST(Externs, OutputsOfTofino2AreLvalues) {
  std::string text = whole(
      {.locals =
           "Register<bit<32>, bit<8>>(8) r; RegisterAction2<bit<32>, bit<8>, bit<32>, bit<16>>(r) "
           "a = {"
           "void apply(inout bit<32> v, out bit<32> one, out bit<16> two) { one = v; two = 3; } };",
       .apply = "hdr.a.z = a.execute(1, md.n);"});
  const Program p = compiled(text, Target::tofino2);
  const Expr& call = p.block(p.pipes[0], "ingress")->body[0].value;
  EXPECT_EQ(call.is_out, (std::vector<bool>{false, true}));
}

// Public programs that the vendor's compiler takes have actions of half their register's cells: a
// sweep of 64-bit halves of 128-bit cells (hwlearn4 of the open compiler's tests).
TEST(Externs, AnActionMayHaveOtherCellsThanItsRegister) {
  const std::string r = "Register<bit<32>, bit<8>>(256) r;";
  const std::string method = " = { void apply(inout bit<16> v) { v = v + 1; } };";
  EXPECT_EQ(fault_in("", r + "RegisterAction<bit<16>, bit<8>, bit<16>>(r) a" + method), "");
  EXPECT_EQ(fault_in("", r + "RegisterAction<_, _, bit<32>>(r) a"
                             " = { void apply(inout bit<32> v) { v = v + 1; } };"),
            "");
}

TEST(Externs, AFunctionOfTheProgramIsCalled) {
  const Program p = program_of({.declarations = "bit<8> twice(in bit<8> x) { return x + x; } T "
                                                "first<T>(in T a, in bit<8> b) { return a; }",
                                .apply = "md.m = twice(hdr.a.x) + twice(md.m); md.n = "
                                         "first(hdr.a.y, 3); md.m = first(hdr.a.x, 3);"});
  const Block& b = *p.block(p.pipes[0], "ingress");
  const Expr& sum = b.body[0].value;
  EXPECT_EQ(sum.operands[0].callee, Callee::function);
  EXPECT_EQ(sum.operands[0].index, sum.operands[1].index) << "one function a block";
  EXPECT_NE(b.body[1].value.index, b.body[2].value.index) << "one for each type";
  EXPECT_EQ(b.functions[sum.operands[0].index].body[0].kind, StmtKind::leave);
}

TEST(Externs, ATypeParameterFollowsFromThatOfAStruct) {
  const Parts parts{.declarations =
                        "struct box<T> { bit<8> w; T v; } "
                        "T unbox<T>(in box<T> b) { return b.v; }",
                    .locals = "box<bit<16>> two; box<bit<8>> one;",
                    .apply =
                        "two.v = hdr.a.y; one.v = hdr.a.x; md.n = unbox(two); "
                        "md.m = unbox(one);"};
  const Program p = program_of(parts);
  const Block& b = *p.block(p.pipes[0], "ingress");
  EXPECT_EQ(b.body[2].value.type->width, 16);
  EXPECT_EQ(b.body[3].value.type->width, 8);
  Parts narrow = parts;
  narrow.apply = "two.v = 3; md.m = unbox(two);";
  EXPECT_FALSE(faults_of(whole(narrow)).empty()) << "16 bits are not 8";
}

TEST(Externs, WhatIsDeclaredTwiceIsRefused) {
  const auto fault = [](const std::string& declarations) {
    const auto all = faults_of(whole({.declarations = declarations}));
    return all.empty() ? "" : all[0];
  };
  EXPECT_EQ(fault("header b_h { bit<8> kind; }"), "4:8: 'b_h' is declared already, at a.p4:2:8");
  EXPECT_EQ(fault("bit<8> f(in bit<8> a) { return a; } bit<8> f(in bit<8> a) { return 0; }"),
            "2:44: 'f' with these parameters is declared already, at a.p4:2:8");
  EXPECT_EQ(fault("bit<8> f(in bit<8> a) { return a; } bit<8> f(in bit<16> a) { return 0; }"), "");
  EXPECT_EQ(fault("match_kind { exact }"), "2:14: match_kind 'exact' is declared already");
  EXPECT_EQ(fault("enum e_t { A } enum e_t { B }"), "2:21: 'e_t' is declared already, at a.p4:2:6");
}

}  // namespace
}  // namespace horae::p4lang::extern_test
