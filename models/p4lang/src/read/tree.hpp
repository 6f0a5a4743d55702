// The syntax tree: text as it was written, names not resolved (internal to the room).
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "horae/p4lang/program.hpp"

namespace horae::p4lang::tree {

struct Type;
struct Expr;
struct Stmt;
struct Decl;

enum class TypeForm : std::uint8_t {
  named,  ///< `name`, with `arguments` where it has some
  bit,
  signed_bit,
  varbit,
  integer,
  boolean,
  error,
  match_kind,
  text,
  none,
  tuple,  ///< of `arguments`
  stack,  ///< of `element`, `width` of them
  any,    ///< `_`
};

struct Type {
  TypeForm form = TypeForm::any;
  Place place;
  std::string name;
  bool global = false;          ///< `.name`
  const Expr* width = nullptr;  ///< of bit, signed_bit, varbit, stack; bit without one has 1
  const Type* element = nullptr;
  std::vector<const Type*> arguments;
  bool has_arguments = false;
};

enum class Form : std::uint8_t {
  number,
  boolean,
  text,
  name,
  member,
  index,
  slice,  ///< a[b:c]
  unary,
  binary,
  choice,
  cast,
  call,
  list,        ///< {a, b}, (a, b) in key sets, {x = a}
  type_name,   ///< a type where an expression stands: E in E.member, C in C(), C.apply()
  any,         ///< `_`
  by_default,  ///< `default`
  mask,        ///< a &&& b
  range,       ///< a .. b
  invalid,     ///< {#}
  rest,        ///< `...`
  self,        ///< this
};

struct Argument {
  std::string name;  ///< empty: by position
  const Expr* value = nullptr;
  Place place;
};

struct Expr {
  Form form = Form::any;
  Op op = Op::none;
  Place place;
  std::uint32_t depth = 1;
  std::string name;  ///< of name, member, text
  bool global = false;
  Integer value;            ///< of number, boolean
  std::uint32_t width = 0;  ///< of number: 0 without one
  bool is_signed = false;
  const Type* type = nullptr;
  const Expr* a = nullptr;
  const Expr* b = nullptr;
  const Expr* c = nullptr;
  std::vector<Argument> arguments;  ///< of call, list
  std::vector<const Type*> type_arguments;
};

struct Parameter {
  std::string name;
  Direction direction = Direction::none;
  const Type* type = nullptr;
  const Expr* initial = nullptr;
  bool optional = false;
  std::vector<Annotation> annotations;
  Place place;
};

struct SwitchCase {
  std::vector<const Expr*> labels;
  bool has_body = false;
  const Stmt* body = nullptr;
  Place place;
};

enum class StmtForm : std::uint8_t {
  assign,  ///< a = b; with `op` a compound one
  call,
  branch,
  switch_,
  block,
  return_,
  exit,
  declare,
  empty
};

struct Stmt {
  StmtForm form = StmtForm::empty;
  Op op = Op::none;
  Place place;
  const Expr* a = nullptr;
  const Expr* b = nullptr;
  const Stmt* yes = nullptr;
  const Stmt* no = nullptr;
  std::vector<const Stmt*> body;
  std::vector<SwitchCase> cases;
  const Decl* declared = nullptr;
};

struct KeyElement {
  const Expr* value = nullptr;
  std::string match_kind;
  Place kind_place;
  std::vector<Annotation> annotations;
};

struct EntryNode {
  std::vector<const Expr*> keys;
  const Expr* action = nullptr;
  const Expr* priority = nullptr;
  std::vector<Annotation> annotations;
  bool is_const = false;
  Place place;
};

struct ActionReference {
  const Expr* call = nullptr;  ///< a name, or a call of it
  std::vector<Annotation> annotations;
};

struct TableProperty {
  std::string name;
  bool is_const = false;
  const Expr* value = nullptr;
  std::vector<Annotation> annotations;
  Place place;
};

struct TransitionCase {
  std::vector<const Expr*> keys;  ///< none: without select
  std::string next;
  Place place;
  Place next_place;
};

enum class DeclKind : std::uint8_t {
  constant,
  variable,
  type_alias,
  new_type,
  structure,
  header,
  header_union,
  enumeration,
  error,
  match_kind,
  parser,
  parser_type,
  control,
  control_type,
  extern_object,
  extern_function,
  function,
  action,
  package,
  table,
  value_set,
  instance,
  state,
  method,       ///< of an extern object
  constructor,  ///< likewise
};

struct FieldNode {
  std::string name;
  const Type* type = nullptr;
  const Expr* value = nullptr;  ///< of a member of an enumeration
  std::vector<Annotation> annotations;
  Place place;
};

struct Decl {
  DeclKind kind = DeclKind::constant;
  std::string name;
  Place place;
  std::vector<Annotation> annotations;
  std::vector<std::string> type_parameters;
  std::vector<Parameter> parameters;
  std::vector<Parameter> constructor;  ///< of parser and control
  const Type* type = nullptr;          ///< of values; result of functions; underlying type
  const Expr* initial = nullptr;
  std::vector<FieldNode> fields;
  std::vector<Argument> arguments;  ///< of an instance
  std::vector<const Decl*> locals;  ///< of parser, control; methods; of an instance its block
  std::vector<const Decl*> states;
  const Stmt* body = nullptr;
  bool is_abstract = false;
  // Parts of a table.
  std::vector<KeyElement> keys;
  std::vector<ActionReference> actions;
  const Expr* default_action = nullptr;
  bool const_default = false;
  std::vector<EntryNode> entries;
  bool has_entries = false;
  bool const_entries = false;
  const Expr* size = nullptr;
  std::vector<TableProperty> properties;
  // Parts of a state.
  std::vector<const Expr*> select;
  bool has_transition = false;
  std::vector<TransitionCase> transitions;
};

/// Owns the nodes of a program.
struct Tree {
  std::deque<Type> types;
  std::deque<Expr> exprs;
  std::deque<Stmt> stmts;
  std::deque<Decl> decls;
  std::vector<const Decl*> top;
};

}  // namespace horae::p4lang::tree
