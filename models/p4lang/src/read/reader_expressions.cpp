// The reader: types and expressions.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reader.hpp"
#include "text/number_text.hpp"

namespace horae::p4lang {
namespace {

using tree::Form;
using tree::TypeForm;

struct Operator {
  std::string_view text;
  Op op;
  int level;  ///< tighter operators have higher ones
};

/// P4-16, 8: `&` binds tighter than comparisons, unlike C's.
constexpr std::array<Operator, 19> operators = {{{"||", Op::logical_or, 1},
                                                 {"&&", Op::logical_and, 2},
                                                 {"==", Op::equal, 3},
                                                 {"!=", Op::not_equal, 3},
                                                 {"<", Op::less, 4},
                                                 {">", Op::greater, 4},
                                                 {"<=", Op::less_equal, 4},
                                                 {">=", Op::greater_equal, 4},
                                                 {"|", Op::bit_or, 5},
                                                 {"^", Op::bit_xor, 6},
                                                 {"&", Op::bit_and, 7},
                                                 {"<<", Op::shift_left, 8},
                                                 {"++", Op::concatenate, 9},
                                                 {"+", Op::add, 9},
                                                 {"-", Op::subtract, 9},
                                                 {"|+|", Op::saturating_add, 9},
                                                 {"|-|", Op::saturating_subtract, 9},
                                                 {"*", Op::multiply, 10},
                                                 {"/", Op::divide, 10}}};
constexpr Operator modulo = {"%", Op::modulo, 10};
constexpr Operator shift_right = {">>", Op::shift_right, 8};

}  // namespace

tree::Type* Reader::make_type(TypeForm form, const Place& place) {
  tree_.types.emplace_back();
  tree_.types.back().form = form;
  tree_.types.back().place = place;
  return &tree_.types.back();
}

tree::Expr* Reader::make(Form form, const Place& place, const Expr* a, const Expr* b,
                         const Expr* c) {
  tree_.exprs.emplace_back();
  Expr& e = tree_.exprs.back();
  e.form = form;
  e.place = place;
  e.a = a;
  e.b = b;
  e.c = c;
  for (const Expr* part : {a, b, c}) {
    if (part != nullptr) e.depth = std::max(e.depth, part->depth + 1);
  }
  if (e.depth > 2 * deepest) {
    report_.fault(place, fmt::format("found more than {} operands in each other", 2 * deepest));
    throw Stop{};
  }
  return &e;
}

const tree::Type* Reader::type() {
  const Depth depth(*this);
  const tree::Type* out = base_type();
  while (ahead("[")) {
    const Place place = take().place;
    tree::Type* stack = make_type(TypeForm::stack, place);
    stack->element = out;
    stack->width = expression();
    expect("]");
    out = stack;
    if (ahead("[")) report_.refuse(peek().place, "a stack of stacks is not supported");
  }
  return out;
}

const tree::Type* Reader::base_type() {
  const Place place = peek().place;
  if (accept("_")) return make_type(TypeForm::any, place);
  if (accept("bool")) return make_type(TypeForm::boolean, place);
  if (accept("error")) return make_type(TypeForm::error, place);
  if (accept("match_kind")) return make_type(TypeForm::match_kind, place);
  if (accept("string")) return make_type(TypeForm::text, place);
  if (accept("void")) return make_type(TypeForm::none, place);
  if (accept("tuple")) {
    tree::Type* tuple = make_type(TypeForm::tuple, place);
    tuple->arguments = type_arguments();
    return tuple;
  }
  if (ahead("bit") || ahead("int") || ahead("varbit")) {
    const std::string word = take().text;
    const bool has_width = ahead("<");
    const TypeForm form = word == "bit"      ? TypeForm::bit
                          : word == "varbit" ? TypeForm::varbit
                          : has_width        ? TypeForm::signed_bit
                                             : TypeForm::integer;
    tree::Type* bits = make_type(form, place);
    if (has_width) bits->width = width_argument();
    if (form == TypeForm::varbit && !has_width) refuse("'<'");
    return bits;
  }
  return named_type();
}

const tree::Expr* Reader::width_argument() {
  expect("<");
  const Depth depth(*this);
  // Without parentheses no `>` may be in it: shifts and comparisons are looser than additions.
  const Expr* width = expression(9);
  close_angle();
  return width;
}

const tree::Type* Reader::named_type() {
  const Place place = peek().place;
  const bool global = accept(".");
  tree::Type* out = make_type(TypeForm::named, place);
  out->global = global;
  out->name = name("a type");
  if (!ahead("<")) return out;
  out->arguments = type_arguments();
  out->has_arguments = true;
  return out;
}

std::vector<const tree::Type*> Reader::type_arguments() {
  const Depth depth(*this);
  expect("<");
  std::vector<const tree::Type*> out;
  while (!ahead(">")) {
    out.push_back(type());
    if (!accept(",")) break;
  }
  close_angle();
  return out;
}

const tree::Expr* Reader::expression(int level) {
  const Depth depth(*this);
  const Expr* left = unary();
  for (;;) {
    Operator op{};
    if (ahead(">") && ahead(">", 1) && !peek(1).space && !peek(1).first) {
      op = shift_right;
    } else if (ahead("%")) {
      op = modulo;
    } else {
      for (const Operator& o : operators) {
        if (ahead(o.text)) op = o;
      }
    }
    if (op.op == Op::none || op.level < level) break;
    const Place place = take().place;
    if (op.op == Op::shift_right) take();
    const Expr* right = expression(op.level + 1);
    Expr* both = make(Form::binary, place, left, right);
    both->op = op.op;
    left = both;
  }
  if (level > 0 || !ahead("?")) return left;
  const Place place = take().place;
  const Expr* yes = expression();
  expect(":");
  const Expr* no = expression();
  return make(Form::choice, place, left, yes, no);
}

const tree::Expr* Reader::unary() {
  const Depth depth(*this);
  const Token& token = peek();
  Op op = Op::none;
  if (token.is("-")) op = Op::negate;
  if (token.is("~")) op = Op::complement;
  if (token.is("!")) op = Op::logical_not;
  if (op == Op::none && !token.is("+")) return postfix();
  take();
  const Expr* operand = unary();
  if (op == Op::none) return operand;
  Expr* out = make(Form::unary, token.place, operand);
  out->op = op;
  return out;
}

const tree::Expr* Reader::postfix() {
  const Expr* base = primary();
  for (;;) {
    if (ahead(".")) {
      const Place place = take().place;
      if (peek().kind != TokenKind::name) refuse("the name of a member");
      Expr* member = make(Form::member, place, base);
      member->place = peek().place;
      member->name = take().text;
      base = member;
    } else if (ahead("[")) {
      base = subscript(base);
    } else if (ahead("(")) {
      base = call(base, {});
    } else if (ahead("<") && (base->form == Form::member || base->form == Form::name) &&
               starts_type(1)) {
      auto types = type_arguments();
      if (!ahead("(")) refuse("'('");
      base = call(base, std::move(types));
    } else {
      return base;
    }
  }
}

const tree::Expr* Reader::subscript(const Expr* base) {
  const Place place = take().place;
  const Expr* first = expression();
  const Expr* second = accept(":") ? expression() : nullptr;
  expect("]");
  return make(second == nullptr ? Form::index : Form::slice, place, base, first, second);
}

const tree::Expr* Reader::call(const Expr* callee, std::vector<const tree::Type*> types) {
  Expr* out = make(Form::call, callee->place, callee);
  out->type_arguments = std::move(types);
  expect("(");
  out->arguments = arguments(")");
  for (const auto& argument : out->arguments) {
    out->depth = std::max(out->depth, argument.value->depth + 1);
  }
  return out;
}

std::vector<tree::Argument> Reader::arguments(std::string_view end) {
  std::vector<tree::Argument> out;
  while (!ahead(end)) {
    out.push_back(argument());
    if (!accept(",")) break;
  }
  expect(end);
  return out;
}

tree::Argument Reader::argument() {
  tree::Argument out;
  out.place = peek().place;
  if (peek().kind == TokenKind::name && ahead("=", 1)) {
    out.name = take().text;
    take();
  }
  out.value = ahead("...") ? make(Form::rest, take().place) : expression();
  return out;
}

const tree::Expr* Reader::primary() {
  const Token& token = peek();
  if (token.kind == TokenKind::number) return number();
  if (token.kind == TokenKind::text) return text();
  if (token.is("(")) return parenthesis();
  if (token.is("{")) return braces();
  if (token.is("true") || token.is("false")) {
    Expr* out = make(Form::boolean, take().place);
    out->value = token.text == "true" ? 1 : 0;
    return out;
  }
  if (token.is("this")) return make(Form::self, take().place);
  if (token.is("error")) {
    Expr* out = make(Form::type_name, token.place);
    out->type = base_type();
    return out;
  }
  if (token.is("_")) return make(Form::any, take().place);
  if (token.is("default")) return make(Form::by_default, take().place);
  const bool global = token.is(".");
  const std::size_t at = global ? 1 : 0;
  if (is_name(peek(at)) && names_type(peek(at).text)) {
    Expr* out = make(Form::type_name, token.place);
    out->type = named_type();
    return out;
  }
  if (starts_type()) {
    Expr* out = make(Form::type_name, token.place);
    out->type = type();
    return out;
  }
  if (global) take();
  Expr* out = make(Form::name, token.place);
  out->global = global;
  out->name = name("an expression");
  return out;
}

/// `(type) operand`, or an expression in parentheses.
const tree::Expr* Reader::parenthesis() {
  const Depth depth(*this);
  const Place place = take().place;
  // `error.Member` and `E.member` start no type; `C()` in parentheses is a value.
  if (starts_type(0) && !(peek().kind == TokenKind::name && ahead("(", 1)) &&
      !(ahead("_") && ahead(")", 1))) {
    const tree::Type* to = type();
    if (ahead("(")) refuse("')'");
    expect(")");
    Expr* out = make(Form::cast, place, unary());
    out->type = to;
    return out;
  }
  const Expr* inner = expression();
  expect(")");
  return inner;
}

const tree::Expr* Reader::braces() {
  const Depth depth(*this);
  const Place place = take().place;
  if (accept("#")) {
    expect("}");
    return make(Form::invalid, place);
  }
  Expr* out = make(Form::list, place);
  out->arguments = arguments("}");
  for (const auto& element : out->arguments)
    out->depth = std::max(out->depth, element.value->depth + 1);
  return out;
}

const tree::Expr* Reader::number() {
  const Token& token = peek();
  const auto read = number_of(token.text);
  if (!read) refuse("a number, as 10, 0x1F, 0b101, 8w255 or 4s7");
  if (read->width > most_width)
    report_.refuse(token.place, fmt::format("found a number of {} bits, expected up to {}",
                                            read->width, most_width));
  Expr* out = make(Form::number, take().place);
  out->value = read->value;
  out->width = read->width;
  out->is_signed = read->is_signed;
  return out;
}

/// Strings that follow each other are one.
const tree::Expr* Reader::text() {
  Expr* out = make(Form::text, peek().place);
  while (peek().kind == TokenKind::text) {
    const std::string& quoted = take().text;
    out->name += quoted.substr(1, quoted.size() - 2);
  }
  return out;
}

}  // namespace horae::p4lang
