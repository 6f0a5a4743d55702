// Elaboration: calls, and which of several signatures is meant.
#include <fmt/format.h>

#include <algorithm>

#include "elaborator.hpp"
#include "fold.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::p4lang {

using tree::DeclKind;
using tree::Form;

namespace {

std::vector<std::string> method_names(const std::vector<const tree::Decl*>& decls) {
  std::vector<std::string> out;
  for (const auto* decl : decls) {
    for (const auto* m : decl->locals) {
      if (m->kind == DeclKind::method) out.push_back(m->name);
    }
  }
  return out;
}

std::vector<const tree::Decl*> methods_of(const tree::Decl& decl, const std::string& name) {
  std::vector<const tree::Decl*> out;
  for (const auto* m : decl.locals) {
    if (m->kind == DeclKind::method && m->name == name) out.push_back(m);
  }
  return out;
}

bool without_width(const Type& type) {
  if (type.kind == TypeKind::integer) return true;
  if (type.kind != TypeKind::tuple) return false;
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [](const Field& f) { return without_width(*f.type); });
}

bool may_be_left_out(const tree::Parameter& p) { return p.optional || p.initial != nullptr; }

std::string counts(const std::vector<tree::Parameter>& parameters) {
  const auto least = std::count_if(parameters.begin(), parameters.end(),
                                   [](const auto& p) { return !may_be_left_out(p); });
  const auto most = static_cast<std::ptrdiff_t>(parameters.size());
  return least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most);
}

/// Which calls of packets have a meaning of their own.
Callee packet_callee(const std::string& method) {
  if (method == "extract") return Callee::extract;
  if (method == "advance") return Callee::advance;
  if (method == "lookahead") return Callee::lookahead;
  if (method == "length") return Callee::packet_length;
  if (method == "emit") return Callee::emit;
  return Callee::none;
}

}  // namespace

bool Elaborator::is_apply(const tree::Expr& node) const {
  return node.form == Form::call && node.a->form == Form::member && node.a->name == "apply";
}

/// The call `t.apply()` of a table, or nothing.
const tree::Expr* Elaborator::table_applied(const tree::Expr& node, Symbol*& table) {
  if (!is_apply(node) || node.a->a->form != Form::name) return nullptr;
  Symbol* symbol = cx_.scope->find(node.a->a->name);
  if (symbol == nullptr || symbol->kind != SymbolKind::table) return nullptr;
  table_call(node, *symbol);
  table = symbol;
  return &node;
}

Expr Elaborator::table_call(const tree::Expr& node, const Symbol& symbol) {
  if (!node.arguments.empty()) report_.refuse(node.place, "apply() of a table takes no arguments");
  if (cx_.in_action)
    report_.refuse(node.place, "a table is applied in an action, expected in an apply block");
  Expr out = make(ExprKind::call, types_.table_result(), node.place);
  out.callee = Callee::apply_table;
  out.index = symbol.index;
  return out;
}

Expr Elaborator::call(const tree::Expr& node, const Type* expected) {
  work(node.place);
  const tree::Expr& callee = *node.a;
  if (callee.form == Form::member) return method_call(node, callee, expected);
  if (callee.form == Form::name) return named_call(node, callee, expected);
  if (callee.form == Form::type_name)
    return object_expr(anonymous_object(node, callee.type->name), node.place);
  report_.refuse(node.place, "found a call of a value, expected a function");
}

Expr Elaborator::named_call(const tree::Expr& node, const tree::Expr& callee,
                            const Type* expected) {
  // Inside an abstract method its object's methods are known without the object.
  if (cx_.method_of != nullptr && !methods_of(*cx_.method_of, callee.name).empty() &&
      cx_.scope->find(callee.name) == nullptr)
    return object_call(node, callee.name, cx_.object, expected);
  Symbol* found = callee.global ? global_->find(callee.name) : nullptr;
  const Symbol& symbol = found != nullptr ? *found : lookup(callee.name, callee.place, "function");
  if (symbol.kind == SymbolKind::action) {
    const std::uint32_t index =
        symbol.index == no_block ? action(*symbol.decls[0], true) : symbol.index;
    return action_call(node, index);
  }
  if (symbol.kind == SymbolKind::functions) return function_call(node, symbol, expected);
  report_.refuse(callee.place,
                 fmt::format("found '{}', expected a function or an action", callee.name));
}

Expr Elaborator::method_call(const tree::Expr& node, const tree::Expr& callee,
                             const Type* expected) {
  const tree::Expr& base = *callee.a;
  if (base.form == Form::self) {
    if (cx_.object == no_block)
      report_.refuse(base.place, "found 'this' outside an abstract method");
    return object_call(node, callee.name, cx_.object, expected);
  }
  if (base.form == Form::type_name)
    report_.refuse(
        node.place,
        fmt::format("'{}' of a type is supported as a statement of its own only", callee.name));
  if (base.form == Form::name) {
    Symbol& symbol = lookup(base.name, base.place, "name");
    if (symbol.kind == SymbolKind::object)
      return object_call(node, callee.name, symbol.index, expected);
    if (symbol.kind == SymbolKind::packet)
      return packet_call(node, callee.name, symbol.type, expected);
    if (symbol.kind == SymbolKind::table && callee.name == "apply") return table_call(node, symbol);
    if (symbol.kind == SymbolKind::block && callee.name == "apply")
      report_.refuse(
          node.place,
          fmt::format("'{}' is applied in an expression, expected a statement", base.name));
  }
  Expr value = expr(base);
  if (value.kind == ExprKind::instance && value.index != no_block)
    return object_call(node, callee.name, value.index, expected);
  return value_call(node, std::move(value), callee.name);
}

Expr Elaborator::object_call(const tree::Expr& node, const std::string& method,
                             std::uint32_t object, const Type* expected) {
  const ExternObject& of = program_.externs[object];
  const Symbol& symbol = *global_->find(of.type->name);
  const Decl* decl = extern_decl(symbol, of.type->type_arguments.size());
  const auto candidates = methods_of(*decl, method);
  if (candidates.empty())
    report_.refuse(node.a->place,
                   fmt::format("extern '{}' has no method '{}'{}", decl->name, printable(method),
                               suggestion(method, method_names({decl}))));
  Bindings outer;
  for (std::size_t i = 0; i < decl->type_parameters.size(); ++i)
    outer[decl->type_parameters[i]] = of.type->type_arguments[i];
  Expr out = extern_call(node, candidates, outer, method, expected);
  if (out.kind != ExprKind::call) return out;
  out.callee = Callee::extern_method;
  out.index = object;
  return out;
}

Expr Elaborator::packet_call(const tree::Expr& node, const std::string& method, const Type* packet,
                             const Type* expected) {
  const Symbol& symbol = *global_->find(packet->name);
  const auto candidates = methods_of(*symbol.decls[0], method);
  const Callee callee = packet_callee(method);
  if (candidates.empty() || callee == Callee::none)
    report_.refuse(node.a->place,
                   fmt::format("'{}' has no method '{}'{}", packet->name, printable(method),
                               suggestion(method, method_names(symbol.decls))));
  Expr out = extern_call(node, candidates, {}, method, expected);
  out.callee = callee;
  if (callee == Callee::extract) {
    const Expr& to = out.operands[0];
    if (to.kind != ExprKind::absent && to.type->kind != TypeKind::header)
      report_.refuse(to.place,
                     fmt::format("found extract of {}, expected a header", type_text(*to.type)));
    const bool varies =
        to.kind != ExprKind::absent &&
        std::any_of(to.type->fields.begin(), to.type->fields.end(),
                    [](const Field& f) { return f.type->kind == TypeKind::varbit; });
    if (varies != (out.operands.size() > 1))
      report_.refuse(node.place, varies ? "extract of a header with a varbit takes its size as well"
                                        : "extract with a size is for headers with a varbit");
  }
  if (callee == Callee::lookahead && (width_of(*out.type) == 0 || without_width(*out.type)))
    report_.refuse(node.place,
                   "lookahead needs the type of what is looked at: lookahead<bit<8>>()");
  return out;
}

/// isValid() and what else values have.
Expr Elaborator::value_call(const tree::Expr& node, Expr base, const std::string& method) {
  const Type& type = *base.type;
  const bool is_header = type.kind == TypeKind::header || type.kind == TypeKind::header_union;
  if (method == "minSizeInBits" || method == "maxSizeInBits" || method == "minSizeInBytes" ||
      method == "maxSizeInBytes") {
    std::uint64_t width = width_of(type);
    if (method.starts_with("min")) {
      for (const Field& f : type.fields)
        width -= f.type->kind == TypeKind::varbit ? f.type->width : 0;
    }
    if (method.ends_with("Bytes")) width = (width + 7) / 8;
    return constant_of(width, types_.integer(), node.place);
  }
  Callee callee = Callee::none;
  if (is_header && method == "isValid") callee = Callee::is_valid;
  if (is_header && method == "setInvalid") callee = Callee::set_invalid;
  if (type.kind == TypeKind::header && method == "setValid") callee = Callee::set_valid;
  if (type.kind == TypeKind::stack && method == "push_front") callee = Callee::push_front;
  if (type.kind == TypeKind::stack && method == "pop_front") callee = Callee::pop_front;
  if (callee == Callee::none) {
    std::vector<std::string> known;
    if (is_header) known = {"isValid", "setValid", "setInvalid"};
    if (type.kind == TypeKind::stack) known = {"push_front", "pop_front"};
    report_.refuse(node.a->place, fmt::format("{} has no method '{}'{}", type_text(type),
                                              printable(method), suggestion(method, known)));
  }
  Expr out = make(ExprKind::call, callee == Callee::is_valid ? types_.boolean() : types_.none(),
                  node.place);
  out.callee = callee;
  if (callee != Callee::is_valid) {
    require_writable(*node.a->a);
    require_lvalue(base);
  }
  out.operands.push_back(std::move(base));
  const std::size_t expected = callee == Callee::push_front || callee == Callee::pop_front ? 1 : 0;
  if (node.arguments.size() != expected)
    report_.refuse(node.place, fmt::format("'{}': found {} arguments, expected {}", method,
                                           node.arguments.size(), expected));
  if (expected == 1) {
    Expr count = constant(*node.arguments[0].value, nullptr, "how far a stack moves");
    if (count.value < 1 || count.value > type.size)
      report_.refuse(count.place, fmt::format("found {}, expected 1 to {}",
                                              printable(count.value.str()), type.size));
    count.type = types_.integer();
    out.operands.push_back(std::move(count));
  }
  out.is_out.assign(out.operands.size(), false);
  out.is_out[0] = callee != Callee::is_valid;
  return out;
}

Expr Elaborator::function_call(const tree::Expr& node, const Symbol& symbol, const Type* expected) {
  if (symbol.decls[0]->kind == DeclKind::extern_function) {
    Expr out = extern_call(node, symbol.decls, {}, symbol.decls[0]->name, expected);
    if (out.kind != ExprKind::call) return out;
    out.callee = symbol.decls[0]->name == "verify" ? Callee::verify : Callee::extern_function;
    return out;
  }
  const Chosen chosen = choose(node, node.arguments, symbol.decls, {}, symbol.decls[0]->name);
  const std::uint32_t index = function(*chosen.decl, chosen.types);
  const std::vector<std::uint32_t> parameters = cx_.block->functions[index].parameters;
  Expr out = make(ExprKind::call, cx_.block->functions[index].result, node.place);
  out.callee = Callee::function;
  out.index = index;
  out.operands = call_arguments(node, parameters, out, chosen.decl->name);
  return out;
}

Expr Elaborator::action_call(const tree::Expr& node, std::uint32_t index) {
  const std::string name = cx_.block->functions[index].name;
  const std::vector<std::uint32_t> parameters = cx_.block->functions[index].parameters;
  Expr out = make(ExprKind::call, types_.none(), node.place);
  out.callee = Callee::function;
  out.index = index;
  out.operands = call_arguments(node, parameters, out, name);
  return out;
}

/// Arguments of a call of a function of the block, which has its parameters as variables.
std::vector<Expr> Elaborator::call_arguments(const tree::Expr& node,
                                             const std::vector<std::uint32_t>& parameters,
                                             Expr& call, const std::string& name) {
  if (node.arguments.size() != parameters.size())
    report_.refuse(node.place, fmt::format("'{}': found {} arguments, expected {}", name,
                                           node.arguments.size(), parameters.size()));
  std::vector<Expr> out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Variable to = cx_.block->variables[parameters[i]];
    const tree::Argument* given = &node.arguments[i];
    if (!given->name.empty()) {
      given = nullptr;
      for (const auto& a : node.arguments) {
        const bool same = to.name == a.name || to.name.ends_with("." + a.name);
        if (same) given = &a;
      }
    }
    if (given == nullptr)
      report_.refuse(node.place, fmt::format("'{}': found no argument '{}'", name, to.name));
    out.push_back(argument(*given, to.type, to.direction, name));
    call.is_out.push_back(to.direction == Direction::out || to.direction == Direction::inout);
  }
  return out;
}

Expr Elaborator::argument(const tree::Argument& given, const Type* type, Direction direction,
                          const std::string& name) {
  if (direction != Direction::out && direction != Direction::inout)
    return converted(*given.value, type, fmt::format("an argument of '{}'", name));
  if (given.value->form == Form::any && direction == Direction::out)
    return make(ExprKind::absent, type, given.place);
  Expr out = lvalue(*given.value);
  if (out.type != type && type->kind != TypeKind::any && out.type->kind != TypeKind::any)
    report_.refuse(given.place, fmt::format("'{}' writes {}, expected {}", name,
                                            type_text(*out.type), type_text(*type)));
  return out;
}

/// Finds an argument for each parameter, by place or by name.
bool Elaborator::match(const std::vector<tree::Parameter>& parameters,
                       const std::vector<tree::Argument>& arguments,
                       std::vector<const tree::Argument*>& given) const {
  given.assign(parameters.size(), nullptr);
  if (arguments.size() > parameters.size()) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::size_t at = i;
    if (!arguments[i].name.empty()) {
      at = 0;
      while (at < parameters.size() && parameters[at].name != arguments[i].name) ++at;
    }
    if (at >= parameters.size() || given[at] != nullptr) return false;
    given[at] = &arguments[i];
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (given[i] == nullptr && !may_be_left_out(parameters[i])) return false;
  }
  return true;
}

/// Whether the arguments can be those of the signature; binds its type parameters.
bool Elaborator::accepts(Chosen& chosen) {
  const auto& parameters = chosen.decl->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!chosen.raw[i] || chosen.raw[i]->kind == ExprKind::absent) continue;
    if (!unify(*parameters[i].type, chosen.raw[i]->type, chosen.types)) return false;
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!chosen.raw[i]) continue;
    if (!converts(*chosen.raw[i], in_scope(*parameters[i].type, chosen.types, global_)))
      return false;
  }
  return true;
}

Elaborator::Chosen Elaborator::choose(const tree::Expr& node,
                                      const std::vector<tree::Argument>& arguments,
                                      const std::vector<const Decl*>& candidates,
                                      const Bindings& outer, const std::string& name) {
  std::vector<Chosen> fitting;
  for (const Decl* decl : candidates) {
    Chosen one;
    one.decl = decl;
    if (match(decl->parameters, arguments, one.given)) fitting.push_back(std::move(one));
  }
  if (fitting.empty()) {
    std::string expected;
    for (const Decl* decl : candidates)
      expected += (expected.empty() ? "" : " or ") + counts(decl->parameters);
    for (const auto& a : arguments) {
      if (a.name.empty() || candidates.size() > 1) continue;
      std::vector<std::string> names;
      for (const auto& p : candidates[0]->parameters) names.push_back(p.name);
      if (std::find(names.begin(), names.end(), a.name) == names.end())
        report_.refuse(a.place, fmt::format("'{}' has no parameter '{}'{}", name, printable(a.name),
                                            suggestion(a.name, names)));
    }
    report_.refuse(node.place, fmt::format("'{}': found {} arguments, expected {}", name,
                                           arguments.size(), expected));
  }
  for (Chosen& one : fitting) {
    one.types = outer;
    const auto& parameters = one.decl->type_parameters;
    if (!node.type_arguments.empty() && node.type_arguments.size() != parameters.size()) {
      if (fitting.size() > 1) continue;
      report_.refuse(node.place, fmt::format("'{}': found {} type arguments, expected {}", name,
                                             node.type_arguments.size(), parameters.size()));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Type* given = node.type_arguments.empty() ? nullptr : type(*node.type_arguments[i]);
      one.types[parameters[i]] = given != nullptr && given->kind == TypeKind::any ? nullptr : given;
    }
    for (std::size_t i = 0; i < one.given.size(); ++i) {
      std::optional<Expr> raw;
      if (one.given[i] != nullptr) {
        // A list takes the types of what is declared where that is known already.
        const Type* expected = nullptr;
        const auto& of = *one.decl->parameters[i].type;
        const auto bound = one.types.find(of.name);
        if (bound != one.types.end()) expected = bound->second;
        raw = expr(*one.given[i]->value, expected);
      }
      one.raw.push_back(std::move(raw));
    }
    if (fitting.size() == 1 || accepts(one)) {
      if (fitting.size() == 1) (void)accepts(one);
      return std::move(one);
    }
  }
  report_.refuse(node.place, fmt::format("'{}': the arguments are of no form that it has", name));
}

void Elaborator::arguments(const Chosen& chosen, Expr& call, const std::string& name) {
  const auto& parameters = chosen.decl->parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const tree::Parameter& p = parameters[i];
    const bool is_out = p.direction == Direction::out || p.direction == Direction::inout;
    const Type* to = in_scope(*p.type, chosen.types, global_);
    call.is_out.push_back(is_out);
    if (chosen.given[i] == nullptr) {
      call.operands.push_back(p.initial == nullptr ? make(ExprKind::absent, to, call.place)
                                                   : converted(*p.initial, to, "a default"));
      continue;
    }
    if (is_out) {
      call.operands.push_back(argument(*chosen.given[i], to, p.direction, name));
      continue;
    }
    Expr value = convert(*chosen.raw[i], to, fmt::format("an argument of '{}'", name));
    if (without_width(*value.type) && to->kind != TypeKind::integer)
      report_.refuse(value.place,
                     fmt::format("'{}': found a number without a width in a list", name));
    call.operands.push_back(std::move(value));
  }
  while (!call.operands.empty() && call.operands.back().kind == ExprKind::absent &&
         chosen.given[call.operands.size() - 1] == nullptr) {
    call.operands.pop_back();
    call.is_out.pop_back();
  }
}

/// A call of a function or method that an extern declares.
Expr Elaborator::extern_call(const tree::Expr& node, const std::vector<const Decl*>& candidates,
                             const Bindings& outer, const std::string& name, const Type* expected) {
  Chosen chosen = choose(node, node.arguments, candidates, outer, name);
  if (auto value = folded_call(name, chosen, node.place)) return std::move(*value);
  // Types that no argument gives follow from where the result goes.
  if (expected != nullptr && chosen.decl->type->form == tree::TypeForm::named)
    (void)unify(*chosen.decl->type, expected, chosen.types);
  Expr out = make(ExprKind::call, in_scope(*chosen.decl->type, chosen.types, global_), node.place);
  out.name = name;
  arguments(chosen, out, name);
  for (const auto& parameter : chosen.decl->type_parameters) {
    const Type* bound = chosen.types[parameter];
    out.type_arguments.push_back(bound == nullptr ? types_.any() : bound);
  }
  return out;
}

/// Functions of constants: their value.
std::optional<Expr> Elaborator::folded_call(const std::string& name, const Chosen& chosen,
                                            const Place& place) {
  const bool bits = name == "sizeInBits";
  if ((bits || name == "sizeInBytes") && !chosen.raw.empty() && chosen.raw[0]) {
    const std::uint64_t width = width_of(*chosen.raw[0]->type);
    return constant_of(bits ? width : (width + 7) / 8, types_.bit(32), place);
  }
  if (name != "static_assert" || chosen.raw.empty() || !chosen.raw[0]) return std::nullopt;
  if (chosen.raw[0]->kind != ExprKind::constant)
    report_.refuse(place, "static_assert: the condition is not known before the program runs");
  if (chosen.raw[0]->value == 0)
    report_.fault(place, fmt::format("static_assert: {}", chosen.raw.size() > 1 && chosen.raw[1]
                                                              ? printable(chosen.raw[1]->name, 200)
                                                              : "the condition does not hold"));
  return constant_of(1, types_.boolean(), place);
}

}  // namespace horae::p4lang
