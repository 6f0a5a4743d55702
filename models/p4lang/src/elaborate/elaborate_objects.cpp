// Elaboration: extern objects and the abstract methods that a program gives them.
#include <fmt/format.h>

#include <algorithm>

#include "elaborator.hpp"

namespace horae::p4lang {

using tree::DeclKind;

namespace {

std::vector<const tree::Decl*> constructors_of(const tree::Decl& decl) {
  std::vector<const tree::Decl*> out;
  for (const auto* m : decl.locals) {
    if (m->kind == DeclKind::constructor) out.push_back(m);
  }
  return out;
}

const tree::Decl* abstract_method(const tree::Decl& decl, const std::string& name) {
  for (const auto* m : decl.locals) {
    if (m->kind == DeclKind::method && m->is_abstract && m->name == name) return m;
  }
  return nullptr;
}

bool is_optional(const tree::Decl& decl) {
  return std::any_of(decl.annotations.begin(), decl.annotations.end(),
                     [](const Annotation& a) { return a.name == "optional"; });
}

}  // namespace

Expr Elaborator::object_expr(std::uint32_t index, const Place& place) const {
  Expr out = make(ExprKind::instance, program_.externs[index].type, place);
  out.index = index;
  return out;
}

/// A declared object; the index of it.
std::uint32_t Elaborator::object(const Decl& decl) {
  return make_object(*decl.type, decl.arguments, full_name(decl.name, decl.annotations),
                     decl.annotations, decl.place);
}

/// `Hash<bit<16>>(...)` where a value stands: an object without a name of its own.
std::uint32_t Elaborator::anonymous_object(const tree::Expr& node, const std::string& name) {
  const Symbol& symbol = lookup(name, node.place, "type");
  if (symbol.kind != SymbolKind::generic || symbol.decls[0]->kind != DeclKind::extern_object)
    report_.refuse(node.place, fmt::format("found a call of '{}', expected an extern", name));
  std::string full = cx_.full.empty() ? name : cx_.full + "." + name;
  const auto taken = [&](const std::string& n) {
    return std::any_of(program_.externs.begin(), program_.externs.end(),
                       [&](const ExternObject& e) { return e.name == n; });
  };
  for (int i = 0; taken(full); ++i) {
    full = fmt::format("{}_{}", cx_.full.empty() ? name : cx_.full + "." + name, i);
    if (i > 1000) work(node.place, most_work);
  }
  return make_object(*node.a->type, node.arguments, full, {}, node.place);
}

std::uint32_t Elaborator::make_object(const tree::Type& node,
                                      const std::vector<tree::Argument>& arguments,
                                      const std::string& name,
                                      const std::vector<Annotation>& annotations,
                                      const Place& place) {
  work(place);
  const Symbol& symbol = lookup(node.name, node.place, "type");
  const Decl* decl = extern_decl(symbol, node.arguments.size());
  if (!node.has_arguments) {
    // Without type arguments they follow from the constructor's.
    for (const Decl* d : symbol.decls) {
      std::vector<const tree::Argument*> given;
      for (const Decl* c : constructors_of(*d)) {
        if (decl == nullptr && match(c->parameters, arguments, given)) decl = d;
      }
    }
    if (decl == nullptr) decl = symbol.decls[0];
  }
  if (decl == nullptr) {
    (void)extern_type(symbol, node);  // says what is wrong
    throw Skip{};
  }
  Bindings types;
  for (std::size_t i = 0; i < decl->type_parameters.size(); ++i) {
    const Type* given = i < node.arguments.size() ? type(*node.arguments[i]) : nullptr;
    types[decl->type_parameters[i]] =
        given != nullptr && given->kind == TypeKind::any ? nullptr : given;
  }
  ExternObject out;
  out.name = name;
  out.annotations = annotations;
  out.place = place;
  out.block = cx_.index;
  const auto constructors = constructors_of(*decl);
  if (constructors.empty())
    report_.refuse(place, fmt::format("extern '{}' has no constructor", decl->name));
  tree::Expr call;
  call.form = tree::Form::call;
  call.place = place;
  Chosen chosen = choose(call, arguments, constructors, types, decl->name);
  Expr values = make(ExprKind::call, types_.none(), place);
  this->arguments(chosen, values, decl->name);
  values.operands.resize(chosen.decl->parameters.size(),
                         make(ExprKind::absent, types_.any(), place));
  for (const auto& p : chosen.decl->parameters) out.parameters.push_back(p.name);
  for (std::size_t i = 0; i < values.operands.size(); ++i) {
    const Expr& e = values.operands[i];
    const bool known = e.kind == ExprKind::constant || e.kind == ExprKind::text ||
                       e.kind == ExprKind::list || e.kind == ExprKind::instance ||
                       e.kind == ExprKind::absent;
    if (!known)
      report_.refuse(e.place,
                     fmt::format("argument '{}' of '{}' is not known before the program runs",
                                 out.parameters[i], decl->name));
  }
  out.arguments = std::move(values.operands);
  std::vector<const Type*> bound;
  for (const auto& parameter : decl->type_parameters) {
    const Type* one = chosen.types[parameter];
    bound.push_back(one == nullptr ? types_.any() : one);
  }
  out.type = types_.extern_object(decl->name, std::move(bound));
  program_.externs.push_back(std::move(out));
  return static_cast<std::uint32_t>(program_.externs.size() - 1);
}

/// Gives an object the methods that its declaration writes, and checks that none is missing.
void Elaborator::methods(const Decl& decl, std::uint32_t object, const Decl& of) {
  Bindings types;
  for (std::size_t i = 0; i < of.type_parameters.size(); ++i)
    types[of.type_parameters[i]] = program_.externs[object].type->type_arguments[i];
  for (const Decl* local : decl.locals) {
    if (local->kind != DeclKind::function) {
      report_.fault(local->place, "found a declaration that is no method");
      continue;
    }
    method(*local, object, of, types);
  }
  for (const auto* m : of.locals) {
    if (m->kind != DeclKind::method || !m->is_abstract || is_optional(*m)) continue;
    const auto& given = program_.externs[object].methods;
    const bool has =
        std::any_of(given.begin(), given.end(), [&](const Method& g) { return g.name == m->name; });
    if (!has)
      report_.fault(decl.place, fmt::format("'{}' needs a method '{}', as extern '{}' declares",
                                            decl.name, m->name, of.name));
  }
  std::vector<const Type*> bound;
  for (const auto& parameter : of.type_parameters)
    bound.push_back(types[parameter] == nullptr ? types_.any() : types[parameter]);
  program_.externs[object].type = types_.extern_object(of.name, std::move(bound));
}

void Elaborator::method(const Decl& decl, std::uint32_t object, const Decl& of, Bindings& types) {
  const Decl* declared = abstract_method(of, decl.name);
  if (declared == nullptr) {
    std::vector<std::string> names;
    for (const auto* m : of.locals) {
      if (m->is_abstract) names.push_back(m->name);
    }
    report_.refuse(decl.place, fmt::format("extern '{}' has no abstract method '{}'{}", of.name,
                                           decl.name, suggestion(decl.name, names)));
  }
  if (cx_.block == nullptr)
    report_.refuse(decl.place,
                   "an object with methods outside of parsers and controls is not supported");
  std::size_t least = 0;
  for (const auto& p : declared->parameters) least += p.optional ? 0 : 1;
  if (decl.parameters.size() < least || decl.parameters.size() > declared->parameters.size())
    report_.refuse(decl.place,
                   fmt::format("'{}': found {} parameters, expected {} to {}", decl.name,
                               decl.parameters.size(), least, declared->parameters.size()));
  Function out;
  out.kind = FunctionKind::method;
  out.name = program_.externs[object].name + "." + decl.name;
  out.annotations = decl.annotations;
  out.place = decl.place;
  const Keep keep(*this);
  cx_.scope = new_scope(cx_.scope);
  cx_.local += (cx_.local.empty() ? "" : ".") +
               program_.externs[object].name.substr(program_.externs[object].name.rfind('.') + 1) +
               "." + decl.name;
  cx_.object = object;
  cx_.method_of = &of;
  cx_.in_action = true;
  out.result = type(*decl.type);
  for (std::size_t i = 0; i < decl.parameters.size(); ++i) {
    const tree::Parameter& p = decl.parameters[i];
    const Type* t = type(*p.type);
    if (p.direction != declared->parameters[i].direction)
      report_.fault(p.place,
                    fmt::format("parameter '{}' has another direction than extern '{}' declares",
                                p.name, of.name));
    if (!unify(*declared->parameters[i].type, t, types)) {
      report_.fault(
          p.place, fmt::format("parameter '{}' is {}, which extern '{}' does not take here", p.name,
                               type_text(*t), of.name));
    }
    const std::uint32_t index = variable(p.name, t, p.direction, p.place, p.annotations);
    out.parameters.push_back(index);
    add(p.name, value_symbol(variable_expr(index, p.place), p.direction != Direction::in, p.place),
        p.place);
  }
  cx_.result = out.result;
  const auto at = static_cast<std::uint32_t>(cx_.block->functions.size());
  cx_.block->functions.push_back(std::move(out));
  program_.externs[object].methods.push_back({decl.name, at});
  function_body(decl, at);
}

}  // namespace horae::p4lang
