// The reader: declarations.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/quantity_text.hpp"
#include "reader.hpp"

namespace horae::p4lang {

using tree::DeclKind;

tree::Decl* Reader::make(DeclKind kind, Annotations annotations) {
  tree_.decls.emplace_back();
  Decl& decl = tree_.decls.back();
  decl.kind = kind;
  decl.place = peek().place;
  decl.annotations = std::move(annotations);
  return &decl;
}

/// A declaration of the program, or nothing for annotations that nothing follows.
const tree::Decl* Reader::declaration() {
  const Depth depth(*this);
  Annotations before = annotations();
  if (!before.empty() && peek().kind == TokenKind::end) return nullptr;
  if (accept(";")) return nullptr;
  if (ahead("const")) return constant(std::move(before));
  if (ahead("typedef")) return alias(std::move(before), DeclKind::type_alias);
  if (ahead("type") && peek(1).kind == TokenKind::name && !ahead("(", 1))
    return alias(std::move(before), DeclKind::new_type);
  if (ahead("struct")) return fields(std::move(before), DeclKind::structure);
  if (ahead("header")) return fields(std::move(before), DeclKind::header);
  if (ahead("header_union")) return fields(std::move(before), DeclKind::header_union);
  if (ahead("enum")) return enumeration(std::move(before));
  if (ahead("error") && ahead("{", 1)) return members(std::move(before), DeclKind::error);
  if (ahead("match_kind") && ahead("{", 1)) return members(std::move(before), DeclKind::match_kind);
  if (ahead("parser")) return block(std::move(before), true);
  if (ahead("control")) return block(std::move(before), false);
  if (ahead("extern")) return extern_declaration(std::move(before));
  if (ahead("action")) return action(std::move(before));
  if (ahead("package")) return package(std::move(before));
  if (ahead("table")) refuse("a declaration of the program: tables stand in controls");
  return typed(std::move(before), false);
}

const tree::Decl* Reader::constant(Annotations annotations) {
  Decl* decl = make(DeclKind::constant, std::move(annotations));
  take();
  decl->type = type();
  decl->place = peek().place;
  decl->name = name("the name of a constant");
  expect("=");
  decl->initial = expression();
  expect(";");
  declare_value(decl->name);
  return decl;
}

const tree::Decl* Reader::alias(Annotations annotations, DeclKind kind) {
  Decl* decl = make(kind, std::move(annotations));
  take();
  if (ahead("struct") || ahead("header") || ahead("header_union") || ahead("enum"))
    report_.refuse(peek().place, "a type declared inside a typedef is not supported");
  decl->type = type();
  decl->place = peek().place;
  decl->name = name("the name of a type");
  expect(";");
  declare_type(decl->name);
  return decl;
}

const tree::Decl* Reader::fields(Annotations annotations, DeclKind kind) {
  Decl* decl = make(kind, std::move(annotations));
  take();
  decl->place = peek().place;
  decl->name = name("the name of a type");
  declare_type(decl->name);
  const Scope scope(*this);
  type_parameters(*decl);
  expect("{");
  while (!accept("}")) {
    tree::FieldNode field;
    field.annotations = this->annotations();
    if (accept("}")) return decl;
    field.type = type();
    field.place = peek().place;
    field.name = name("the name of a field");
    expect(";");
    decl->fields.push_back(std::move(field));
  }
  return decl;
}

const tree::Decl* Reader::enumeration(Annotations annotations) {
  Decl* decl = make(DeclKind::enumeration, std::move(annotations));
  take();
  if (!ahead("{", 1)) decl->type = type();
  decl->place = peek().place;
  decl->name = name("the name of a type");
  declare_type(decl->name);
  expect("{");
  while (!accept("}")) {
    tree::FieldNode member;
    member.annotations = this->annotations();
    member.place = peek().place;
    member.name = name("the name of a member");
    if (accept("=")) member.value = expression();
    decl->fields.push_back(std::move(member));
    if (accept(",")) continue;
    expect("}");
    break;
  }
  return decl;
}

/// `error { A, B }` and `match_kind { A, B }`.
const tree::Decl* Reader::members(Annotations annotations, DeclKind kind) {
  Decl* decl = make(kind, std::move(annotations));
  take();
  expect("{");
  while (!accept("}")) {
    tree::FieldNode member;
    member.annotations = this->annotations();
    member.place = peek().place;
    member.name = name("the name of a member");
    decl->fields.push_back(std::move(member));
    if (accept(",")) continue;
    expect("}");
    break;
  }
  return decl;
}

void Reader::type_parameters(Decl& decl) {
  if (!accept("<")) return;
  while (!ahead(">")) {
    decl.type_parameters.push_back(name("the name of a type parameter"));
    declare_type(decl.type_parameters.back());
    if (!accept(",")) break;
  }
  close_angle();
}

Direction Reader::direction() {
  if (accept("in")) return Direction::in;
  if (accept("out")) return Direction::out;
  if (accept("inout")) return Direction::inout;
  return Direction::none;
}

std::vector<tree::Parameter> Reader::parameters() {
  std::vector<tree::Parameter> out;
  expect("(");
  while (!ahead(")")) {
    out.push_back(parameter());
    if (!accept(",")) break;
  }
  expect(")");
  return out;
}

tree::Parameter Reader::parameter() {
  tree::Parameter out;
  out.annotations = annotations();
  for (const auto& a : out.annotations) out.optional = out.optional || a.name == "optional";
  out.direction = direction();
  out.type = type();
  out.place = peek().place;
  out.name = name("the name of a parameter");
  declare_value(out.name);
  if (accept("=")) out.initial = expression();
  return out;
}

/// A parser or control, or the type of one.
const tree::Decl* Reader::block(Annotations annotations, bool is_parser) {
  Decl* decl = make(is_parser ? DeclKind::parser : DeclKind::control, std::move(annotations));
  take();
  decl->place = peek().place;
  decl->name = name(is_parser ? "the name of a parser" : "the name of a control");
  declare_type(decl->name);
  const Scope scope(*this);
  type_parameters(*decl);
  decl->parameters = parameters();
  if (accept(";")) {
    decl->kind = is_parser ? DeclKind::parser_type : DeclKind::control_type;
    return decl;
  }
  if (ahead("(")) decl->constructor = parameters();
  block_locals(*decl, is_parser);
  return decl;
}

void Reader::block_locals(Decl& decl, bool is_parser) {
  expect("{");
  while (!accept("}")) {
    if (accept(";")) continue;
    const std::size_t from = at_;
    const std::size_t scopes = scopes_.size();
    try {
      Annotations before = annotations();
      if (ahead("state") && is_parser && is_name(peek(1))) {
        decl.states.push_back(state(std::move(before)));
      } else if (ahead("apply") && !is_parser) {
        take();
        if (decl.body != nullptr) refuse("one apply block");
        decl.body = block_statement();
      } else if (ahead("action")) {
        decl.locals.push_back(action(std::move(before)));
      } else if (ahead("table")) {
        decl.locals.push_back(table(std::move(before)));
      } else if (ahead("value_set")) {
        decl.locals.push_back(value_set(std::move(before)));
      } else if (ahead("const")) {
        decl.locals.push_back(constant(std::move(before)));
      } else {
        decl.locals.push_back(typed(std::move(before), true));
      }
    } catch (const Skip&) {
      scopes_.resize(scopes);
      skip_to(from, true);
      if (peek().kind == TokenKind::end) throw;
    }
  }
}

const tree::Decl* Reader::value_set(Annotations annotations) {
  Decl* decl = make(DeclKind::value_set, std::move(annotations));
  take();
  expect("<");
  decl->type = type();
  close_angle();
  expect("(");
  decl->size = expression();
  expect(")");
  decl->place = peek().place;
  decl->name = name("the name of a value set");
  expect(";");
  declare_value(decl->name);
  return decl;
}

const tree::Decl* Reader::extern_declaration(Annotations annotations) {
  take();
  if (is_name(peek()) && (ahead("{", 1) || ahead("<", 1))) {
    // `extern T f<T>(...)` begins with a name as well, but another name follows it.
    std::size_t behind = 1;
    if (ahead("<", 1)) {
      for (int open = 0;; ++behind) {
        if (ahead("<", behind)) ++open;
        if (ahead(">", behind) && --open == 0) break;
        if (peek(behind).kind == TokenKind::end) break;
      }
      ++behind;
    }
    if (ahead("{", behind)) return extern_object(std::move(annotations));
  }
  Decl* decl = make(DeclKind::extern_function, std::move(annotations));
  const Scope scope(*this);
  decl->type = type();
  decl->place = peek().place;
  decl->name = name("the name of an extern");
  type_parameters(*decl);
  decl->parameters = parameters();
  expect(";");
  return decl;
}

const tree::Decl* Reader::extern_object(Annotations annotations) {
  Decl* decl = make(DeclKind::extern_object, std::move(annotations));
  decl->name = name("the name of an extern");
  declare_type(decl->name);
  const Scope scope(*this);
  type_parameters(*decl);
  expect("{");
  while (!accept("}")) {
    if (accept(";")) continue;
    decl->locals.push_back(method(decl->name));
  }
  return decl;
}

const tree::Decl* Reader::method(const std::string& of) {
  Annotations before = annotations();
  const Scope scope(*this);
  if (peek().text == of && ahead("(", 1)) {
    Decl* decl = make(DeclKind::constructor, std::move(before));
    decl->name = take().text;
    decl->parameters = parameters();
    expect(";");
    return decl;
  }
  Decl* decl = make(DeclKind::method, std::move(before));
  decl->is_abstract = accept("abstract");
  decl->type = type();
  decl->place = peek().place;
  decl->name = name("the name of a method");
  type_parameters(*decl);
  decl->parameters = parameters();
  if (ahead("{")) report_.refuse(peek().place, "a body of an extern's method is not supported");
  expect(";");
  return decl;
}

const tree::Decl* Reader::action(Annotations annotations) {
  Decl* decl = make(DeclKind::action, std::move(annotations));
  take();
  decl->place = peek().place;
  decl->name = name("the name of an action");
  declare_value(decl->name);
  const Scope scope(*this);
  decl->parameters = parameters();
  decl->body = block_statement();
  return decl;
}

const tree::Decl* Reader::package(Annotations annotations) {
  Decl* decl = make(DeclKind::package, std::move(annotations));
  take();
  decl->place = peek().place;
  decl->name = name("the name of a package");
  declare_type(decl->name);
  const Scope scope(*this);
  type_parameters(*decl);
  decl->parameters = parameters();
  expect(";");
  return decl;
}

/// Declarations that begin with a type: a variable (where `local`), an instance or a function.
const tree::Decl* Reader::typed(Annotations annotations, bool local) {
  const Place place = peek().place;
  if (!is_name(peek()) && !starts_type() && !ahead(".")) refuse("a declaration");
  const tree::Type* type = this->type();
  if (ahead("(")) return instance(std::move(annotations), type, place);
  if (is_name(peek()) && (ahead("(", 1) || ahead("<", 1))) {
    const Place at = peek().place;
    const std::string name = take().text;
    return function(std::move(annotations), type, name, at);
  }
  if (!local && ahead("=", 1))
    report_.refuse(peek().place, "a variable of the whole program is not supported");
  if (!local) refuse("a declaration");
  return variable(std::move(annotations), type);
}

const tree::Decl* Reader::variable(Annotations annotations, const tree::Type* type) {
  Decl* decl = make(DeclKind::variable, std::move(annotations));
  decl->type = type;
  decl->name = name("the name of a variable");
  if (accept("=")) decl->initial = expression();
  expect(";");
  declare_value(decl->name);
  return decl;
}

const tree::Decl* Reader::function(Annotations annotations, const tree::Type* result,
                                   const std::string& name, const Place& place) {
  Decl* decl = make(DeclKind::function, std::move(annotations));
  decl->type = result;
  decl->name = name;
  decl->place = place;
  declare_value(name);
  const Scope scope(*this);
  type_parameters(*decl);
  decl->parameters = parameters();
  decl->body = block_statement();
  return decl;
}

const tree::Decl* Reader::instance(Annotations annotations, const tree::Type* type,
                                   const Place& place) {
  Decl* decl = make(DeclKind::instance, std::move(annotations));
  decl->type = type;
  decl->place = place;
  expect("(");
  decl->arguments = arguments(")");
  decl->place = peek().place;
  decl->name = name("the name of the instance");
  declare_value(decl->name);
  if (accept("=")) initializer(*decl);
  expect(";");
  return decl;
}

/// `= { void apply(...) {...} }`: the abstract methods of an instance.
void Reader::initializer(Decl& decl) {
  const Scope scope(*this);
  expect("{");
  while (!accept("}")) {
    if (accept(";")) continue;
    Annotations before = annotations();
    decl.locals.push_back(typed(std::move(before), true));
  }
}

std::vector<Annotation> Reader::annotations() {
  Annotations out;
  while (ahead("@")) out.push_back(annotation());
  return out;
}

/// `@name`, `@name(...)`, `@name[...]`, or `@pragma name ...` to the end of its line.
Annotation Reader::annotation() {
  Annotation out;
  out.place = take().place;
  if (peek().kind != TokenKind::name) refuse("the name of an annotation");
  const bool pragma = ahead("pragma") && !peek(1).first;
  if (pragma) take();
  out.name = take().text;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) out.words.push_back(std::move(word));
    word.clear();
  };
  const auto add = [&](const Token& token) {
    word +=
        token.kind == TokenKind::text ? token.text.substr(1, token.text.size() - 2) : token.text;
  };
  if (pragma) {
    while (peek().kind != TokenKind::end && !peek().first) {
      if (peek().space) end_word();
      const Token& token = take();
      if (!token.is(",")) add(token);
    }
    end_word();
    return out;
  }
  if (!ahead("(") && !ahead("[")) return out;
  take();
  for (int depth = 1;;) {
    if (peek().kind == TokenKind::end)
      report_.refuse(out.place,
                     fmt::format("found no end of annotation '@{}'", printable(out.name)));
    const Token& token = take();
    if (token.is("(") || token.is("[")) ++depth;
    if ((token.is(")") || token.is("]")) && --depth == 0) break;
    if (token.is(",") && depth == 1) {
      end_word();
    } else {
      if (token.kind == TokenKind::text && word.empty() && token.text.size() == 2)
        out.words.emplace_back();
      add(token);
    }
  }
  end_word();
  return out;
}

}  // namespace horae::p4lang
