// The reader: statements.
#include <fmt/format.h>

#include "reader.hpp"

namespace horae::p4lang {

using tree::StmtForm;

namespace {

/// The operator of a compound assignment, or none.
Op compound(const Token& token) {
  if (token.kind != TokenKind::sign) return Op::none;
  if (token.text == "+=") return Op::add;
  if (token.text == "-=") return Op::subtract;
  if (token.text == "*=") return Op::multiply;
  if (token.text == "/=") return Op::divide;
  if (token.text == "%=") return Op::modulo;
  if (token.text == "&=") return Op::bit_and;
  if (token.text == "|=") return Op::bit_or;
  if (token.text == "^=") return Op::bit_xor;
  if (token.text == "<<=") return Op::shift_left;
  return Op::none;
}

}  // namespace

tree::Stmt* Reader::make(StmtForm form, const Place& place) {
  tree_.stmts.emplace_back();
  tree_.stmts.back().form = form;
  tree_.stmts.back().place = place;
  return &tree_.stmts.back();
}

const tree::Stmt* Reader::statement() {
  const Depth depth(*this);
  Annotations before = annotations();
  const Place place = peek().place;
  if (ahead("{")) return block_statement();
  if (accept(";")) return make(StmtForm::empty, place);
  if (ahead("if")) return branch();
  if (ahead("switch")) return switch_statement();
  if (accept("exit")) {
    expect(";");
    return make(StmtForm::exit, place);
  }
  if (accept("return")) {
    Stmt* out = make(StmtForm::return_, place);
    if (!ahead(";")) out->a = expression();
    expect(";");
    return out;
  }
  for (const char* word : {"for", "while", "break", "continue", "foreach", "goto"}) {
    if (ahead(word)) report_.refuse(place, fmt::format("'{}' is not supported", word));
  }
  if (ahead("const")) return declared(constant(std::move(before)), place);
  if (starts_declaration()) return declared(typed(std::move(before), true), place);
  return expression_statement();
}

const tree::Stmt* Reader::declared(const Decl* decl, const Place& place) {
  Stmt* out = make(StmtForm::declare, place);
  out->declared = decl;
  return out;
}

/// A type begins a declaration, but for `C.apply()` and `C<T>.apply()`; so do two names.
bool Reader::starts_declaration() const {
  if (starts_type()) {
    if (!ahead("<", 1)) return true;
    std::size_t end = 1;
    for (int open = 0; peek(end).kind != TokenKind::end; ++end) {
      if (ahead("<", end)) ++open;
      if (ahead(">", end) && --open == 0) break;
      if (ahead(";", end)) break;
    }
    return !ahead(".", end + 1);
  }
  return is_name(peek()) && is_name(peek(1)) && !peek(1).first;
}

const tree::Stmt* Reader::block_statement() {
  const Depth depth(*this);
  Stmt* out = make(StmtForm::block, peek().place);
  annotations();
  expect("{");
  const Scope scope(*this);
  while (!accept("}")) {
    const std::size_t from = at_;
    const std::size_t scopes = scopes_.size();
    const std::uint32_t depth_before = depth_;
    try {
      out->body.push_back(statement());
    } catch (const Skip&) {
      scopes_.resize(scopes);
      depth_ = depth_before;
      skip_to(from, true);
      if (peek().kind == TokenKind::end) throw;
    }
  }
  return out;
}

const tree::Stmt* Reader::branch() {
  Stmt* out = make(StmtForm::branch, take().place);
  expect("(");
  out->a = expression();
  expect(")");
  out->yes = statement();
  if (accept("else")) out->no = statement();
  return out;
}

const tree::Stmt* Reader::switch_statement() {
  Stmt* out = make(StmtForm::switch_, take().place);
  expect("(");
  out->a = expression();
  expect(")");
  expect("{");
  while (!accept("}")) {
    tree::SwitchCase one;
    annotations();
    one.place = peek().place;
    if (ahead("(")) {
      take();
      do one.labels.push_back(expression());
      while (accept(","));
      expect(")");
    } else {
      one.labels.push_back(expression());
    }
    expect(":");
    one.has_body = ahead("{");
    if (one.has_body) one.body = block_statement();
    out->cases.push_back(std::move(one));
  }
  return out;
}

const tree::Stmt* Reader::expression_statement() {
  const Place place = peek().place;
  const Expr* left = postfix();
  if (left->form == tree::Form::call && accept(";")) {
    Stmt* out = make(StmtForm::call, place);
    out->a = left;
    return out;
  }
  Op op = compound(peek());
  if (op != Op::none) {
    take();
  } else if (ahead(">") && ahead(">=", 1)) {
    take();
    take();
    op = Op::shift_right;
  } else if (!accept("=")) {
    refuse(left->form == tree::Form::call ? "';'" : "'=' or a call");
  }
  Stmt* out = make(StmtForm::assign, place);
  out->op = op;
  out->a = left;
  out->b = expression();
  expect(";");
  return out;
}

}  // namespace horae::p4lang
