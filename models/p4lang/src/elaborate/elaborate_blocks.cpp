// Elaboration: controls and what stands in them; instances of controls in each other.
#include <fmt/format.h>

#include <algorithm>

#include "elaborator.hpp"

namespace horae::p4lang {

using tree::DeclKind;
using tree::Form;

namespace {

/// The path of an lvalue: its variable, and the fields below it. Empty for what has an index that
/// is not known.
std::optional<std::vector<std::uint32_t>> path_of(const Expr& e) {
  if (e.kind == ExprKind::variable) return std::vector<std::uint32_t>{e.index};
  if (e.kind != ExprKind::field && e.kind != ExprKind::element) return std::nullopt;
  auto path = path_of(e.operands[0]);
  if (!path) return std::nullopt;
  if (e.kind == ExprKind::element && e.operands[1].kind != ExprKind::constant) return std::nullopt;
  path->push_back(e.kind == ExprKind::field ? e.index
                                            : e.operands[1].value.convert_to<std::uint32_t>());
  return path;
}

/// Whether one is a part of the other.
bool overlap(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  const std::size_t n = std::min(a.size(), b.size());
  return std::equal(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin());
}

std::size_t nodes_of(const Expr& e) {
  std::size_t n = 1;
  for (const Expr& part : e.operands) n += nodes_of(part);
  return n;
}

bool writes(Direction d) { return d == Direction::out || d == Direction::inout; }

Stmt assignment(Expr target, Expr value, const Place& place) {
  Stmt out;
  out.kind = StmtKind::assign;
  out.place = place;
  out.target = std::move(target);
  out.value = std::move(value);
  return out;
}

Stmt reset_of(Expr target, const Place& place) {
  Stmt out;
  out.kind = StmtKind::reset;
  out.place = place;
  out.target = std::move(target);
  return out;
}

void count_in(const tree::Stmt* node, const std::string& name, std::size_t& count) {
  if (node == nullptr) return;
  const auto applies = [&](const tree::Expr* e) {
    return e != nullptr && e->form == Form::call && e->a->form == Form::member &&
           e->a->name == "apply" && e->a->a->form == Form::name && e->a->a->name == name;
  };
  if (applies(node->a)) ++count;
  count_in(node->yes, name, count);
  count_in(node->no, name, count);
  for (const auto* s : node->body) count_in(s, name, count);
  for (const auto& c : node->cases) count_in(c.body, name, count);
}

}  // namespace

/// In how many places of a parser or control an instance is applied.
void Elaborator::count_calls(const Decl& decl, const std::string& name, std::size_t& count) const {
  count_in(decl.body, name, count);
  for (const auto* s : decl.states) count_in(s->body, name, count);
}

/// A parser or control with the arguments of its constructor.
std::shared_ptr<Instance> Elaborator::instance(const Decl& decl, const tree::Type& node,
                                               const std::vector<tree::Argument>& arguments,
                                               const std::string& name, const Place& place) {
  auto out = std::make_shared<Instance>();
  out->decl = &decl;
  out->name = name;
  out->place = place;
  if (node.arguments.size() != decl.type_parameters.size() && node.has_arguments)
    report_.refuse(place, fmt::format("'{}': found {} type arguments, expected {}", decl.name,
                                      node.arguments.size(), decl.type_parameters.size()));
  for (std::size_t i = 0; i < decl.type_parameters.size(); ++i)
    out->types[decl.type_parameters[i]] =
        i < node.arguments.size() ? type(*node.arguments[i]) : nullptr;
  std::vector<const tree::Argument*> given;
  if (!match(decl.constructor, arguments, given))
    report_.refuse(place, fmt::format("'{}': found {} arguments of its constructor, expected {}",
                                      decl.name, arguments.size(), decl.constructor.size()));
  for (std::size_t i = 0; i < decl.constructor.size(); ++i) {
    const auto& p = decl.constructor[i];
    const tree::Expr* value = given[i] != nullptr ? given[i]->value : p.initial;
    if (auto block = instance_argument(*p.type, value, place)) {
      out->blocks.emplace_back(p.name, std::move(block));
      out->arguments.push_back(make(ExprKind::absent, types_.any(), place));
      continue;
    }
    const Type* to = in_scope(*p.type, out->types, global_);
    Expr argument = value == nullptr ? make(ExprKind::absent, to, place) : expr(*value, to);
    if (argument.kind != ExprKind::instance)
      argument =
          value == nullptr ? argument : constant(*value, to, fmt::format("argument '{}'", p.name));
    out->arguments.push_back(std::move(argument));
  }
  return out;
}

/// The parser or control that a constructor is given; nothing for a parameter of another type.
std::shared_ptr<Instance> Elaborator::instance_argument(const tree::Type& type,
                                                        const tree::Expr* value,
                                                        const Place& place) {
  const Symbol* of = global_->find(type.name);
  if (type.form != tree::TypeForm::named || of == nullptr || of->kind != SymbolKind::generic)
    return nullptr;
  const DeclKind kind = of->decls[0]->kind;
  if (kind != DeclKind::parser && kind != DeclKind::control && kind != DeclKind::parser_type &&
      kind != DeclKind::control_type)
    return nullptr;
  std::shared_ptr<Instance> out;
  if (value != nullptr && value->form == Form::name) {
    const Symbol& symbol = lookup(value->name, value->place, "name");
    if (symbol.kind == SymbolKind::block) out = symbol.instance;
  } else if (value != nullptr && value->form == Form::call && value->a->form == Form::type_name) {
    const Symbol& symbol = lookup(value->a->type->name, value->place, "type");
    if (symbol.kind == SymbolKind::generic &&
        (symbol.decls[0]->kind == DeclKind::parser || symbol.decls[0]->kind == DeclKind::control)) {
      out = instance(*symbol.decls[0], *value->a->type, value->arguments, value->a->type->name,
                     value->place);
      name_instance(*out);
    }
  }
  const bool is_type = kind == DeclKind::parser_type || kind == DeclKind::control_type;
  if (out == nullptr || (!is_type && out->decl != of->decls[0]))
    report_.refuse(value == nullptr ? place : value->place,
                   fmt::format("expected an instance of '{}'", type.name));
  out->calls = 2;  // whoever has it may apply it
  return out;
}

/// Names an instance by where it is declared.
void Elaborator::name_instance(Instance& instance) const {
  instance.full = full_name(instance.name, instance.annotations);
  instance.local = (cx_.local.empty() ? "" : cx_.local + ".") + instance.name;
}

void Elaborator::bind_constructor(Instance& instance, Scope& scope) {
  for (const auto& [name, t] : instance.types) {
    Symbol symbol;
    symbol.kind = SymbolKind::type;
    symbol.type = t == nullptr ? types_.any() : t;
    scope.names[name] = std::move(symbol);
  }
  for (std::size_t i = 0; i < instance.arguments.size(); ++i) {
    Expr& value = instance.arguments[i];
    Symbol symbol = value_symbol(value, false, value.place);
    if (value.kind == ExprKind::instance) {
      symbol.kind = SymbolKind::object;
      symbol.index = value.index;
    }
    scope.names[instance.decl->constructor[i].name] = std::move(symbol);
  }
  for (const auto& [name, block] : instance.blocks) {
    Symbol symbol;
    symbol.kind = SymbolKind::block;
    symbol.instance = block;
    scope.names[name] = std::move(symbol);
  }
}

/// Declarations of a parser or control, in their order.
void Elaborator::block_body(const Decl& decl, Statements& prologue) {
  for (const Decl* one : decl.locals) {
    try {
      local(*one, prologue);
    } catch (const Skip&) {
      if (cx_.scope->names.find(one->name) == cx_.scope->names.end())
        cx_.scope->names[one->name] = Symbol{};
    }
  }
}

void Elaborator::local(const Decl& decl, Statements& prologue) {
  work(decl.place);
  switch (decl.kind) {
    case DeclKind::constant:
      return constant_declaration(decl);
    case DeclKind::variable:
      return local_variable(decl, prologue);
    case DeclKind::instance:
      return local_instance(decl);
    case DeclKind::value_set:
      return value_set(decl);
    case DeclKind::table:
      return table(decl);
    case DeclKind::action: {
      Symbol symbol;
      symbol.kind = SymbolKind::action;
      symbol.decls = {&decl};
      symbol.index = action(decl, false);
      add(decl.name, std::move(symbol), decl.place);
      return;
    }
    case DeclKind::function: {
      Symbol symbol;
      symbol.kind = SymbolKind::functions;
      symbol.decls = {&decl};
      add(decl.name, std::move(symbol), decl.place);
      return;
    }
    default:
      report_.refuse(decl.place, fmt::format("'{}' cannot be declared here", decl.name));
  }
}

void Elaborator::constant_declaration(const Decl& decl) {
  const Type* t = type(*decl.type);
  Expr value = constant(*decl.initial, t, fmt::format("constant '{}'", decl.name));
  if (nodes_of(value) > largest_constant)
    report_.refuse(decl.place,
                   fmt::format("a constant of more than {} elements", largest_constant));
  add(decl.name, value_symbol(std::move(value), false, decl.place), decl.place);
}

void Elaborator::local_variable(const Decl& decl, Statements& out) {
  const Type* t = type(*decl.type);
  if (t->kind == TypeKind::integer || t->kind == TypeKind::text || t->kind == TypeKind::none ||
      t->kind == TypeKind::extern_object)
    report_.refuse(decl.place, fmt::format("a variable of type {} is not possible", type_text(*t)));
  std::optional<Expr> initial;
  if (decl.initial != nullptr)
    initial = converted(*decl.initial, t, fmt::format("the value of '{}'", decl.name));
  const std::uint32_t index = variable(decl.name, t, Direction::none, decl.place, decl.annotations);
  add(decl.name, value_symbol(variable_expr(index, decl.place), true, decl.place), decl.place);
  if (initial) {
    out.push_back(assignment(variable_expr(index, decl.place), std::move(*initial), decl.place));
  } else if (has_header(*t)) {
    out.push_back(reset_of(variable_expr(index, decl.place), decl.place));
  }
}

void Elaborator::value_set(const Decl& decl) {
  ValueSet out;
  out.name = full_name(decl.name, decl.annotations);
  out.type = type(*decl.type);
  const Expr size = constant(*decl.size, nullptr, "the size of a value set");
  if (size.value < 0 || size.value > 1'000'000)
    report_.refuse(decl.place, "the size of a value set is not in 0 to 1000000");
  out.size = size.value.convert_to<std::uint64_t>();
  out.annotations = decl.annotations;
  out.place = decl.place;
  Symbol symbol;
  symbol.kind = SymbolKind::value_set;
  symbol.type = out.type;
  symbol.index = static_cast<std::uint32_t>(cx_.block->value_sets.size());
  cx_.block->value_sets.push_back(std::move(out));
  add(decl.name, std::move(symbol), decl.place);
}

void Elaborator::local_instance(const Decl& decl) {
  if (decl.type->form != tree::TypeForm::named)
    report_.refuse(decl.place, "found an instance of a type that has none");
  const Symbol& symbol = lookup(decl.type->name, decl.type->place, "type");
  if (symbol.kind != SymbolKind::generic)
    report_.refuse(decl.place, fmt::format("'{}' has no instances", decl.type->name));
  const Decl& of = *symbol.decls[0];
  Symbol out;
  if (of.kind == DeclKind::extern_object) {
    out.kind = SymbolKind::object;
    out.index = object(decl);
    out.type = program_.externs[out.index].type;
    const std::uint32_t index = out.index;
    add(decl.name, std::move(out), decl.place);
    const Decl* declared = extern_decl(symbol, program_.externs[index].type->type_arguments.size());
    methods(decl, index, *declared);
    cx_.scope->find(decl.name)->type = program_.externs[index].type;
    return;
  }
  if (of.kind == DeclKind::parser || of.kind == DeclKind::control) {
    out.kind = SymbolKind::block;
    out.instance = instance(of, *decl.type, decl.arguments, decl.name, decl.place);
    out.instance->annotations = decl.annotations;
    out.instance->calls = 0;
    count_calls(*cx_.decl, decl.name, out.instance->calls);
    name_instance(*out.instance);
    add(decl.name, std::move(out), decl.place);
    return;
  }
  report_.refuse(decl.place, fmt::format("'{}' has no instances here", decl.type->name));
}

/// An action as a function of the block. A global one is made once a block.
std::uint32_t Elaborator::action(const Decl& decl, bool global) {
  const auto key = std::make_pair(&decl, std::vector<const Type*>());
  if (global) {
    if (const auto it = functions_.find(key); it != functions_.end()) return it->second;
  }
  const Keep keep(*this);
  if (global) {
    cx_.full.clear();
    cx_.local.clear();
  }
  Function out;
  out.kind = FunctionKind::action;
  out.name = full_name(decl.name, decl.annotations);
  out.result = types_.none();
  out.annotations = decl.annotations;
  out.place = decl.place;
  cx_.scope = new_scope(global ? global_ : cx_.scope);
  cx_.local += (cx_.local.empty() ? "" : ".") + decl.name;
  cx_.in_action = true;
  cx_.result = types_.none();
  for (const auto& p : decl.parameters) {
    const std::uint32_t index =
        variable(p.name, type(*p.type), p.direction, p.place, p.annotations);
    out.parameters.push_back(index);
    add(p.name, value_symbol(variable_expr(index, p.place), p.direction != Direction::in, p.place),
        p.place);
  }
  const auto index = static_cast<std::uint32_t>(cx_.block->functions.size());
  cx_.block->functions.push_back(std::move(out));
  if (global) functions_[key] = index;
  function_body(decl, index);
  return index;
}

/// A function of the program with its type parameters bound, as one of the block.
std::uint32_t Elaborator::function(const Decl& decl, const Bindings& types) {
  std::vector<const Type*> bound;
  for (const auto& p : decl.type_parameters)
    bound.push_back(types.at(p) == nullptr ? types_.any() : types.at(p));
  const auto key = std::make_pair(&decl, bound);
  if (open_.contains(&decl))
    report_.refuse(decl.place,
                   fmt::format("function '{}' calls itself, which is not supported", decl.name));
  if (const auto it = functions_.find(key); it != functions_.end()) return it->second;
  if (cx_.block == nullptr)
    report_.refuse(decl.place,
                   fmt::format("a call of function '{}' outside of parsers and controls is not "
                               "supported",
                               decl.name));
  const Keep keep(*this);
  Symbol* declared = cx_.scope->find(decl.name);
  const bool is_global = global_->find(decl.name) == declared;
  if (is_global) {
    cx_.full.clear();
    cx_.local.clear();
  }
  Function out;
  out.kind = FunctionKind::function;
  out.name = full_name(decl.name, decl.annotations);
  out.annotations = decl.annotations;
  out.place = decl.place;
  cx_.scope = new_scope(is_global ? global_ : cx_.scope);
  for (std::size_t i = 0; i < bound.size(); ++i) {
    Symbol symbol;
    symbol.kind = SymbolKind::type;
    symbol.type = bound[i];
    cx_.scope->names[decl.type_parameters[i]] = std::move(symbol);
  }
  cx_.local += (cx_.local.empty() ? "" : ".") + decl.name;
  cx_.in_action = true;
  out.result = type(*decl.type);
  cx_.result = out.result;
  for (const auto& p : decl.parameters) {
    const Direction d = p.direction == Direction::none ? Direction::in : p.direction;
    const std::uint32_t index = variable(p.name, type(*p.type), d, p.place, p.annotations);
    out.parameters.push_back(index);
    add(p.name, value_symbol(variable_expr(index, p.place), d != Direction::in, p.place), p.place);
  }
  const auto index = static_cast<std::uint32_t>(cx_.block->functions.size());
  cx_.block->functions.push_back(std::move(out));
  functions_[key] = index;
  open_.insert(&decl);
  try {
    function_body(decl, index);
  } catch (const Skip&) {
    open_.erase(&decl);
    throw;
  }
  open_.erase(&decl);
  return index;
}

void Elaborator::function_body(const Decl& decl, std::uint32_t index) {
  Statements body;
  block_statement(*decl.body, body);
  cx_.block->functions[index].body = std::move(body);
}

/// The instance that `x.apply(...)` or `C.apply(...)` applies; nothing where it is something else.
std::shared_ptr<Instance> Elaborator::applied(const tree::Expr& node) {
  if (!is_apply(node)) return nullptr;
  const tree::Expr& base = *node.a->a;
  if (base.form == Form::name) {
    Symbol* symbol = cx_.scope->find(base.name);
    return symbol != nullptr && symbol->kind == SymbolKind::block ? symbol->instance : nullptr;
  }
  if (base.form != Form::type_name || base.type->form != tree::TypeForm::named) return nullptr;
  const Symbol& symbol = lookup(base.type->name, base.place, "type");
  if (symbol.kind != SymbolKind::generic ||
      (symbol.decls[0]->kind != DeclKind::parser && symbol.decls[0]->kind != DeclKind::control))
    report_.refuse(base.place, fmt::format("found apply() of '{}', expected a parser or control",
                                           base.type->name));
  auto out = instance(*symbol.decls[0], *base.type, {}, base.type->name, base.place);
  name_instance(*out);
  return out;
}

/// Makes the scope of an instance that is applied: its parameters stand for the arguments, or are
/// variables that are copied in and out where an argument may change meanwhile.
Scope* Elaborator::bind_parameters(const tree::Expr& node, Instance& instance, Statements& before,
                                   Statements& after) {
  const Decl& decl = *instance.decl;
  std::vector<const tree::Argument*> given;
  if (!match(decl.parameters, node.arguments, given))
    report_.refuse(node.place, fmt::format("'{}': found {} arguments, expected {}", decl.name,
                                           node.arguments.size(), decl.parameters.size()));
  const bool again = instance.scope != nullptr;
  const bool copied = instance.calls > 1;
  // Type parameters follow from the arguments.
  for (std::size_t i = 0; i < decl.parameters.size(); ++i) {
    if (instance.types.empty() || given[i] == nullptr || given[i]->value->form == Form::any)
      continue;
    if (given[i]->value->form == Form::name) {
      const Symbol* symbol = cx_.scope->find(given[i]->value->name);
      if (symbol != nullptr && symbol->kind != SymbolKind::value) continue;
    }
    (void)unify(*decl.parameters[i].type, expr(*given[i]->value).type, instance.types);
  }
  Scope* scope = again ? instance.scope : new_scope(global_);
  if (!again) bind_constructor(instance, *scope);
  std::vector<std::optional<std::vector<std::uint32_t>>> paths(decl.parameters.size());
  std::vector<Expr> values(decl.parameters.size());
  for (std::size_t i = 0; i < decl.parameters.size(); ++i) {
    const auto& p = decl.parameters[i];
    const Type* t = in_scope(*p.type, instance.types, global_);
    if (t->kind == TypeKind::extern_object) {
      if (given[i] == nullptr || given[i]->value->form != Form::name)
        report_.refuse(node.place,
                       fmt::format("'{}': expected an object for '{}'", decl.name, p.name));
      const Symbol& symbol = lookup(given[i]->value->name, given[i]->place, "name");
      if (symbol.kind != SymbolKind::packet && symbol.kind != SymbolKind::object)
        report_.refuse(given[i]->place, fmt::format("found '{}', expected {}",
                                                    given[i]->value->name, type_text(*t)));
      if (symbol.type->name != t->name)
        report_.refuse(given[i]->place, fmt::format("found {}, expected {}",
                                                    type_text(*symbol.type), type_text(*t)));
      scope->names[p.name] = symbol;
      continue;
    }
    if (given[i] == nullptr) {
      values[i] = p.initial != nullptr ? converted(*p.initial, t, "a default")
                                       : make(ExprKind::absent, t, node.place);
    } else {
      values[i] = argument(*given[i], t, p.direction, decl.name);
    }
    paths[i] = path_of(values[i]);
  }
  for (std::size_t i = 0; i < decl.parameters.size(); ++i) {
    const auto& p = decl.parameters[i];
    Expr& value = values[i];
    if (value.type == nullptr) continue;  // an object
    bool alias = !copied && (value.kind == ExprKind::constant || paths[i].has_value());
    for (std::size_t k = 0; k < paths.size() && alias && paths[i]; ++k) {
      const bool conflict = k != i && (writes(p.direction) || writes(decl.parameters[k].direction));
      if (conflict && values[k].type != nullptr && paths[k] && overlap(*paths[i], *paths[k]))
        alias = false;
    }
    if (alias) {
      if (p.direction == Direction::out && has_header(*value.type))
        before.push_back(reset_of(value, node.place));
      scope->names[p.name] = value_symbol(
          value, p.direction != Direction::in && p.direction != Direction::none, p.place);
      continue;
    }
    const Type* t =
        value.type->kind == TypeKind::any ? in_scope(*p.type, instance.types, global_) : value.type;
    std::uint32_t index = 0;
    if (again && i < instance.own.size() && instance.own[i] != no_block) {
      index = instance.own[i];
    } else {
      const Keep keep(*this);
      cx_.local = instance.local;
      index = variable(p.name, t, Direction::none, p.place, p.annotations);
      instance.own.resize(decl.parameters.size(), no_block);
      instance.own[i] = index;
      scope->names[p.name] =
          value_symbol(variable_expr(index, p.place),
                       p.direction != Direction::in && p.direction != Direction::none, p.place);
    }
    Expr own = variable_expr(index, node.place);
    if (p.direction == Direction::out) {
      if (has_header(*t)) before.push_back(reset_of(own, node.place));
    } else if (value.kind != ExprKind::absent) {
      before.push_back(assignment(own, value, node.place));
    }
    if (writes(p.direction) && value.kind != ExprKind::absent)
      after.push_back(assignment(std::move(value), std::move(own), node.place));
  }
  return scope;
}

/// A control in place of its call.
void Elaborator::apply_control(const tree::Expr& node, Instance& instance, Statements& out) {
  const Decl& decl = *instance.decl;
  if (decl.kind != DeclKind::control)
    report_.refuse(node.place, fmt::format("parser '{}' is applied in a control", decl.name));
  if (cx_.is_parser || cx_.in_action)
    report_.refuse(node.place,
                   fmt::format("control '{}' is applied outside of an apply block", decl.name));
  if (cx_.depth > deepest_inline)
    report_.refuse(node.place,
                   fmt::format("controls are nested more than {} deep", deepest_inline));
  used_.insert(&decl);
  Statements after;
  const bool first = instance.scope == nullptr;
  Scope* scope = bind_parameters(node, instance, out, after);
  instance.scope = scope;
  const Keep keep(*this);
  Stmt inlined;
  inlined.kind = StmtKind::inlined;
  inlined.place = node.place;
  cx_.full = instance.full;
  cx_.local = instance.local;
  cx_.decl = &decl;
  cx_.scope = scope;
  cx_.result = types_.none();
  ++cx_.depth;
  inlined.name = cx_.full;
  if (first) {
    block_body(decl, inlined.body);
  } else {
    for (const Decl* one : decl.locals) {  // variables begin anew
      if (one->kind != DeclKind::variable) continue;
      const Symbol& symbol = lookup(one->name, one->place, "name");
      if (one->initial != nullptr) {
        inlined.body.push_back(
            assignment(symbol.value, converted(*one->initial, symbol.type, "a value"), one->place));
      } else if (has_header(*symbol.type)) {
        inlined.body.push_back(reset_of(symbol.value, one->place));
      }
    }
  }
  if (decl.body != nullptr) {
    cx_.scope = new_scope(scope);
    block_statement(*decl.body, inlined.body);
  }
  out.push_back(std::move(inlined));
  std::move(after.begin(), after.end(), std::back_inserter(out));
}

}  // namespace horae::p4lang
