// Elaboration: declarations of the program, and the package that `main` is.
#include <fmt/format.h>

#include <algorithm>

#include "elaborator.hpp"

namespace horae::p4lang {

using tree::DeclKind;
using tree::Form;

namespace {

bool is_block(const tree::Decl& decl) {
  return decl.kind == DeclKind::parser || decl.kind == DeclKind::control;
}

/// Whether two types hold the same: a package takes structs of other names with the same fields.
bool alike(const Type& a, const Type& b) {
  if (&a == &b) return true;
  if (a.kind != b.kind || !has_fields(a) || a.fields.size() != b.fields.size() ||
      a.width != b.width)
    return false;
  return std::equal(
      a.fields.begin(), a.fields.end(), b.fields.begin(),
      [](const Field& x, const Field& y) { return x.name == y.name && alike(*x.type, *y.type); });
}

}  // namespace

void Elaborator::run() {
  program_.types = types_.all();
  global_ = new_scope(nullptr);
  cx_.scope = global_;
  for (const Decl* decl : tree_.top) {
    try {
      declare(*decl);
    } catch (const Skip&) {
      if (!decl->name.empty() && !global_->names.contains(decl->name))
        global_->names[decl->name] = Symbol{};
    }
  }
  main_package();
  leftovers();
}

void Elaborator::declare(const Decl& decl) {
  work(decl.place);
  Symbol symbol;
  symbol.kind = SymbolKind::generic;
  symbol.decls = {&decl};
  switch (decl.kind) {
    case DeclKind::constant:
      return constant_declaration(decl);
    case DeclKind::error:
    case DeclKind::match_kind:
      return declare_members(decl);
    case DeclKind::extern_object:
    case DeclKind::extern_function:
    case DeclKind::function:
      return declare_named(decl);
    case DeclKind::action:
      symbol.kind = SymbolKind::action;
      symbol.index = no_block;
      break;
    case DeclKind::type_alias:
    case DeclKind::new_type:
      symbol.kind = SymbolKind::type;
      symbol.type = type(*decl.type);
      break;
    case DeclKind::enumeration:
      symbol.kind = SymbolKind::type;
      symbol.type = enumeration(decl);
      break;
    case DeclKind::structure:
    case DeclKind::header:
    case DeclKind::header_union:
      if (!decl.type_parameters.empty()) break;
      symbol.kind = SymbolKind::type;
      symbol.type = declared(decl, {}, global_);
      break;
    case DeclKind::instance: {
      const Symbol& of = lookup(decl.type->name, decl.type->place, "type");
      if (of.kind != SymbolKind::generic || of.decls[0]->kind != DeclKind::package)
        return local_instance(decl);
      symbol.kind = SymbolKind::package;
      symbol.instance =
          package_instance(*of.decls[0], *decl.type, decl.arguments, decl.name, decl.place);
      symbol.instance->annotations = decl.annotations;
      break;
    }
    default:
      break;
  }
  add(decl.name, std::move(symbol), decl.place);
}

/// Names that may be declared several times: functions by their parameters, externs by their type
/// parameters.
void Elaborator::declare_named(const Decl& decl) {
  const bool is_object = decl.kind == DeclKind::extern_object;
  Symbol* known = global_->find(decl.name);
  const SymbolKind kind = is_object ? SymbolKind::generic : SymbolKind::functions;
  const bool joins = known != nullptr && known->kind == kind &&
                     known->decls[0]->kind == decl.kind &&
                     (!is_object || extern_decl(*known, decl.type_parameters.size()) == nullptr);
  if (joins) {
    for (const Decl* other : known->decls) {
      if (decl.kind == DeclKind::function && same_parameters(*other, decl))
        report_.fault(decl.place,
                      fmt::format("'{}' with these parameters is declared already, at {}",
                                  decl.name, program_.place_text(other->place)));
    }
    known->decls.push_back(&decl);
    return;
  }
  Symbol symbol;
  symbol.kind = kind;
  symbol.decls = {&decl};
  add(decl.name, std::move(symbol), decl.place);
}

/// Whether two functions that are not generic have the same parameters.
bool Elaborator::same_parameters(const Decl& a, const Decl& b) {
  if (!a.type_parameters.empty() || !b.type_parameters.empty()) return false;
  return std::ranges::equal(a.parameters, b.parameters,
                            [&](const tree::Parameter& x, const tree::Parameter& y) {
                              return x.name == y.name && type(*x.type) == type(*y.type);
                            });
}

void Elaborator::declare_members(const Decl& decl) {
  for (const auto& member : decl.fields) {
    if (decl.kind == DeclKind::match_kind) {
      if (std::ranges::find(match_kinds_, member.name) != match_kinds_.end())
        report_.fault(member.place,
                      fmt::format("match_kind '{}' is declared already", member.name));
      match_kinds_.push_back(member.name);
    } else if (error_members_.emplace(member.name, program_.errors.size()).second) {
      program_.errors.push_back(member.name);
    } else {
      report_.fault(member.place, fmt::format("error '{}' is declared already", member.name));
    }
  }
}

std::shared_ptr<Instance> Elaborator::package_instance(const Decl& decl, const tree::Type& node,
                                                       const std::vector<tree::Argument>& arguments,
                                                       const std::string& name,
                                                       const Place& place) {
  auto out = std::make_shared<Instance>();
  out->decl = &decl;
  out->name = name;
  out->place = place;
  for (std::size_t i = 0; i < decl.type_parameters.size(); ++i)
    out->types[decl.type_parameters[i]] =
        i < node.arguments.size() ? type(*node.arguments[i]) : nullptr;
  std::vector<const tree::Argument*> given;
  if (!match(decl.parameters, arguments, given))
    report_.refuse(place, fmt::format("package '{}': found {} arguments, expected {}", decl.name,
                                      arguments.size(), decl.parameters.size()));
  for (std::size_t i = 0; i < decl.parameters.size(); ++i)
    package_part(*out, decl.parameters[i], given[i]);
  return out;
}

void Elaborator::package_part(Instance& package, const tree::Parameter& parameter,
                              const tree::Argument* given) {
  package.parts.emplace_back(parameter.name, nullptr);
  if (given == nullptr) return;
  const tree::Expr& value = *given->value;
  if (value.form == Form::name) {
    const Symbol& symbol = lookup(value.name, value.place, "name");
    if (symbol.kind == SymbolKind::package) {
      package.parts.back().second = symbol.instance;
      return;
    }
    if (symbol.kind == SymbolKind::object) {
      package.objects.emplace_back(parameter.name, symbol.index);
      return;
    }
  }
  if (value.form != Form::call || value.a->form != Form::type_name) {
    const Type* to =
        parameter.type->form == tree::TypeForm::named ? nullptr : type(*parameter.type);
    (void)(to == nullptr ? expr(value)
                         : constant(value, to, fmt::format("argument '{}'", parameter.name)));
    return;
  }
  const tree::Type& of = *value.a->type;
  const Symbol& symbol = lookup(of.name, of.place, "type");
  if (symbol.kind != SymbolKind::generic)
    report_.refuse(of.place,
                   fmt::format("found '{}', expected a parser, control or package", of.name));
  const Decl& decl = *symbol.decls[0];
  auto& part = package.parts.back().second;
  if (is_block(decl)) {
    part = instance(decl, of, value.arguments, decl.name, value.place);
  } else if (decl.kind == DeclKind::package) {
    part = package_instance(decl, of, value.arguments, parameter.name, value.place);
  } else {
    package.objects.emplace_back(parameter.name, anonymous_object(value, of.name));
  }
}

void Elaborator::main_package() {
  Symbol* symbol = global_->find("main");
  if (symbol == nullptr) {
    if (report_.good()) report_.fault({0, 0, 0}, "the program has no package 'main'");
    return;
  }
  if (symbol->kind == SymbolKind::broken) return;
  if (symbol->kind != SymbolKind::package) {
    report_.fault(symbol->place, "found 'main', expected a package");
    return;
  }
  main_ = symbol->instance;
  program_.package = main_->decl->name;
  program_.annotations = main_->annotations;
  architecture();
  const bool of_packages =
      std::any_of(main_->parts.begin(), main_->parts.end(), [](const auto& part) {
        return part.second != nullptr && part.second->decl->kind == DeclKind::package;
      });
  if (!of_packages) {
    pipe(*main_, "main");
    return;
  }
  for (auto& [name, part] : main_->parts) {
    if (part != nullptr && part->decl->kind == DeclKind::package) pipe(*part, part->name);
  }
}

/// Which architecture the package of `main` is of.
void Elaborator::architecture() {
  const std::string& name = program_.package;
  program_.architecture = name;
  if (name == "V1Switch") program_.architecture = "v1model";
  if (name == "PSA_Switch") program_.architecture = "psa";
  if (name != "Switch" && name != "MultiParserSwitch") return;
  program_.architecture = "tna";
  for (const auto& [part, instance] : main_->parts) {
    if (instance == nullptr) continue;
    for (const auto& p : instance->decl->parameters) {
      if (p.name == "ghost") program_.architecture = "t2na";
    }
  }
}

void Elaborator::pipe(Instance& package, const std::string& name) {
  Pipe out;
  out.name = name;
  out.place = package.place;
  Bindings types = package.types;
  parts(package, "", out, types);
  program_.pipes.push_back(std::move(out));
}

void Elaborator::parts(Instance& package, const std::string& prefix, Pipe& pipe, Bindings& types) {
  for (std::size_t i = 0; i < package.parts.size(); ++i) {
    auto& [name, part] = package.parts[i];
    if (part == nullptr) continue;
    const std::string role = prefix.empty() ? name : prefix + "." + name;
    const tree::Type& expected = *package.decl->parameters[i].type;
    if (part->decl->kind == DeclKind::package) {
      Bindings inner = part->types;
      parts(*part, role, pipe, inner);
      continue;
    }
    try {
      if (part->block == no_block)
        part->block = block(*part, &package == main_.get() ? "" : pipe.name, role, expected, types);
      pipe.blocks.push_back(part->block);
    } catch (const Skip&) {
    }
  }
}

/// A parser or control of a package.
std::uint32_t Elaborator::block(Instance& instance, const std::string& pipe,
                                const std::string& role, const tree::Type& expected,
                                Bindings& types) {
  const Decl& decl = *instance.decl;
  used_.insert(&decl);
  const Keep keep(*this);
  auto made = std::make_unique<Block>();
  made->kind = decl.kind == DeclKind::parser ? BlockKind::parser : BlockKind::control;
  made->declared = decl.name;
  made->role = role;
  made->annotations = decl.annotations;
  made->place = decl.place;
  const auto index = static_cast<std::uint32_t>(program_.blocks.size());
  functions_.clear();
  cx_ = Context{};
  cx_.block = made.get();
  cx_.index = index;
  cx_.full = pipe;
  cx_.full = full_name(decl.name, decl.annotations);
  cx_.decl = &decl;
  cx_.is_parser = decl.kind == DeclKind::parser;
  cx_.scope = new_scope(global_);
  cx_.result = types_.none();
  made->name = cx_.full;

  const Symbol* declared = global_->find(expected.name);
  const Decl* signature =
      declared != nullptr && declared->kind == SymbolKind::generic ? declared->decls[0] : nullptr;
  if (signature == nullptr ||
      (signature->kind == DeclKind::parser_type) != (decl.kind == DeclKind::parser))
    report_.refuse(instance.place, fmt::format("found {} '{}', expected a {}",
                                               decl.kind == DeclKind::parser ? "parser" : "control",
                                               decl.name, expected.name));
  // Type parameters of a generic parser or control are those of its part of the package.
  Bindings bound;
  for (std::size_t i = 0; i < signature->type_parameters.size(); ++i) {
    const bool has = i < expected.arguments.size() && types.contains(expected.arguments[i]->name);
    bound[signature->type_parameters[i]] = has ? types[expected.arguments[i]->name] : nullptr;
  }
  bind_constructor(instance, *cx_.scope);
  for (const auto& p : decl.parameters) {
    const Type* t = type(*p.type);
    if (t->kind == TypeKind::extern_object) {
      Symbol symbol;
      symbol.kind = SymbolKind::packet;
      symbol.type = t;
      add(p.name, std::move(symbol), p.place);
      continue;
    }
    const std::uint32_t v = variable(p.name, t, p.direction, p.place, p.annotations);
    add(p.name,
        value_symbol(variable_expr(v, p.place),
                     p.direction != Direction::in && p.direction != Direction::none, p.place),
        p.place);
  }
  made->parameters = static_cast<std::uint32_t>(made->variables.size());
  roles(decl, *signature, bound);
  for (std::size_t i = 0; i < signature->type_parameters.size() && i < expected.arguments.size();
       ++i) {
    const auto it = types.find(expected.arguments[i]->name);
    if (it != types.end()) it->second = bound[signature->type_parameters[i]];
  }
  if (cx_.is_parser) {
    block_body(decl, made->prologue);
    std::map<std::string, std::uint32_t> indices;
    states(decl, indices);
  } else {
    block_body(decl, made->body);
    if (decl.body == nullptr)
      report_.fault(decl.place, fmt::format("control '{}' has no apply block", decl.name));
    else
      block_statement(*decl.body, made->body);
  }
  program_.blocks.push_back(std::move(*made));
  return index;
}

/// Which parameter of the architecture's declaration each parameter is: in their order, optional
/// ones may be left out.
void Elaborator::roles(const Decl& decl, const Decl& expected, Bindings& types) {
  std::size_t at = 0;
  std::uint32_t variable = 0;
  for (const auto& p : decl.parameters) {
    const Type* t = type(*p.type);
    const bool is_value = t->kind != TypeKind::extern_object;
    for (;; ++at) {
      if (at >= expected.parameters.size())
        report_.refuse(p.place, fmt::format("'{}' has a parameter '{}' that a {} has not",
                                            decl.name, p.name, expected.name));
      const auto& e = expected.parameters[at];
      const auto generic = types.find(e.type->name);
      const bool is_generic = e.type->form == tree::TypeForm::named && generic != types.end();
      bool same = p.direction == e.direction;
      if (is_generic) {
        same = same && is_value && (generic->second == nullptr || alike(*generic->second, *t));
        if (same && generic->second == nullptr) generic->second = t;
      } else {
        same = same && in_scope(*e.type, types, global_) == t;
      }
      if (same) break;
      if (e.optional) continue;
      const std::string wanted = is_generic && generic->second != nullptr
                                     ? type_text(*generic->second)
                                 : is_generic ? "a type of its own"
                                              : e.type->name;
      report_.refuse(
          p.place,
          fmt::format(
              "parameter '{}' of '{}' is {}, expected {} ('{}' of {}), of the same direction",
              p.name, decl.name, type_text(*t), wanted, e.name, expected.name));
    }
    if (is_value) cx_.block->variables[variable++].role = expected.parameters[at].name;
    ++at;
  }
  for (; at < expected.parameters.size(); ++at) {
    if (!expected.parameters[at].optional)
      report_.refuse(decl.place, fmt::format("'{}' has no parameter for '{}' of {}", decl.name,
                                             expected.parameters[at].name, expected.name));
  }
}

/// Parsers and controls that are used nowhere are looked at for faults, and dropped.
void Elaborator::leftovers() {
  for (const Decl* decl : tree_.top) {
    if (!is_block(*decl) || used_.contains(decl) || !decl->type_parameters.empty() ||
        !decl->constructor.empty())
      continue;
    const Keep keep(*this);
    const std::size_t externs = program_.externs.size();
    Block scratch;
    cx_ = Context{};
    cx_.block = &scratch;
    cx_.decl = decl;
    cx_.is_parser = decl->kind == DeclKind::parser;
    cx_.scope = new_scope(global_);
    cx_.result = types_.none();
    functions_.clear();
    try {
      for (const auto& p : decl->parameters) {
        const Type* t = type(*p.type);
        Symbol symbol;
        symbol.kind = SymbolKind::packet;
        symbol.type = t;
        if (t->kind != TypeKind::extern_object)
          symbol =
              value_symbol(variable_expr(variable(p.name, t, p.direction, p.place, {}), p.place),
                           p.direction != Direction::in && p.direction != Direction::none, p.place);
        add(p.name, std::move(symbol), p.place);
      }
      Statements body;
      block_body(*decl, body);
      std::map<std::string, std::uint32_t> indices;
      if (cx_.is_parser) states(*decl, indices);
      if (decl->body != nullptr) block_statement(*decl->body, body);
    } catch (const Skip&) {
    }
    program_.externs.resize(externs);
  }
}

}  // namespace horae::p4lang
