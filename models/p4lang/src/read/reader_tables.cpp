// The reader: tables and parser states.
#include <fmt/format.h>

#include "horae/core/quantity_text.hpp"
#include "reader.hpp"

namespace horae::p4lang {

using tree::DeclKind;
using tree::Form;

const tree::Decl* Reader::table(Annotations annotations) {
  Decl* decl = make(DeclKind::table, std::move(annotations));
  take();
  decl->place = peek().place;
  decl->name = name("the name of a table");
  declare_value(decl->name);
  expect("{");
  std::set<std::string> properties;
  while (!accept("}")) table_property(*decl, properties);
  return decl;
}

void Reader::table_property(Decl& decl, std::set<std::string>& seen) {
  tree::TableProperty property;
  property.annotations = annotations();
  property.is_const = accept("const");
  property.place = peek().place;
  if (peek().kind != TokenKind::name) refuse("a property of the table, or '}'");
  property.name = take().text;
  if (!seen.insert(property.name).second)
    report_.fault(property.place,
                  fmt::format("table '{}' has a property '{}' already", decl.name, property.name));
  expect("=");
  if (property.name == "key") {
    keys(decl);
  } else if (property.name == "actions") {
    action_list(decl);
  } else if (property.name == "entries") {
    decl.const_entries = property.is_const;
    entries(decl);
  } else {
    property.value = expression();
    expect(";");
    if (property.name == "default_action") {
      decl.default_action = property.value;
      decl.const_default = property.is_const;
    } else if (property.name == "size") {
      decl.size = property.value;
    } else {
      decl.properties.push_back(std::move(property));
    }
  }
}

void Reader::keys(Decl& decl) {
  expect("{");
  while (!accept("}")) {
    tree::KeyElement key;
    key.annotations = annotations();
    key.value = expression();
    expect(":");
    key.kind_place = peek().place;
    key.match_kind = name("a kind of match");
    for (auto& a : annotations()) key.annotations.push_back(std::move(a));
    expect(";");
    decl.keys.push_back(std::move(key));
  }
  accept(";");
}

void Reader::action_list(Decl& decl) {
  expect("{");
  while (!accept("}")) {
    tree::ActionReference action;
    action.annotations = annotations();
    action.call = expression();
    decl.actions.push_back(std::move(action));
    // A pragma may stand before the `;` as well.
    for (auto& a : annotations()) decl.actions.back().annotations.push_back(std::move(a));
    expect(";");
  }
  accept(";");
}

void Reader::entries(Decl& decl) {
  decl.has_entries = true;
  expect("{");
  while (!accept("}")) decl.entries.push_back(entry());
  accept(";");
}

tree::EntryNode Reader::entry() {
  tree::EntryNode out;
  out.annotations = annotations();
  out.place = peek().place;
  out.is_const = accept("const");
  if (ahead("priority") && (ahead("=", 1) || ahead("(", 1))) {
    take();
    accept("=");
    out.priority = expression();
    expect(":");
  }
  out.keys = key_sets();
  expect(":");
  out.action = expression();
  for (auto& a : annotations()) out.annotations.push_back(std::move(a));
  expect(";");
  return out;
}

/// `a`, or `(a, b)`. What `(a)` is follows from what stands behind it: `(a) &&& b` is one set.
std::vector<const tree::Expr*> Reader::key_sets() {
  std::vector<const Expr*> out;
  if (!ahead("(")) {
    out.push_back(key_set());
    return out;
  }
  // A cast or an expression in parentheses is not a list: find the end of the parenthesis.
  std::size_t end = 0;
  for (int open = 0; peek(end).kind != TokenKind::end; ++end) {
    if (ahead("(", end)) ++open;
    if (ahead(")", end) && --open == 0) break;
  }
  if (!ahead(":", end + 1)) {
    out.push_back(key_set());
    return out;
  }
  take();
  while (!ahead(")")) {
    out.push_back(key_set());
    if (!accept(",")) break;
  }
  expect(")");
  return out;
}

const tree::Expr* Reader::key_set() {
  const Expr* first = expression();
  const Place place = peek().place;
  if (accept("&&&")) return make(Form::mask, place, first, expression());
  if (accept("..")) return make(Form::range, place, first, expression());
  return first;
}

const tree::Decl* Reader::state(Annotations annotations) {
  Decl* decl = make(DeclKind::state, std::move(annotations));
  take();
  decl->place = peek().place;
  decl->name = name("the name of a state");
  const Scope scope(*this);
  expect("{");
  Stmt* body = make(tree::StmtForm::block, decl->place);
  decl->body = body;
  while (!accept("}")) {
    if (ahead("transition")) {
      if (decl->has_transition) refuse("'}'");
      transition(*decl);
    } else if (decl->has_transition) {
      refuse("'}' behind the transition");
    } else {
      body->body.push_back(statement());
    }
  }
  return decl;
}

void Reader::transition(Decl& decl) {
  take();
  decl.has_transition = true;
  if (accept("select")) {
    select(decl);
    return;
  }
  tree::TransitionCase one;
  one.place = one.next_place = peek().place;
  one.next = name("the name of a state");
  expect(";");
  decl.transitions.push_back(std::move(one));
}

void Reader::select(Decl& decl) {
  expect("(");
  while (!ahead(")")) {
    decl.select.push_back(expression());
    if (!accept(",")) break;
  }
  expect(")");
  expect("{");
  while (!accept("}")) {
    annotations();
    tree::TransitionCase one;
    one.place = peek().place;
    one.keys = key_sets();
    expect(":");
    one.next_place = peek().place;
    one.next = name("the name of a state");
    annotations();
    expect(";");
    decl.transitions.push_back(std::move(one));
  }
  accept(";");
}

}  // namespace horae::p4lang
