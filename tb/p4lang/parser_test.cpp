// Parsers: states, transitions, sub-parsers in place of their calls; deparsers.
#include <gtest/gtest.h>

#include <algorithm>

#include "small_program.hpp"

namespace horae::p4lang::parser_test {
namespace {

Program parsed(const std::string& states, const std::string& locals = {},
               const std::string& before = {}) {
  std::string text = whole({.states = states, .parser_locals = locals});
  text.insert(text.find("parser P("), before);
  return compiled(text);
}

const Block& parser_of(const Program& p) { return *p.block(p.pipes[0], "ingress_parser"); }

const State& state(const Block& b, std::string_view name) {
  return *std::find_if(b.states.begin(), b.states.end(),
                       [&](const State& s) { return s.name == name; });
}

std::string fault_of(const std::string& states, const std::string& locals = {}) {
  const auto all = faults_of(whole({.states = states, .parser_locals = locals}));
  return all.empty() ? "" : all[0].substr(all[0].find(": ") + 2);
}

TEST(Parsers, StatesGoOnByTheirSets) {
  const Program p = parsed(R"(
    state more { pkt.extract(hdr.stack.next); transition select(hdr.stack.last.kind, pkt.lookahead<bit<8>>()) {
      {0, _} : accept; (1 .. 3, 4 &&& 12) : more; default : reject; } }
    state start { pkt.advance(PORT_METADATA_SIZE); pkt.extract(hdr.a); transition select(hdr.a.x) { 1 : more; vs : accept; _ : last; } }
    state last { verify(hdr.a.y == 3, error.NoMatch); })",
                           "value_set<bit<8>>(4) vs;");
  const Block& b = parser_of(p);
  EXPECT_EQ(b.states[0].name, "start") << "wherever it is written";
  const State& start = b.states[0];
  EXPECT_EQ(start.statements[0].value.callee, Callee::advance);
  EXPECT_EQ(start.statements[0].value.operands[0].value, 64);
  EXPECT_EQ(start.statements[1].value.callee, Callee::extract);
  ASSERT_EQ(start.cases.size(), 3u);
  EXPECT_EQ(b.states[start.cases[0].next].name, "more");
  EXPECT_EQ(start.cases[1].keys[0].kind, SetKind::value_set);
  EXPECT_EQ(start.cases[2].keys[0].kind, SetKind::any);
  const State& more = state(b, "more");
  EXPECT_EQ(more.statements[0].value.operands[0].kind, ExprKind::next);
  EXPECT_EQ(more.select[1].callee, Callee::lookahead);
  EXPECT_EQ(type_text(*more.select[1].type), "bit<8>");
  EXPECT_EQ(more.cases[0].next, accept_state);
  EXPECT_EQ(more.cases[1].keys[0].kind, SetKind::range);
  EXPECT_EQ(more.cases[1].keys[1].other, 12);
  EXPECT_EQ(more.cases[2].keys.size(), 2u);
  const State& last = state(b, "last");
  EXPECT_EQ(last.statements[0].value.callee, Callee::verify);
  EXPECT_EQ(last.cases.at(0).next, reject_state) << "without a transition";
}

TEST(Parsers, ASubParserStandsInPlaceOfItsCall) {
  const Program p = parsed(
      "state start { md.m = 1; sub.apply(pkt, hdr, im); md.m = 2; transition select(md.m) { 2 : "
      "accept; default : reject; } }",
      "Sub() sub;",
      "parser Sub(packet_in pkt, inout headers_t h, out ingress_intrinsic_metadata_t meta) {"
      "state start { pkt.extract(meta); transition next; } state next { pkt.extract(h.a); "
      "transition accept; } }\n");
  const Block& b = parser_of(p);
  const State& start = b.states[0];
  EXPECT_TRUE(start.select.empty());
  EXPECT_EQ(b.states[start.cases.at(0).next].name, "sub.start");
  EXPECT_EQ(start.statements.back().kind, StmtKind::reset) << "the headers of an out parameter";
  const State& next = state(b, "sub.next");
  EXPECT_EQ(b.states[next.cases.at(0).next].name, "start.2");
  const State& rest = state(b, "start.2");
  EXPECT_EQ(rest.statements.at(0).value.value, 2);
  EXPECT_EQ(rest.cases.size(), 2u);
}

TEST(Parsers, LocalsAreSetBeforeTheStart) {
  const Program p = parsed("state start { transition accept; }", "bit<8> count = 4;");
  EXPECT_EQ(parser_of(p).prologue.at(0).value.value, 4);
}

TEST(Parsers, HeadersOfADeparserAreTakenApart) {
  const Program p = program_of({.deparser = "apply { pkt.emit(hdr.b); pkt.emit(hdr); }"});
  const Block& b = *p.block(p.pipes[0], "ingress_deparser");
  ASSERT_EQ(b.body.size(), 6u) << "b; a, b and the stack's three";
  for (const Stmt& s : b.body) {
    EXPECT_EQ(s.value.callee, Callee::emit);
    EXPECT_EQ(s.value.operands[0].type->kind, TypeKind::header);
  }
  EXPECT_EQ(b.body[5].value.operands[0].operands[1].value, 2);
}

TEST(Parsers, VarbitsAreExtractedWithTheirSize) {
  const std::string h = "header v_h { bit<8> n; varbit<64> options; } ";
  std::string text = whole(
      {.declarations = h,
       .states = "state start { v_h v; pkt.extract(v, (bit<32>)hdr.a.x); transition accept; }"});
  const Program p = compiled(text);
  EXPECT_EQ(parser_of(p).states[0].statements[1].value.operands.size(), 2u);
  text = whole(
      {.declarations = h, .states = "state start { v_h v; pkt.extract(v); transition accept; }"});
  EXPECT_NE(faults_of(text).at(0).find("extract of a header with a varbit takes its size as well"),
            std::string::npos);
}

TEST(Parsers, FaultsSayWhatWasExpected) {
  EXPECT_EQ(fault_of("state begin { transition accept; }"), "parser 'P' has no state 'start'");
  EXPECT_EQ(fault_of("state start { transition parse_id; } state parse_ip { transition accept; }"),
            "unknown state 'parse_id', did you mean 'parse_ip'?");
  EXPECT_EQ(fault_of("state start { pkt.extract(md.m); transition accept; }"),
            "found extract of bit<8>, expected a header");
  EXPECT_EQ(fault_of("state start { pkt.extrct(hdr.a); transition accept; }"),
            "'packet_in' has no method 'extrct', did you mean 'extract'?");
  EXPECT_EQ(fault_of("state start { transition select(hdr.a.x, hdr.a.y) { 1 : accept; } }"),
            "found 1 sets of values, expected 2");
  EXPECT_EQ(fault_of("state start { md.m = pkt.lookahead(); transition accept; } "), "");
  EXPECT_EQ(fault_of("state start { transition accept; } state start { transition accept; }"),
            "parser 'P' has a state 'start' already");
}

}  // namespace
}  // namespace horae::p4lang::parser_test
