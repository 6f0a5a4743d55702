// The grammar of P4: every kind of declaration, statement and expression is read.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4lang::reader_test {
namespace {

/// Text that only has to be read: what is missing then is `main`.
void expect_read(const std::string& text) {
  const auto all = faults_of(text);
  ASSERT_EQ(all.size(), 1u) << text << "\n" << (all.empty() ? "" : all[0]);
  EXPECT_EQ(all[0], "0:0: the program has no package 'main'") << text;
}

TEST(Reader, EveryDeclarationIsRead) {
  for (const char* text : {"const bit<8> c = 3;",
                           "typedef bit<8> t;",
                           "typedef bit<2 + 2> t;",
                           "const int w = 4; typedef bit<(w * 2)> t;",
                           "type bit<9> port_t;",
                           "struct s { bit<8> a; int<4> b; }",
                           "header h { bit<8> a; varbit<32> v; }",
                           "header a_h {} header b_h {} header_union u { a_h a; b_h b; }",
                           "enum e { A, B, C }",
                           "enum bit<4> f { A = 1, B = 2, }",
                           "error { Mine, Yours }",
                           "match_kind { fuzzy }",
                           "extern x { x(); void f<T>(in T a, @optional out bit<8> b); abstract "
                           "void g(in bit<8> a); }",
                           "extern bit<8> f<T>(in T a, out bit<8> b, inout bit<8> c);",
                           "action a(in bit<8> x, bit<4> y) { }",
                           "parser p<H>(out H h);",
                           "control c<H>(inout H h);",
                           "package k<H>(bit<8> x, @optional bit<8> y);",
                           "bit<8> twice(in bit<8> x) { return x + x; }",
                           "struct s<T> { T a; tuple<T, bit<8>> b; }",
                           "@name(\"x\") @hidden const bit<8> c = 1;",
                           "@pragma stage 3\nconst bit<8> c = 1;",
                           ";",
                           "control c(in bit<8> x)(bit<8> n) { apply { } }",
                           "@pragma at the end"})
    expect_read(text);
}

TEST(Reader, EveryStatementIsRead) {
  const Block block = ingress_of(
      "hdr.a.x = 1; ; hdr.a.x += 2; hdr.a.y[3:0] = 4; { bit<8> v = 3; const bit<8> c = 2; hdr.a.x "
      "= v + c; }"
      "if (md.flag) hdr.a.x = 2; else if (hdr.a.isValid()) { hdr.a.setInvalid(); } else { exit; }"
      "act(); t.apply(); switch (hdr.a.x) { 1: 2: { md.m = 1; } default: { return; } }"
      "switch (t.apply().action_run) { act: { md.m = 2; } default: { } } return;",
      "action act() { md.n = 4; } table t { key = { hdr.a.x : exact; } actions = { act; } }");
  std::vector<StmtKind> kinds;
  for (const Stmt& s : block.body) kinds.push_back(s.kind);
  EXPECT_EQ(kinds, (std::vector<StmtKind>{StmtKind::assign, StmtKind::assign, StmtKind::assign,
                                          StmtKind::assign, StmtKind::assign, StmtKind::branch,
                                          StmtKind::call, StmtKind::call, StmtKind::by_value,
                                          StmtKind::by_action, StmtKind::leave}));
  const Stmt& branch = block.body[5];
  EXPECT_EQ(branch.otherwise.at(0).body.at(0).value.callee, Callee::set_invalid);
  EXPECT_EQ(branch.otherwise.at(0).otherwise.at(0).kind, StmtKind::exit);
  ASSERT_EQ(block.body[8].cases.size(), 2u);
  EXPECT_EQ(block.body[8].cases[0].values, (std::vector<Integer>{1, 2}))
      << "a label falls through to the next";
  EXPECT_TRUE(block.body[8].cases[1].values.empty());
  EXPECT_EQ(block.body[9].cases[0].actions, (std::vector<std::uint32_t>{0}));
}

TEST(Reader, CastsAndTypeArgumentsAreTold) {
  EXPECT_EQ(value_of("bit<8>", "(bit<8>)hdr.a.x - 1").kind, ExprKind::binary);
  EXPECT_EQ(value_of("bit<8>", "(hdr.a.x) - 1").kind, ExprKind::binary);
  EXPECT_EQ(value_of("bit<16>", "(bit<16>)-hdr.a.x").kind, ExprKind::cast);
  EXPECT_EQ(value_of("bool", "hdr.a.x < 3 && md.m > (4)").op, Op::logical_and);
  EXPECT_EQ(value_of("bit<8>", "max<bit<8>>(hdr.a.x, 3)").callee, Callee::extern_function);
  EXPECT_EQ(value_of("bit<8>", "hdr.a.x >> 2").op, Op::shift_right);
}

TEST(Reader, OperatorsBindAsInP4) {
  const Expr e = value_of("bool", "hdr.a.x & 3 == 2");  // P4-16: & is tighter than ==
  EXPECT_EQ(e.op, Op::equal);
  EXPECT_EQ(e.operands[0].op, Op::bit_and);
  EXPECT_EQ(value_of("bit<8>", "hdr.a.x + md.m << 1").op, Op::shift_left);
  EXPECT_EQ(value_of("bit<8>", "hdr.a.x - md.m - 1").operands[0].op, Op::subtract);
  EXPECT_EQ(value_of("bit<8>", "md.flag ? hdr.a.x : md.flag ? 1 : md.m").operands[2].kind,
            ExprKind::choice);
  EXPECT_EQ(value_of("bit<8>", "hdr.a.x |+| md.m").op, Op::saturating_add);
}

TEST(Reader, NumbersHaveTheirForms) {
  EXPECT_EQ(value_of("bit<16>", "0x1_F").value, 31);
  EXPECT_EQ(value_of("bit<16>", "16w0b101").value, 5);
  EXPECT_EQ(value_of("bit<16>", "0o17").value, 15);
  EXPECT_EQ(value_of("int<8>", "-8s3").value, -3);
  EXPECT_EQ(value_of("bit<128>", "0xffffffffffffffffffffffffffffffff").value,
            (Integer(1) << 128) - 1);
}

TEST(Reader, SeveralFaultsAreReportedWithTheirPlaces) {
  const auto all = faults_of(
      "const bit<8> = 1;\nstruct s { bit<8> }\nconst bit<8> good = 1;\nheader h { bit<8> x }\n");
  EXPECT_EQ(all, (std::vector<std::string>{"1:14: found '=', expected the name of a constant",
                                           "2:19: found '}', expected the name of a field",
                                           "4:21: found '}', expected ';'"}));
}

TEST(Reader, AFaultInAStatementHidesNoOther) {
  const auto all = faults_of(whole({.apply = "hdr.a.x = ;\nmd.m = 1;\nmd.n 3;\n"}));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0].find("found ';', expected an expression"), std::string::npos);
  EXPECT_NE(all[1].find("found '3', expected '=' or a call"), std::string::npos);
}

TEST(Reader, WhatIsNotSupportedIsNamed) {
  EXPECT_EQ(fault_in("for (bit<8> i in 0..3) { }"), "'for' is not supported");
  EXPECT_EQ(faults_of("bit<8> x = 3;").at(0),
            "1:8: a variable of the whole program is not supported");
}

TEST(Reader, DeepNestingIsRefused) {
  const std::string open(3000, '(');
  EXPECT_NE(fault_in("md.m = " + open + "1;").find("levels in each other"), std::string::npos);
  EXPECT_NE(fault_in(std::string(3000, '{')).find("levels in each other"), std::string::npos);
  std::string sum = "md.m";
  for (int i = 0; i < 5000; ++i) sum += " + md.m";
  EXPECT_NE(fault_in("md.m = " + sum + ";").find("in each other"), std::string::npos);
  std::string type = "bit<8>";
  for (int i = 0; i < 1000; ++i) type = "tuple<" + type + ">";
  EXPECT_FALSE(faults_of("typedef " + type + " t;").empty());
}

}  // namespace
}  // namespace horae::p4lang::reader_test
