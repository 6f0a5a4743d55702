// Elaboration: names, variables, types.
#include <fmt/format.h>

#include <algorithm>

#include "elaborator.hpp"
#include "horae/core/quantity_text.hpp"
#include "text/number_text.hpp"

namespace horae::p4lang {

using tree::DeclKind;
using tree::TypeForm;

namespace {

bool is_type_symbol(const Symbol& s) {
  return s.kind == SymbolKind::type ||
         (s.kind == SymbolKind::generic &&
          (s.decls[0]->kind == DeclKind::extern_object || s.decls[0]->kind == DeclKind::structure ||
           s.decls[0]->kind == DeclKind::header || s.decls[0]->kind == DeclKind::header_union));
}

const Annotation* find_annotation(const std::vector<Annotation>& all, std::string_view name) {
  for (const auto& a : all) {
    if (a.name == name) return &a;
  }
  return nullptr;
}

}  // namespace

Scope* Elaborator::new_scope(Scope* parent) {
  scopes_.emplace_back();
  scopes_.back().parent = parent;
  return &scopes_.back();
}

void Elaborator::work(const Place& place, std::size_t amount) {
  work_ += amount;
  if (work_ <= most_work) return;
  report_.fault(
      place, fmt::format("with all that is inlined the program has more than {} parts", most_work));
  throw Stop{};
}

void Elaborator::add(const std::string& name, Symbol symbol, const Place& place) {
  symbol.place = place;
  auto& names = cx_.scope->names;
  const auto it = names.find(name);
  if (it != names.end() && it->second.kind != SymbolKind::broken &&
      symbol.kind != SymbolKind::broken) {
    report_.fault(place, fmt::format("'{}' is declared already, at {}", name,
                                     program_.place_text(it->second.place)));
  }
  names[name] = std::move(symbol);
}

std::vector<std::string> Elaborator::visible(
    const std::function<bool(const Symbol&)>& wanted) const {
  std::vector<std::string> out;
  for (const Scope* s = cx_.scope; s != nullptr; s = s->parent) {
    for (const auto& [name, symbol] : s->names) {
      if (wanted(symbol)) out.push_back(name);
    }
  }
  return out;
}

Symbol& Elaborator::lookup(const std::string& name, const Place& place, std::string_view what) {
  Symbol* symbol = cx_.scope->find(name);
  if (symbol == nullptr) {
    const bool types = what == "type";
    const auto names = visible([&](const Symbol& s) { return is_type_symbol(s) == types; });
    const std::string near = nearest_name(name, names);
    report_.refuse(place,
                   fmt::format("unknown {} '{}'{}", what, printable(name),
                               near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
  }
  if (symbol->kind == SymbolKind::broken) throw Skip{};
  return *symbol;
}

Symbol Elaborator::value_symbol(Expr value, bool writable, const Place& place) {
  Symbol out;
  out.kind = SymbolKind::value;
  out.type = value.type;
  out.value = std::move(value);
  out.writable = writable;
  out.place = place;
  return out;
}

/// The name by which control planes know it: below its instance, or as `@name` has it.
std::string Elaborator::full_name(const std::string& name,
                                  const std::vector<Annotation>& annotations) const {
  std::string own = name;
  if (const auto* a = find_annotation(annotations, "name"); a != nullptr && !a->words.empty())
    own = a->words[0];
  if (own.starts_with('.')) return own.substr(1);
  return cx_.full.empty() ? own : cx_.full + "." + own;
}

std::uint32_t Elaborator::variable(const std::string& name, const Type* type, Direction direction,
                                   const Place& place, const std::vector<Annotation>& annotations) {
  Variable out;
  out.name = cx_.local.empty() ? name : cx_.local + "." + name;
  out.type = type;
  out.direction = direction;
  out.annotations = annotations;
  out.place = place;
  if (depth_of(*type) > deepest_type)
    report_.refuse(place, fmt::format("types are nested more than {} deep", deepest_type));
  cx_.block->variables.push_back(std::move(out));
  return static_cast<std::uint32_t>(cx_.block->variables.size() - 1);
}

Expr Elaborator::variable_expr(std::uint32_t index, const Place& place) const {
  Expr out = make(ExprKind::variable, cx_.block->variables[index].type, place);
  out.index = index;
  return out;
}

std::uint32_t Elaborator::depth_of(const Type& type) {
  if (const auto it = depths_.find(&type); it != depths_.end()) return it->second;
  std::uint32_t depth = 0;
  for (const Field& f : type.fields) depth = std::max(depth, depth_of(*f.type));
  if (type.element != nullptr) depth = std::max(depth, depth_of(*type.element));
  return depths_[&type] = depth + 1;
}

bool Elaborator::has_header(const Type& type) {
  if (const auto it = has_header_.find(&type); it != has_header_.end()) return it->second;
  bool out = type.kind == TypeKind::header || type.kind == TypeKind::header_union;
  for (const Field& f : type.fields) out = out || has_header(*f.type);
  if (type.element != nullptr) out = out || has_header(*type.element);
  return has_header_[&type] = out;
}

const Type* Elaborator::type(const tree::Type& node) {
  switch (node.form) {
    case TypeForm::named:
      return named(node);
    case TypeForm::bit:
      return types_.bit(node.width == nullptr ? 1 : width(*node.width));
    case TypeForm::signed_bit:
      return types_.signed_bit(width(*node.width));
    case TypeForm::varbit:
      return types_.varbit(width(*node.width));
    case TypeForm::integer:
      return types_.integer();
    case TypeForm::boolean:
      return types_.boolean();
    case TypeForm::error:
      return types_.error();
    case TypeForm::text:
      return types_.text();
    case TypeForm::none:
      return types_.none();
    case TypeForm::any:
      return types_.any();
    case TypeForm::match_kind:
      report_.refuse(node.place, "a value of match_kind is not supported");
    case TypeForm::tuple: {
      std::vector<const Type*> elements;
      for (const auto* argument : node.arguments) elements.push_back(type(*argument));
      const Type* out = types_.tuple(elements);
      if (depth_of(*out) > deepest_type)
        report_.refuse(node.place, fmt::format("types are nested more than {} deep", deepest_type));
      return out;
    }
    case TypeForm::stack: {
      const Type* element = type(*node.element);
      if (element->kind != TypeKind::header && element->kind != TypeKind::header_union)
        report_.refuse(node.place, fmt::format("found a stack of {}, expected headers or unions",
                                               type_text(*element)));
      const Expr size = constant(*node.width, nullptr, "the size of a stack");
      if (size.value < 1 || size.value > 1024)
        report_.refuse(node.place, fmt::format("found a stack of {}, expected 1 to 1024 elements",
                                               size.value.str()));
      return types_.stack(element, size.value.convert_to<std::uint32_t>());
    }
  }
  throw Skip{};
}

std::uint32_t Elaborator::width(const tree::Expr& node) {
  const Expr value = constant(node, nullptr, "a width");
  if (value.value < 1 || value.value > most_width)
    report_.refuse(node.place, fmt::format("found a width of {}, expected 1 to {}",
                                           printable(value.value.str()), most_width));
  return value.value.convert_to<std::uint32_t>();
}

const Type* Elaborator::named(const tree::Type& node) {
  Symbol* found = node.global ? global_->find(node.name) : nullptr;
  const Symbol& symbol = found != nullptr ? *found : lookup(node.name, node.place, "type");
  if (symbol.kind == SymbolKind::type) {
    if (node.has_arguments)
      report_.refuse(node.place, fmt::format("type '{}' takes no type arguments", node.name));
    return symbol.type;
  }
  if (symbol.kind != SymbolKind::generic)
    report_.refuse(node.place, fmt::format("found '{}', expected a type", node.name));
  const Decl& decl = *symbol.decls[0];
  if (decl.kind == DeclKind::extern_object) return extern_type(symbol, node);
  if (decl.kind == DeclKind::parser || decl.kind == DeclKind::control ||
      decl.kind == DeclKind::package || decl.kind == DeclKind::parser_type ||
      decl.kind == DeclKind::control_type)
    report_.refuse(node.place, fmt::format("found '{}', expected the type of a value", node.name));
  std::vector<const Type*> arguments;
  for (const auto* argument : node.arguments) arguments.push_back(type(*argument));
  if (arguments.size() != decl.type_parameters.size())
    report_.refuse(node.place,
                   fmt::format("type '{}': found {} type arguments, expected {}", node.name,
                               arguments.size(), decl.type_parameters.size()));
  return declared(decl, arguments, global_);
}

/// Externs of one name may differ by how many type arguments they take; without any, the first.
const tree::Decl* Elaborator::extern_decl(const Symbol& symbol, std::size_t arguments) const {
  for (const Decl* decl : symbol.decls) {
    if (decl->type_parameters.size() == arguments) return decl;
  }
  return nullptr;
}

const Type* Elaborator::extern_type(const Symbol& symbol, const tree::Type& node) {
  const Decl* decl = extern_decl(symbol, node.arguments.size());
  if (decl == nullptr && !node.has_arguments) decl = symbol.decls[0];
  if (decl == nullptr)
    report_.refuse(node.place,
                   fmt::format("extern '{}': found {} type arguments, expected {}", node.name,
                               node.arguments.size(), symbol.decls[0]->type_parameters.size()));
  std::vector<const Type*> arguments;
  for (const auto* argument : node.arguments) arguments.push_back(type(*argument));
  arguments.resize(decl->type_parameters.size(), types_.any());
  return types_.extern_object(decl->name, std::move(arguments));
}

/// A struct, header or union with its type parameters bound.
const Type* Elaborator::declared(const Decl& decl, const std::vector<const Type*>& arguments,
                                 Scope* scope) {
  const auto key = std::make_pair(&decl, arguments);
  if (const auto it = declared_.find(key); it != declared_.end()) return it->second;
  work(decl.place, 1 + decl.fields.size());
  const TypeKind kind = decl.kind == DeclKind::structure ? TypeKind::structure
                        : decl.kind == DeclKind::header  ? TypeKind::header
                                                         : TypeKind::header_union;
  Type* out = types_.declare(kind, decl.name);
  out->annotations = decl.annotations;
  out->place = decl.place;
  out->type_arguments = arguments;
  const Keep keep(*this);
  cx_.scope = new_scope(scope);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Symbol symbol;
    symbol.kind = SymbolKind::type;
    symbol.type = arguments[i];
    cx_.scope->names[decl.type_parameters[i]] = std::move(symbol);
  }
  std::set<std::string> names;
  for (const auto& field : decl.fields) {
    if (!names.insert(field.name).second)
      report_.fault(field.place,
                    fmt::format("'{}' has a field '{}' already", decl.name, field.name));
    const Type* one = type(*field.type);
    const bool is_header = one->kind == TypeKind::header;
    if (kind == TypeKind::header_union && !is_header)
      report_.fault(field.place,
                    fmt::format("found {} in a header union, expected headers", type_text(*one)));
    if (kind == TypeKind::header &&
        (one->kind == TypeKind::stack || is_header || one->kind == TypeKind::header_union ||
         one->kind == TypeKind::integer || one->kind == TypeKind::none))
      report_.fault(field.place,
                    fmt::format("found {} in a header, expected bits", type_text(*one)));
    if (kind == TypeKind::structure && one->kind == TypeKind::extern_object)
      report_.fault(field.place, fmt::format("found extern '{}' in a struct, expected a value",
                                             type_text(*one)));
    out->fields.push_back({field.name, one, field.annotations});
  }
  std::size_t varbits = 0;
  for (const Field& f : out->fields) varbits += f.type->kind == TypeKind::varbit ? 1 : 0;
  if (varbits > 1)
    report_.fault(decl.place, fmt::format("header '{}' has {} fields of varbit, expected one",
                                          decl.name, varbits));
  measure(*out);
  if (depth_of(*out) > deepest_type)
    report_.refuse(decl.place, fmt::format("types are nested more than {} deep", deepest_type));
  declared_[key] = out;
  return out;
}

const Type* Elaborator::enumeration(const Decl& decl) {
  Type* out = types_.declare(TypeKind::enumeration, decl.name);
  out->annotations = decl.annotations;
  out->place = decl.place;
  const Type* of = decl.type == nullptr ? nullptr : type(*decl.type);
  if (of != nullptr && !is_bits(*of))
    report_.refuse(decl.place,
                   fmt::format("found an enum of {}, expected bit<N> or int<N>", type_text(*of)));
  if (of != nullptr) {
    out->width = of->width;
    out->is_signed = of->kind == TypeKind::signed_bit;
  }
  for (const auto& member : decl.fields) {
    Integer value = out->members.size();
    if (of != nullptr && member.value == nullptr)
      report_.refuse(member.place, fmt::format("member '{}' has no value", member.name));
    if (member.value != nullptr) {
      if (of == nullptr)
        report_.refuse(member.place,
                       fmt::format("member '{}' has a value, but '{}' has no type of bits",
                                   member.name, decl.name));
      value = constant(*member.value, of, "the value of a member").value;
    }
    const auto same = [&](const Member& m) { return m.name == member.name; };
    if (std::any_of(out->members.begin(), out->members.end(), same))
      report_.fault(member.place,
                    fmt::format("'{}' has a member '{}' already", decl.name, member.name));
    out->members.push_back({member.name, value});
  }
  return out;
}

/// A type as it stands in a declaration with type parameters.
const Type* Elaborator::in_scope(const tree::Type& node, const Bindings& types, Scope* scope) {
  if (types.empty() && scope == cx_.scope) return type(node);
  const Keep keep(*this);
  Scope bound;
  bound.parent = scope;
  for (const auto& [name, t] : types) {
    Symbol symbol;
    symbol.kind = SymbolKind::type;
    symbol.type = t == nullptr ? types_.any() : t;
    bound.names.emplace(name, std::move(symbol));
  }
  cx_.scope = &bound;
  return type(node);
}

bool Elaborator::unify_bound(const Type*& bound, const Type* actual) {
  if (bound == nullptr || bound->kind == TypeKind::any || bound->kind == TypeKind::integer) {
    if (bound == nullptr || actual->kind != TypeKind::any) bound = actual;
    return true;
  }
  if (bound == actual || actual->kind == TypeKind::any || actual->kind == TypeKind::integer)
    return true;
  return has_fields(*bound) && actual->kind == TypeKind::tuple;
}

/// Binds type parameters so that `pattern` can be `actual`. False where it cannot be; whether a
/// value converts is seen later.
bool Elaborator::unify(const tree::Type& pattern, const Type* actual, Bindings& types) {
  if (pattern.form == TypeForm::stack) {
    return actual->kind == TypeKind::stack && unify(*pattern.element, actual->element, types);
  }
  if (pattern.form == TypeForm::tuple) {
    if (!has_fields(*actual) || actual->fields.size() != pattern.arguments.size()) return false;
    for (std::size_t i = 0; i < actual->fields.size(); ++i) {
      if (!unify(*pattern.arguments[i], actual->fields[i].type, types)) return false;
    }
    return true;
  }
  if (pattern.form != TypeForm::named) return true;
  if (const auto it = types.find(pattern.name); it != types.end() && !pattern.has_arguments)
    return unify_bound(it->second, actual);
  if (pattern.arguments.empty()) return true;
  if (actual->type_arguments.empty())
    return actual->kind == TypeKind::any || actual->kind == TypeKind::tuple;
  if (actual->name != pattern.name) return false;
  const std::size_t count = std::min(actual->type_arguments.size(), pattern.arguments.size());
  for (std::size_t i = 0; i < count; ++i) {
    if (!unify(*pattern.arguments[i], actual->type_arguments[i], types)) return false;
  }
  return true;
}

}  // namespace horae::p4lang
