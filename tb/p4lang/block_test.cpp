// Elaboration from `main`: names, sub-controls in place of their calls, actions, packages.
#include <gtest/gtest.h>

#include "small_program.hpp"

namespace horae::p4lang::block_test {
namespace {

/// "I.variable.field" of an lvalue.
std::string path(const Block& b, const Expr& e) {
  if (e.kind == ExprKind::variable) return b.variables[e.index].name;
  if (e.kind == ExprKind::field)
    return path(b, e.operands[0]) + "." + e.operands[0].type->fields[e.index].name;
  return "?";
}

TEST(Blocks, APipeHasItsPartsByRole) {
  const Program p = program_of({});
  EXPECT_EQ(p.architecture, "tna");
  EXPECT_EQ(p.package, "Switch");
  ASSERT_EQ(p.pipes.size(), 1u);
  EXPECT_EQ(p.pipes[0].name, "pipe");
  EXPECT_EQ(p.block(p.pipes[0], "egress_parser")->name, "pipe.EP");
  const Block& i = *p.block(p.pipes[0], "ingress");
  EXPECT_EQ(i.parameters, 6u);
  EXPECT_EQ(i.variables[0].role, "hdr");
  EXPECT_EQ(i.variables[2].name, "im");
  EXPECT_EQ(i.variables[2].role, "ig_intr_md");
  EXPECT_EQ(i.variables[5].role, "ig_intr_md_for_tm");
  EXPECT_EQ(p.block(p.pipes[0], "ingress_deparser")->variables[2].role, "ig_intr_md_for_dprsr");
}

TEST(Blocks, ASubControlStandsInPlaceOfItsCall) {
  const Parts parts{.declarations = "struct pair_t { bit<8> a; bit<8> b; }\n",
                    .locals = "Sub(5) one; @name(\"other\") Sub(6) two;",
                    .apply = "one.apply(md.m, hdr.a.x); two.apply(hdr.a.x, md.m);"};
  std::string text = whole(parts);
  text.insert(text.find("control I("),
              "control Sub(inout bit<8> v, in bit<8> w)(bit<8> n) {"
              "action add() { v = v + n; } table t { actions = { add; } default_action = add; }"
              "apply { if (w == n) { return; } t.apply(); } }\n");
  const Program p = compiled(text);
  const Block& b = *p.block(p.pipes[0], "ingress");
  ASSERT_EQ(b.body.size(), 2u);
  EXPECT_EQ(b.body[0].kind, StmtKind::inlined);
  EXPECT_EQ(b.body[0].name, "pipe.I.one");
  EXPECT_EQ(b.body[0].body[0].body[0].kind, StmtKind::leave);
  ASSERT_EQ(b.tables.size(), 2u);
  EXPECT_EQ(b.tables[0].name, "pipe.I.one.t");
  EXPECT_EQ(b.tables[1].name, "pipe.I.other.t");
  const Function& add = b.functions[b.tables[1].actions[0].function];
  EXPECT_EQ(add.name, "pipe.I.other.add");
  EXPECT_EQ(path(b, add.body[0].target), "hdr.a.x") << "a parameter stands for its argument";
  EXPECT_EQ(add.body[0].value.operands[1].value, 6) << "the constructor's argument is a constant";
}

TEST(Blocks, ArgumentsThatOverlapAreCopied) {
  std::string text = whole({.locals = "Sub() s;", .apply = "s.apply(md, md.m);"});
  text.insert(text.find("control I("),
              "control Sub(inout md_t d, in bit<8> w) { apply { d.m = 3; d.n[7:0] = w; } }\n");
  const Program p = compiled(text);
  const Block& b = *p.block(p.pipes[0], "ingress");
  ASSERT_EQ(b.body.size(), 4u) << "both are copied in, and the written one out";
  EXPECT_EQ(path(b, b.body[0].target), "s.d");
  EXPECT_EQ(path(b, b.body[1].target), "s.w");
  EXPECT_EQ(path(b, b.body[1].value), "md.m");
  EXPECT_EQ(b.body[2].kind, StmtKind::inlined);
  EXPECT_EQ(path(b, b.body[2].body[1].value), "s.w");
  EXPECT_EQ(path(b, b.body[3].target), "md");
}

TEST(Blocks, AnInstanceThatIsAppliedTwiceIsOne) {
  std::string text = whole({.locals = "Sub() s;", .apply = "s.apply(md.m); s.apply(hdr.a.x);"});
  text.insert(text.find("control I("),
              "control Sub(inout bit<8> v) { action a() { v = 1; } table t { actions = { a; } } "
              "apply { t.apply(); } }\n");
  const Program p = compiled(text);
  const Block& b = *p.block(p.pipes[0], "ingress");
  EXPECT_EQ(b.tables.size(), 1u);
  ASSERT_EQ(b.body.size(), 6u);
  EXPECT_EQ(path(b, b.body[0].target), path(b, b.body[3].target));
  EXPECT_EQ(path(b, b.body[5].target), "hdr.a.x");
}

TEST(Blocks, AControlMayBeGivenToAConstructor) {
  std::string text = whole({.locals = "Sub(4) s; User(s) one; User(s) two;",
                            .apply = "one.apply(md.m); two.apply(hdr.a.x);"});
  text.insert(text.find("control I("),
              "control Sub(inout bit<8> v)(bit<8> n) { action a() { v = n; } table t { actions = { "
              "a; } } apply { t.apply(); } }\n"
              "control User(inout bit<8> v)(Sub sub) { apply { sub.apply(v); } }\n");
  const Program p = compiled(text);
  const Block& b = *p.block(p.pipes[0], "ingress");
  ASSERT_EQ(b.tables.size(), 1u) << "one instance, whoever applies it";
  EXPECT_EQ(b.tables[0].name, "pipe.I.s.t");
  EXPECT_EQ(path(b, b.body[0].body[0].target), "s.v");
  EXPECT_EQ(b.body[1].body[1].name, "pipe.I.s");
  text.replace(text.find("User(s) two"), 11, "User(3) two");
  EXPECT_NE(faults_of(text).at(0).find("expected an instance of 'Sub'"), std::string::npos);
}

TEST(Blocks, AnOutParameterBeginsWithInvalidHeaders) {
  std::string text = whole({.locals = "Sub() s;", .apply = "s.apply(hdr.a, md.m);"});
  text.insert(text.find("control I("),
              "control Sub(out a_h a, out bit<8> v) { apply { v = 1; } }\n");
  const Program p = compiled(text);
  const Block& b = *p.block(p.pipes[0], "ingress");
  EXPECT_EQ(b.body[0].kind, StmtKind::reset);
  EXPECT_EQ(path(b, b.body[0].target), "hdr.a");
}

TEST(Blocks, GenericControlsTakeTheTypesOfTheirArguments) {
  std::string text = whole(
      {.locals = "Sub() s; Sub() u;", .apply = "s.apply(md.m); u.apply(md.n); Plain.apply(md.m);"});
  text.insert(text.find("control I("),
              "control Sub<T>(inout T v) { apply { T w = v; v = w; } }\ncontrol Plain(inout bit<8> "
              "v) { apply { v = 1; } }\n");
  const Program p = compiled(text);
  const Block& b = *p.block(p.pipes[0], "ingress");
  EXPECT_EQ(type_text(*b.body[0].body[0].target.type), "bit<8>");
  EXPECT_EQ(type_text(*b.body[1].body[0].target.type), "bit<16>");
  EXPECT_EQ(b.body[2].name, "pipe.I.Plain");
}

TEST(Blocks, ActionsHaveDataAndArguments) {
  const Block b = ingress_of("set(md.m, 3); set(hdr.a.x, md.m);",
                             "action set(out bit<8> to, bit<8> v) { to = v; }");
  const Function& set = b.functions[b.body[0].value.index];
  EXPECT_EQ(set.name, "pipe.I.set");
  EXPECT_EQ(b.variables[set.parameters[1]].direction, Direction::none);
  EXPECT_EQ(b.body[0].value.is_out, (std::vector<bool>{true, false}));
  EXPECT_EQ(fault_in("set(md.m);", "action set(out bit<8> to, bit<8> v) { to = v; }"),
            "'pipe.I.set': found 1 arguments, expected 2");
  EXPECT_EQ(fault_in("", "action a() { t.apply(); }").substr(0, 7), "unknown");
}

TEST(Blocks, ARecursionIsRefused) {
  std::string text = whole({.locals = "Sub() s;", .apply = "s.apply();"});
  text.insert(text.find("control I("), "control Sub() { apply { Sub.apply(); } }\n");
  EXPECT_NE(faults_of(text).at(0).find("nested more than"), std::string::npos);
}

TEST(Blocks, InliningWithoutEndIsRefused) {
  std::string subs = "control C0(inout bit<8> v) { apply { v = v + 1; } }\n";
  for (int i = 1; i < 30; ++i)
    subs +=
        fmt::format("control C{}(inout bit<8> v) {{ apply {{ C{}.apply(v); C{}.apply(v); }} }}\n",
                    i, i - 1, i - 1);
  std::string text = whole({.apply = "C29.apply(md.m);"});
  text.insert(text.find("control I("), subs);
  EXPECT_NE(faults_of(text).at(0).find("with all that is inlined the program has more than"),
            std::string::npos);
}

TEST(Blocks, APartOfAnotherKindIsRefused) {
  std::string text = whole({});
  text.replace(text.find("Pipeline(P(), I()"), 17, "Pipeline(I(), I()");
  EXPECT_NE(faults_of(text).at(0).find("found control 'I', expected a IngressParserT"),
            std::string::npos);
  text = whole({});
  text.replace(text.find("in md_t md,\n"), 5, "in none2 ");
  EXPECT_FALSE(faults_of(text).empty());
}

TEST(Blocks, ParametersOfThePartsAgree) {
  std::string text = whole({.declarations = "struct other_t { bit<8> q; }"});
  const std::size_t at = text.find("inout headers_t hdr, inout md_t md, in ingress");
  text.replace(at, 15, "inout other_t  ");
  bool found = false;
  for (const auto& f : faults_of(text))
    found = found ||
            f.find("parameter 'hdr' of 'I' is other_t, expected headers_t") != std::string::npos;
  EXPECT_TRUE(found);
}

TEST(Blocks, UnusedControlsAreCheckedAndDropped) {
  std::string text = whole({});
  text.insert(text.find("control I("), "control Unused(inout bit<8> v) { apply { v = nix; } }\n");
  EXPECT_NE(faults_of(text).at(0).find("unknown name 'nix'"), std::string::npos);
}

// A variable that may be valid or not begins as not valid; other variables need nothing.
TEST(Blocks, AVariableWithAHeaderBeginsAsNotValid) {
  const auto statements = [](const std::string& apply) {
    const Program program = program_of(
        {.declarations = "header p_h { bit<8> x; } header_union u_t { p_h a; p_h b; } struct s_t { "
                         "bit<8> n; p_h[2] of; }",
         .apply = apply});
    return program.block(program.pipes.at(0), "ingress")->body.size();
  };
  EXPECT_EQ(statements("bit<8> v; md_t m;"), 0u);
  EXPECT_EQ(statements("p_h v;"), 1u);
  EXPECT_EQ(statements("u_t v;"), 1u);
  EXPECT_EQ(statements("s_t v;"), 1u);
}

TEST(Blocks, AFaultOfATypeHasItsPlace) {
  EXPECT_EQ(faults_of(whole({.locals = "a_h<bit<8>> q;"})),
            std::vector<std::string>{"15:3: type 'a_h' takes no type arguments"});
}

}  // namespace
}  // namespace horae::p4lang::block_test
