// Elaboration: expressions but for operators and calls.
#include <fmt/format.h>

#include <algorithm>

#include "elaborator.hpp"
#include "fold.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::p4lang {

using tree::Form;

namespace {

bool is_constant(const Expr& e) {
  return e.kind == ExprKind::constant || e.kind == ExprKind::text || e.kind == ExprKind::invalid ||
         (e.kind == ExprKind::list &&
          std::all_of(e.operands.begin(), e.operands.end(), is_constant));
}

std::vector<std::string> field_names(const Type& type) {
  std::vector<std::string> out;
  for (const Field& f : type.fields) out.push_back(f.name);
  return out;
}

std::vector<std::string> member_names(const Type& type) {
  std::vector<std::string> out;
  for (const Member& m : type.members) out.push_back(m.name);
  return out;
}

}  // namespace

Expr Elaborator::make(ExprKind kind, const Type* type, const Place& place) const {
  Expr out;
  out.kind = kind;
  out.type = type;
  out.place = place;
  return out;
}

Expr Elaborator::constant_of(Integer value, const Type* type, const Place& place) const {
  Expr out = make(ExprKind::constant, type, place);
  out.value = std::move(value);
  return out;
}

Expr Elaborator::expr(const tree::Expr& node, const Type* expected) {
  switch (node.form) {
    case Form::number:
      return number(node);
    case Form::boolean:
      return constant_of(node.value, types_.boolean(), node.place);
    case Form::text: {
      Expr out = make(ExprKind::text, types_.text(), node.place);
      out.name = node.name;
      return out;
    }
    case Form::name:
      return name(node);
    case Form::member:
      return member(node);
    case Form::index:
      return index(node);
    case Form::slice:
      return slice(node);
    case Form::unary:
      return unary(node);
    case Form::binary:
      return binary(node);
    case Form::choice:
      return choice(node, expected);
    case Form::cast:
      return cast(node);
    case Form::call:
      return call(node, expected);
    case Form::list:
      return list(node, expected);
    case Form::any:
      return make(ExprKind::absent, types_.any(), node.place);
    case Form::invalid:
      return make(ExprKind::invalid, types_.any(), node.place);
    case Form::type_name:
      report_.refuse(node.place, "found a type, expected a value");
    case Form::by_default:
      report_.refuse(node.place, "found 'default', expected a value");
    case Form::mask:
    case Form::range:
      report_.refuse(node.place, "found a set of values, expected one");
    case Form::rest:
      report_.refuse(node.place, "'...' is not supported");
    case Form::self:
      report_.refuse(node.place, "'this' is supported in calls of methods only");
  }
  throw Skip{};
}

Expr Elaborator::number(const tree::Expr& node) {
  if (node.width == 0) return constant_of(node.value, types_.integer(), node.place);
  const Type* type = node.is_signed ? types_.signed_bit(node.width) : types_.bit(node.width);
  if (!fits(node.value, *type))
    report_.warn(node.place, fmt::format("{} does not fit {}", node.value.str(), type_text(*type)));
  return constant_of(wrapped(node.value, *type), type, node.place);
}

Expr Elaborator::name(const tree::Expr& node) {
  Symbol* found = node.global ? global_->find(node.name) : nullptr;
  const Symbol& symbol = found != nullptr ? *found : lookup(node.name, node.place, "name");
  if (symbol.kind == SymbolKind::value) {
    Expr out = symbol.value;
    out.place = node.place;
    return out;
  }
  if (symbol.kind == SymbolKind::object) return object_expr(symbol.index, node.place);
  if (symbol.kind == SymbolKind::packet) {
    Expr out = make(ExprKind::instance, symbol.type, node.place);
    out.index = no_block;
    return out;
  }
  const std::string_view what = symbol.kind == SymbolKind::table       ? "table"
                                : symbol.kind == SymbolKind::action    ? "action"
                                : symbol.kind == SymbolKind::functions ? "function"
                                : symbol.kind == SymbolKind::value_set ? "value set"
                                : symbol.kind == SymbolKind::block     ? "instance"
                                : symbol.kind == SymbolKind::package   ? "package"
                                                                       : "type";
  report_.refuse(node.place, fmt::format("found {} '{}', expected a value", what, node.name));
}

Expr Elaborator::member(const tree::Expr& node) {
  if (node.a->form == Form::type_name) return type_member(node, *node.a->type);
  Symbol* table = nullptr;
  if (const tree::Expr* applied = table_applied(*node.a, table)) {
    if (node.name != "hit" && node.name != "miss")
      report_.refuse(
          node.place,
          fmt::format("found '{}' of a table's result, expected 'hit' or 'miss'{}", node.name,
                      node.name == "action_run" ? "; 'action_run' is for switch" : ""));
    Expr hit = make(ExprKind::table_hit, types_.boolean(), applied->place);
    hit.index = table->index;
    if (node.name == "hit") return hit;
    return finish(Op::logical_not, types_.boolean(), std::move(hit), {}, node.place);
  }
  return field(expr(*node.a), node);
}

/// `E.member` and `error.member`.
Expr Elaborator::type_member(const tree::Expr& node, const tree::Type& of) {
  const Type* t = type(of);
  if (t->kind == TypeKind::error) {
    const auto it = error_members_.find(node.name);
    if (it == error_members_.end())
      report_.refuse(node.place, fmt::format("unknown error '{}'{}", node.name,
                                             suggestion(node.name, program_.errors)));
    return constant_of(it->second, t, node.place);
  }
  if (t->kind != TypeKind::enumeration)
    report_.refuse(node.place, fmt::format("found '{}' of type {}, which has no members", node.name,
                                           type_text(*t)));
  for (const Member& m : t->members) {
    if (m.name == node.name) return constant_of(m.value, t, node.place);
  }
  report_.refuse(node.place, fmt::format("'{}' has no member '{}'{}", t->name, node.name,
                                         suggestion(node.name, member_names(*t))));
}

Expr Elaborator::field(Expr base, const tree::Expr& node) {
  const Type& type = *base.type;
  if (type.kind == TypeKind::stack) return stack_member(std::move(base), node);
  if (type.kind == TypeKind::tuple || !has_fields(type))
    report_.refuse(node.place, fmt::format("found field '{}' of {}, which has none",
                                           printable(node.name), type_text(type)));
  for (std::uint32_t i = 0; i < type.fields.size(); ++i) {
    if (type.fields[i].name != node.name) continue;
    if (base.kind == ExprKind::list) {  // of a constant
      Expr out = base.operands[i];
      out.place = node.place;
      return out;
    }
    Expr out = make(ExprKind::field, type.fields[i].type, node.place);
    out.index = i;
    out.operands.push_back(std::move(base));
    return out;
  }
  report_.refuse(node.place,
                 fmt::format("{} has no field '{}'{}", type_text(type), printable(node.name),
                             suggestion(node.name, field_names(type))));
}

Expr Elaborator::stack_member(Expr base, const tree::Expr& node) {
  const Type* element = base.type->element;
  const Type* bits = types_.bit(32);
  if (node.name == "size") return constant_of(base.type->size, bits, node.place);
  const bool is_index = node.name == "lastIndex" || node.name == "nextIndex";
  const bool is_element = node.name == "next" || node.name == "last";
  if (!is_index && !is_element)
    report_.refuse(node.place, fmt::format("a stack has no '{}', expected next, last, lastIndex, "
                                           "nextIndex or size",
                                           printable(node.name)));
  if (!cx_.is_parser)
    report_.refuse(node.place, fmt::format("'{}' of a stack is for parsers", node.name));
  const ExprKind kind = node.name == "next"        ? ExprKind::next
                        : node.name == "last"      ? ExprKind::last
                        : node.name == "lastIndex" ? ExprKind::last_index
                                                   : ExprKind::next_index;
  Expr out = make(kind, is_index ? bits : element, node.place);
  out.operands.push_back(std::move(base));
  return out;
}

Expr Elaborator::index(const tree::Expr& node) {
  Expr base = expr(*node.a);
  if (base.type->kind != TypeKind::stack)
    report_.refuse(node.place, fmt::format("found an index of {}, expected a stack of headers",
                                           type_text(*base.type)));
  Expr at = expr(*node.b);
  if (!is_number(*at.type))
    report_.refuse(at.place,
                   fmt::format("found an index of type {}, expected bits", type_text(*at.type)));
  if (at.type->kind == TypeKind::integer) {
    if (at.value < 0 || at.value >= base.type->size)
      report_.refuse(at.place, fmt::format("found index {}, expected 0 to {}",
                                           printable(at.value.str()), base.type->size - 1));
    at.type = types_.bit(32);
  }
  Expr out = make(ExprKind::element, base.type->element, node.place);
  out.operands.push_back(std::move(base));
  out.operands.push_back(std::move(at));
  return out;
}

Expr Elaborator::slice(const tree::Expr& node) {
  Expr base = expr(*node.a);
  if (base.type->kind == TypeKind::enumeration && base.type->width > 0)
    base.type = types_.bit(base.type->width);
  if (!is_bits(*base.type))
    report_.refuse(node.place,
                   fmt::format("found a slice of {}, expected bits", type_text(*base.type)));
  const Expr high = constant(*node.b, nullptr, "the upper end of a slice");
  const Expr low = constant(*node.c, nullptr, "the lower end of a slice");
  if (low.value < 0 || high.value < low.value || high.value >= base.type->width)
    report_.refuse(node.place,
                   fmt::format("found slice [{}:{}] of {}, expected {} >= upper >= lower >= 0",
                               printable(high.value.str()), printable(low.value.str()),
                               type_text(*base.type), base.type->width - 1));
  const auto h = high.value.convert_to<std::uint32_t>();
  const auto l = low.value.convert_to<std::uint32_t>();
  const Type* type = types_.bit(h - l + 1);
  if (base.kind == ExprKind::constant)
    return constant_of(sliced(base.value, *base.type, h, l), type, node.place);
  if (base.kind == ExprKind::slice) {  // of a slice: one of the whole
    base.high = base.low + h;
    base.low += l;
    base.type = type;
    return base;
  }
  Expr out = make(ExprKind::slice, type, node.place);
  out.high = h;
  out.low = l;
  out.operands.push_back(std::move(base));
  return out;
}

Expr Elaborator::list(const tree::Expr& node, const Type* expected) {
  Expr out = make(ExprKind::list, nullptr, node.place);
  work(node.place, node.arguments.size());
  const bool by_name = !node.arguments.empty() && !node.arguments[0].name.empty();
  std::vector<const Type*> types;
  Type* named = nullptr;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const auto& element = node.arguments[i];
    if (element.name.empty() == by_name)
      report_.refuse(element.place, "found elements with and without a name");
    const Type* of = nullptr;
    if (expected != nullptr && has_fields(*expected)) {
      for (std::size_t k = 0; k < expected->fields.size(); ++k) {
        if (by_name ? expected->fields[k].name == element.name : k == i)
          of = expected->fields[k].type;
      }
    }
    if (expected != nullptr && expected->kind == TypeKind::stack) of = expected->element;
    out.operands.push_back(expr(*element.value, of));
    types.push_back(out.operands.back().type);
  }
  if (by_name) {
    named = types_.declare(TypeKind::structure, {});
    for (std::size_t i = 0; i < types.size(); ++i)
      named->fields.push_back({node.arguments[i].name, types[i], {}});
    measure(*named);
  }
  out.type = by_name ? named : types_.tuple(types);
  if (depth_of(*out.type) > deepest_type)
    report_.refuse(node.place, fmt::format("types are nested more than {} deep", deepest_type));
  return out;
}

Expr Elaborator::converted(const tree::Expr& node, const Type* to, std::string_view what) {
  return convert(expr(node, to), to, what);
}

Expr Elaborator::condition(const tree::Expr& node) {
  return converted(node, types_.boolean(), "a condition");
}

/// A constant; of any number where `to` is null.
Expr Elaborator::constant(const tree::Expr& node, const Type* to, std::string_view what) {
  Expr out = to == nullptr ? expr(node) : converted(node, to, what);
  if (to == nullptr && out.kind == ExprKind::constant && !is_number(*out.type) &&
      out.type->kind != TypeKind::enumeration)
    report_.refuse(node.place,
                   fmt::format("found {} as {}, expected a number", type_text(*out.type), what));
  if (!is_constant(out) || (to == nullptr && out.kind != ExprKind::constant))
    report_.refuse(node.place, fmt::format("{} is not known before the program runs", what));
  return out;
}

/// Whether a value of an expression can be one of `to` without a cast.
bool Elaborator::converts(const Expr& from, const Type* to) {
  const Type& type = *from.type;
  if (&type == to || to->kind == TypeKind::any || type.kind == TypeKind::any) return true;
  if (from.kind == ExprKind::absent || from.kind == ExprKind::invalid) return true;
  if (type.kind == TypeKind::integer) return is_bits(*to) || to->kind == TypeKind::integer;
  if (to->kind == TypeKind::integer) return from.kind == ExprKind::constant && is_bits(type);
  if (type.kind == TypeKind::enumeration && type.width > 0)
    return to->kind == (type.is_signed ? TypeKind::signed_bit : TypeKind::bit) &&
           to->width == type.width;
  if (type.kind == TypeKind::extern_object && to->kind == TypeKind::extern_object)
    return type.name == to->name;
  if (from.kind == ExprKind::list && to->kind == TypeKind::stack)
    return from.operands.size() <= to->size;
  if (!has_fields(type) || !has_fields(*to) || type.fields.size() != to->fields.size())
    return false;
  if (from.kind == ExprKind::list) {
    for (std::size_t i = 0; i < type.fields.size(); ++i) {
      if (type.fields[i].name.empty() && !converts(from.operands[i], to->fields[i].type))
        return false;
    }
    return true;
  }
  if (type.kind != TypeKind::tuple && to->kind != TypeKind::tuple) return false;
  for (std::size_t i = 0; i < type.fields.size(); ++i) {
    if (type.fields[i].type != to->fields[i].type) return false;
  }
  return true;
}

Expr Elaborator::convert(Expr from, const Type* to, std::string_view what) {
  if (from.type == to && to->kind != TypeKind::integer) return from;
  if (to->kind == TypeKind::any) {
    // A number without a width where any type is taken: as one of 32 bits.
    if (from.type->kind == TypeKind::integer && from.kind == ExprKind::constant)
      return convert(std::move(from), types_.bit(32), what);
    return from;
  }
  if (!converts(from, to))
    report_.refuse(from.place, fmt::format("found {} as {}, expected {}", type_text(*from.type),
                                           what, type_text(*to)));
  if (from.kind == ExprKind::list) return convert_list(std::move(from), to, what);
  if (from.kind == ExprKind::absent || from.type->kind == TypeKind::any ||
      from.type->kind == TypeKind::extern_object) {
    if (from.kind != ExprKind::instance) from.type = to;
    return from;
  }
  if (from.kind == ExprKind::constant) {
    if (!fits(from.value, *to))
      report_.warn(from.place,
                   fmt::format("{} does not fit {}", printable(from.value.str()), type_text(*to)));
    return constant_of(wrapped(from.value, *to), to, from.place);
  }
  Expr out = make(ExprKind::cast, to, from.place);
  out.operands.push_back(std::move(from));
  return out;
}

Expr Elaborator::convert_list(Expr from, const Type* to, std::string_view what) {
  Expr out = make(ExprKind::list, to, from.place);
  const bool by_name = from.type->kind == TypeKind::structure && from.type->name.empty();
  if (to->kind == TypeKind::stack) {
    for (auto& e : from.operands) out.operands.push_back(convert(std::move(e), to->element, what));
    return out;
  }
  for (std::size_t i = 0; i < to->fields.size(); ++i) {
    std::size_t at = i;
    if (by_name) {
      const auto names = field_names(*from.type);
      at = static_cast<std::size_t>(std::find(names.begin(), names.end(), to->fields[i].name) -
                                    names.begin());
      if (at == names.size())
        report_.refuse(from.place, fmt::format("found no value for field '{}' of {}",
                                               to->fields[i].name, type_text(*to)));
    }
    out.operands.push_back(convert(std::move(from.operands[at]), to->fields[i].type, what));
  }
  return out;
}

Expr Elaborator::lvalue(const tree::Expr& node) {
  require_writable(node);
  Expr out = expr(node);
  require_lvalue(out);
  return out;
}

void Elaborator::require_lvalue(const Expr& e) {
  const Expr* at = &e;
  while (at->kind == ExprKind::field || at->kind == ExprKind::element ||
         at->kind == ExprKind::slice || at->kind == ExprKind::next || at->kind == ExprKind::last)
    at = &at->operands[0];
  if (at->kind != ExprKind::variable)
    report_.refuse(e.place, "found a value that cannot be written, expected a variable or a field");
}

/// Whether what an lvalue begins with may be written: no constant, no `in` parameter.
void Elaborator::require_writable(const tree::Expr& node) {
  const tree::Expr* at = &node;
  while (at->form == Form::member || at->form == Form::index || at->form == Form::slice) at = at->a;
  if (at->form != Form::name) return;
  const Symbol* symbol = cx_.scope->find(at->name);
  if (symbol != nullptr && symbol->kind == SymbolKind::value && !symbol->writable)
    report_.refuse(
        at->place,
        fmt::format("'{}' cannot be written: it is {}", at->name,
                    symbol->value.kind == ExprKind::constant ? "a constant" : "an 'in' parameter"));
}

}  // namespace horae::p4lang
