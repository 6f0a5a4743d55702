// Types and constants: widths that follow from the other side, casts, folding, lvalues.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4lang::expression_test {
namespace {

TEST(Expressions, ANumberTakesTheWidthOfTheOtherSide) {
  const Expr e = value_of("bit<16>", "hdr.a.y + 1");
  EXPECT_EQ(type_text(*e.operands[1].type), "bit<16>");
  EXPECT_EQ(type_text(*value_of("bit<16>", "md.flag ? 1 : 2").type), "bit<16>");
  EXPECT_EQ(type_text(*value_of("bool", "3 < hdr.a.y").operands[0].type), "bit<16>");
  EXPECT_EQ(value_of("bit<8>", "hdr.a.x << 3").operands[1].value, 3);
  EXPECT_EQ(value_of("bit<8>", "-1").value, 255);
  EXPECT_EQ(value_of("int<8>", "-1").value, -1);
}

TEST(Expressions, ConstantsAreFolded) {
  const std::pair<const char*, int> all[] = {{"8w200 + 100", 44},
                                             {"8w200 |+| 100", 255},
                                             {"8w3 |-| 5", 0},
                                             {"8w3 - 5", 254},
                                             {"7 * 6", 42},
                                             {"45 / 7", 6},
                                             {"45 % 7", 3},
                                             {"1 << 4", 16},
                                             {"8w0x81 << 1", 2},
                                             {"8w0x81 >> 1", 64},
                                             {"~8w0x0f", 240},
                                             {"4w0xA ++ 4w0x5", 0xA5},
                                             {"(bit<8>)(int<8>)-8s1", 255},
                                             {"(bit<8>)4w9", 9},
                                             {"(bit<8>)16w0x1234", 0x34},
                                             {"16w0x1234[11:4]", 0x23},
                                             {"true ? 8w1 : 2", 1},
                                             {"(bit<8>)(bit<1>)true", 1},
                                             {"8w6 & 3 | 8w8 ^ 1", 11},
                                             {"(bit<8>)(8s0x7f |+| 1)", 127},
                                             {"(bit<8>)(-8s128 |-| 1)", 128},
                                             {"(bit<8>)(-8s8 >> 1)", 252},
                                             {"8w1 << 9", 0},
                                             {"-7 + 10", 3},
                                             {"(-6 & -4) + 10", 2},
                                             {"(-6 | 1) + 10", 5},
                                             {"(-6 ^ 3) + 10", 3}};
  for (const auto& [text, value] : all) {
    const Expr e = value_of("bit<8>", text);
    EXPECT_EQ(e.kind, ExprKind::constant) << text;
    EXPECT_EQ(e.value, value) << text;
  }
  EXPECT_EQ(value_of("bool", "8s1 > -8s1").value, 1);
  EXPECT_EQ(value_of("bool", "3 == 4 || 5 != 6").value, 1);
}

TEST(Expressions, OnlyWhatHasFieldsIsCompared) {
  EXPECT_EQ(fault_in("md.flag = hdr.a.x == {1, 2};"),
            "the operands of '==' are bit<8> and tuple<int, int>, expected equal types");
  EXPECT_EQ(fault_in("md.m = md.m.f;"), "found field 'f' of bit<8>, which has none");
}

TEST(Expressions, WidthsMustAgree) {
  EXPECT_EQ(fault_in("md.m = hdr.a.x + hdr.a.y;"),
            "the operands of '+' are bit<8> and bit<16>, expected equal types");
  EXPECT_EQ(fault_in("md.m = hdr.a.y;"), "found bit<16> as what is assigned, expected bit<8>");
  EXPECT_EQ(fault_in("if (hdr.a.x) { }"), "found bit<8> as a condition, expected bool");
  EXPECT_EQ(fault_in("md.flag = hdr.a.s == hdr.a.x;"),
            "the operands of '==' are int<8> and bit<8>, expected equal types");
  EXPECT_EQ(fault_in("md.m = (bit<8>)md.flag;"), "a cast from bool to bit<8> is not allowed");
  EXPECT_EQ(fault_in("md.n = (bit<16>)hdr.a.s;"),
            "a cast from int<8> to bit<16> is not allowed: sign and width change at once");
  EXPECT_EQ(fault_in("md.m = 8w1 / 0;"), "'/': division by zero");
  EXPECT_EQ(fault_in("md.m = 1 ++ hdr.a.x;"),
            "found '++' of int and bit<8>, expected bits of known widths");
}

TEST(Expressions, SlicesHaveTheirBounds) {
  const Expr e = value_of("bit<4>", "hdr.a.y[11:4][5:2]");  // of a slice: bits of the whole
  EXPECT_EQ(e.high, 9u);
  EXPECT_EQ(e.low, 6u);
  EXPECT_EQ(fault_in("md.m = hdr.a.x[8:1];"),
            "found slice [8:1] of bit<8>, expected 7 >= upper >= lower >= 0");
  EXPECT_EQ(fault_in("md.m[3:0] = hdr.a.x[0:3];"),
            "found slice [0:3] of bit<8>, expected 7 >= upper >= lower >= 0");
}

TEST(Expressions, NamesAreSuggested) {
  EXPECT_EQ(fault_in("md.wid = 1;"), "md_t has no field 'wid', did you mean 'wide'?");
  EXPECT_EQ(fault_in("hdrs.a.x = 1;"), "unknown name 'hdrs', did you mean 'hdr'?");
  EXPECT_EQ(fault_in("header_t v;"), "unknown type 'header_t', did you mean 'headers_t'?");
  EXPECT_EQ(fault_in("md.m = (bit<8>)HashAlgorithm_t.CRC23;").substr(0, 41),
            "'HashAlgorithm_t' has no member 'CRC23', ");
}

TEST(Expressions, WhatCannotBeWrittenIsRefused) {
  EXPECT_EQ(fault_in("im.ingress_port = 1;"), "'im' cannot be written: it is an 'in' parameter");
  EXPECT_EQ(fault_in("C = 1;", "const bit<8> C = 2;"), "'C' cannot be written: it is a constant");
  EXPECT_EQ(fault_in("hdr.stack.next.kind = 1;"), "'next' of a stack is for parsers");
  EXPECT_EQ(fault_in("hdr.stack[3].kind = 1;"), "found index 3, expected 0 to 2");
}

TEST(Expressions, EnumsOfBitsAreBits) {
  const Parts parts{
      .declarations = "enum bit<8> kind_t { NONE = 0, DATA = 7 } enum colour_t { RED, BLUE }",
      .apply =
          "md.m = kind_t.DATA; if (hdr.a.x == kind_t.DATA) { md.n = 1; } colour_t c = "
          "colour_t.BLUE;"
          "if (c == colour_t.RED) { md.n = 2; }"};
  const Program p = program_of(parts);
  const Block& b = *p.block(p.pipes[0], "ingress");
  EXPECT_EQ(b.body[0].value.value, 7);
  EXPECT_EQ(type_text(*b.body[0].value.type), "bit<8>");
  EXPECT_EQ(b.body[1].value.operands[1].value, 7);
  EXPECT_EQ(b.body[2].value.value, 1);
  EXPECT_EQ(b.body[2].value.type->kind, TypeKind::enumeration);
}

TEST(Expressions, ListsBecomeStructs) {
  const Block b = ingress_of("hdr.b = {1, md.m}; hdr.b = {length = 2, kind = 3}; hdr.b = {#};");
  EXPECT_EQ(b.body[0].value.kind, ExprKind::list);
  EXPECT_EQ(type_text(*b.body[0].value.type), "b_h");
  EXPECT_EQ(b.body[0].value.operands[0].value, 1);
  EXPECT_EQ(b.body[1].value.operands[0].value, 3) << "by name: in the order of the fields";
  EXPECT_EQ(b.body[2].value.kind, ExprKind::invalid);
  EXPECT_EQ(fault_in("hdr.b = {1};").substr(0, 5), "found");
}

TEST(Expressions, SizesAreConstants) {
  EXPECT_EQ(value_of("bit<32>", "sizeInBits(hdr.a)").value, 8 + 16 + 32 + 8 + 9 + 7);
  EXPECT_EQ(value_of("bit<32>", "sizeInBytes(hdr.a)").value, 10);
  EXPECT_EQ(value_of("bit<32>", "hdr.b.minSizeInBytes()").value, 2);
}

TEST(Expressions, AConstantThatDoesNotFitIsWarnedOf) {
  const Program p = program_of({.apply = "md.m = 256;"});
  ASSERT_EQ(p.warnings.size(), 1u);
  EXPECT_EQ(p.warnings[0].message, "256 does not fit bit<8>");
}

TEST(Expressions, ABranchOnAConstantIsChosen) {
  const Block b =
      ingress_of("if (1 == 2) { md.m = 1; } else if (true) { md.m = 2; } else { md.m = 3; }");
  ASSERT_EQ(b.body.size(), 1u);
  EXPECT_EQ(b.body[0].value.value, 2);
  EXPECT_NE(fault_in("if (false) { md.nix = 1; }"), "") << "what is left out is checked";
}

// P4-16, 8: `&` before `^` before `|`.
TEST(Expressions, EachOfTheBitwiseOperatorsHasALevel) {
  EXPECT_EQ(value_of("bit<8>", "8w1 | 8w1 ^ 8w1").value, 1);
  EXPECT_EQ(value_of("bit<8>", "8w1 ^ 8w1 & 8w0").value, 1);
  EXPECT_EQ(value_of("bit<8>", "8w2 | 8w1 & 8w1 ^ 8w1").value, 2);
}

}  // namespace
}  // namespace horae::p4lang::expression_test
