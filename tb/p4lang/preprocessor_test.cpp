// The preprocessor: directives, macros, includes. Expected tokens are those that C's rules give.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4lang::preprocessor_test {
namespace {

std::string tokens_of(const std::string& text, Files more = {}) {
  more["a.p4"] = text;
  std::string out;
  for (const auto& t : preprocessed("a.p4", memory_options(more)))
    out += (out.empty() ? "" : " ") + t;
  return out;
}

TEST(Preprocessor, MacrosAreReplaced) {
  EXPECT_EQ(tokens_of("#define N 8\nbit<N> x;"), "bit < 8 > x ;");
  EXPECT_EQ(tokens_of("#define N 8\n#undef N\nN"), "N");
  EXPECT_EQ(tokens_of("#define F(a, b) a + b * a\nF(1, (2, 3))"), "1 + ( 2 , 3 ) * 1");
  EXPECT_EQ(tokens_of("#define F(a) a\nF + F (2)"), "F + 2");
  EXPECT_EQ(tokens_of("#define F(a,b) a b\nF(1,\n\n2) x"), "1 2 x");
  EXPECT_EQ(tokens_of("#define E\nE x E"), "x");
  EXPECT_EQ(tokens_of("#define V(a, ...) f(a, ## __VA_ARGS__)\nV(1) V(1, 2, 3)"),
            "f ( 1 ) f ( 1 , 2 , 3 )");
}

TEST(Preprocessor, ANameIsNotReplacedInItsOwnExpansion) {
  EXPECT_EQ(tokens_of("#define f(x) f(x + 1)\nf(f(2))"), "f ( f ( 2 + 1 ) + 1 )");
  EXPECT_EQ(tokens_of("#define a b\n#define b a\na b"), "a b");
  EXPECT_EQ(tokens_of("#define NIL(x) x\n#define G NIL(G)\nG"), "G");
}

TEST(Preprocessor, TokensArePastedAndMadeStrings) {
  EXPECT_EQ(tokens_of("#define S(n) state parse_ ## n ## _next\nS(ip)"), "state parse_ip_next");
  EXPECT_EQ(tokens_of("#define P(a, b) a ## b\nP(x,) P(,y) P(,)z"), "x y z");
  EXPECT_EQ(tokens_of("#define N 3\n#define P(a) x ## a\nP(N)"), "xN");
  EXPECT_EQ(tokens_of("#define S(a) #a\nS(x  +  \"y\")"), R"("x + \"y\"")");
  EXPECT_EQ(tokens_of("#define P(a) a ## .b\nP(hdr)"), "hdr . b")
      << "what makes no token stays two";
}

TEST(Preprocessor, ConditionsChoose) {
  const std::string text =
      "#if __TARGET_TOFINO__ == 2\ntwo\n#elif defined(X) && X > 3\nx\n#else\none\n#endif\n";
  EXPECT_EQ(tokens_of(text), "one");
  EXPECT_EQ(tokens_of("#define X 4\n" + text), "x");
  EXPECT_EQ(tokens_of("#ifdef Q\na\n#else\nb\n#endif\n#ifndef Q\nc\n#endif"), "b c");
  EXPECT_EQ(tokens_of("#if 0\n#if 1\na\n#else\nb\n#endif\n#else\nc\n#endif"), "c");
  EXPECT_EQ(tokens_of("#if 0\n' \"\n#if nonsense (\n#endif\n#endif\nx"), "x")
      << "skipped text is no P4";
}

TEST(Preprocessor, ConditionsHaveTheValuesOfC) {
  for (const char* holds :
       {"1 + 2 * 3 == 7", "(1 + 2) * 3 == 9", "1 << 4 == 16", "-7 / 2 == -3", "-7 % 2 == -1",
        "!0 && !undefined", "1 ? 2 : 0", "0x1F == 31", "010 == 8", "~0 == -1", "1 || 1 / 0",
        "5 > 4 > 0", "3 & 2 ^ 1 | 8", "9 >> 1 == 4", "0b101 == 5"})
    EXPECT_EQ(tokens_of(std::string("#if ") + holds + "\nyes\n#endif"), "yes") << holds;
  EXPECT_EQ(tokens_of("#if 1 + 2 * 3 == 9\nyes\n#endif"), "");
}

TEST(Preprocessor, LinesAreJoined) {
  EXPECT_EQ(tokens_of("#define A 1 \\\n + 2\nA"), "1 + 2");
  EXPECT_EQ(tokens_of("#define A 1 \\  \n + 2\nA"), "1 + 2") << "blanks behind the backslash";
  EXPECT_EQ(tokens_of("ab\\\ncd // x \\\n y\nz"), "abcd z");
  EXPECT_EQ(tokens_of("a /* b\n c */ d\r\ne"), "a d e");
}

TEST(Preprocessor, IncludesAreFoundBesideThenInFoldersThenShipped) {
  auto options = memory_options({{"d/a.p4", "#include \"x.h\"\n#include <y.h>\n#include <core.p4>"},
                                 {"d/x.h", "beside"},
                                 {"i/x.h", "no"},
                                 {"i/y.h", "folder"},
                                 {"i/core.p4", "own"}});
  options.include_folders = {"i"};
  EXPECT_EQ(preprocessed("d/a.p4", options), (std::vector<std::string>{"beside", "folder", "own"}));
}

TEST(Preprocessor, AMacroHasThePlaceOfItsUse) {
  const auto all = faults_of("#define LATE bit<8> = ;\n\n  LATE\n");
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].substr(0, 4), "3:3:");
}

TEST(Preprocessor, FaultsSayWhatWasExpected) {
  EXPECT_EQ(faults_of("#include <nix.p4>"),
            (std::vector<std::string>{
                "1:10: #include: there is no file 'nix.p4' in the include folders (-I)"}));
  EXPECT_EQ(
      faults_of("x\n#if 1\n"),
      (std::vector<std::string>{"2:2: found a condition without its end, expected '#endif'"}));
  EXPECT_EQ(faults_of("#endif"),
            (std::vector<std::string>{"1:2: found '#endif' without a condition before it"}));
  EXPECT_EQ(faults_of("#error too old"), (std::vector<std::string>{"1:2: #error too old"}));
  EXPECT_EQ(faults_of("#define F(a) a\nF(1, 2)").at(0),
            "2:1: macro 'F': found 2 arguments, expected 1");
  EXPECT_EQ(faults_of("a /* b").at(0), "1:3: found a comment without its end, expected '*/'");
  EXPECT_EQ(faults_of("#if 1 +\n#endif").at(0),
            "1:2: condition: found the end of the line, expected a number");
  EXPECT_EQ(faults_of("#if 1x\n#endif").at(0), "1:5: condition: found '1x', expected a number");
  EXPECT_EQ(faults_of("#if 18446744073709551616\n#endif").at(0),
            "1:5: condition: found '18446744073709551616', expected a number");
}

TEST(Preprocessor, WhatGrowsWithoutEndIsRefused) {
  std::string text = "#define a0 x x x x x x x x\n";
  for (int i = 1; i < 12; ++i)
    text += fmt::format("#define a{0} a{1} a{1} a{1} a{1} a{1} a{1} a{1} a{1}\n", i, i - 1);
  EXPECT_NE(faults_of(text + "a11").at(0).find("macros expand to more than"), std::string::npos);
  EXPECT_NE(faults_of("#include \"a.p4\"").at(0).find("includes are nested"), std::string::npos);
}

}  // namespace
}  // namespace horae::p4lang::preprocessor_test
