// Elaboration: tables.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "elaborator.hpp"
#include "fold.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::p4lang {

using tree::DeclKind;
using tree::Form;

namespace {

bool has(const std::vector<Annotation>& all, std::string_view name) {
  return std::any_of(all.begin(), all.end(), [&](const Annotation& a) { return a.name == name; });
}

std::string last_name(const std::string& full) { return full.substr(full.rfind('.') + 1); }

std::vector<std::string> action_names(const Table& table) {
  std::vector<std::string> out;
  for (const auto& a : table.actions) out.push_back(last_name(a.name));
  return out;
}

/// Externs that a property of a table takes. Open Tofino, "Tofino Native Architecture"; v1model.p4;
/// psa.p4.
struct PropertyExterns {
  std::string_view property;
  std::vector<std::string> externs;
};
const PropertyExterns property_externs[] = {
    {"counters", {"DirectCounter", "direct_counter"}},
    {"meters", {"DirectMeter", "direct_meter", "DirectLpf", "DirectWred"}},
    {"registers", {"DirectRegister"}},
    {"filters", {"DirectLpf", "DirectWred", "Lpf", "Wred"}},
    {"implementation",
     {"ActionProfile", "ActionSelector", "action_profile", "action_selector", "Alpm", "Atcam"}},
};

bool matchable(const Type& type) {
  return is_bits(type) || type.kind == TypeKind::boolean || type.kind == TypeKind::error ||
         type.kind == TypeKind::enumeration || type.kind == TypeKind::varbit;
}

}  // namespace

void Elaborator::table(const Decl& decl) {
  if (cx_.is_parser)
    report_.refuse(decl.place, "a table stands in a parser, expected in a control");
  Table out;
  out.name = full_name(decl.name, decl.annotations);
  out.annotations = decl.annotations;
  out.place = decl.place;
  // The table is known from here on: what is wrong in one of its parts hides no other fault.
  const auto guarded = [&](auto&& part) {
    try {
      part();
    } catch (const Skip&) {
    }
  };
  for (const auto& node : decl.keys) guarded([&] { key(node, out); });
  for (const auto& node : decl.actions) guarded([&] { table_action(node, out); });
  guarded([&] { default_action(decl, out); });
  if (decl.size != nullptr)
    guarded([&] {
      const Expr size = constant(*decl.size, nullptr, "the size of a table");
      if (size.value < 0 || size.value > 0xffffffff)
        report_.refuse(decl.size->place,
                       fmt::format("found a size of {}", printable(size.value.str())));
      out.size = size.value.convert_to<std::uint64_t>();
    });
  out.has_entries = decl.has_entries;
  out.const_entries = decl.const_entries;
  for (const auto& node : decl.entries) {
    work(node.place);
    guarded([&] { entry(node, out); });
  }
  for (const auto& node : decl.properties)
    guarded([&] { out.properties.push_back(property(node, out.name)); });
  guarded([&] { set_priorities(decl, out); });
  Symbol symbol;
  symbol.kind = SymbolKind::table;
  symbol.index = static_cast<std::uint32_t>(cx_.block->tables.size());
  cx_.block->tables.push_back(std::move(out));
  add(decl.name, std::move(symbol), decl.place);
}

void Elaborator::key(const tree::KeyElement& node, Table& table) {
  if (std::find(match_kinds_.begin(), match_kinds_.end(), node.match_kind) == match_kinds_.end())
    report_.refuse(node.kind_place, fmt::format("unknown kind of match '{}'{}", node.match_kind,
                                                suggestion(node.match_kind, match_kinds_)));
  Key out;
  out.value = expr(*node.value);
  out.match_kind = node.match_kind;
  out.annotations = node.annotations;
  if (!matchable(*out.value.type))
    report_.refuse(node.value->place,
                   fmt::format("found a key of {}, expected bits", type_text(*out.value.type)));
  out.name = key_name(*node.value);
  for (const auto& a : node.annotations) {
    if (a.name == "name" && !a.words.empty()) out.name = a.words[0];
  }
  table.keys.push_back(std::move(out));
}

/// A key as control planes write it where no @name says otherwise: the text of its expression.
std::string Elaborator::key_name(const tree::Expr& node) const {
  switch (node.form) {
    case Form::name:
      return node.name;
    case Form::member:
      return key_name(*node.a) + "." + node.name;
    case Form::index:
      return key_name(*node.a) + "[" +
             (node.b->form == Form::number ? node.b->value.str() : key_name(*node.b)) + "]";
    case Form::slice:
      return fmt::format("{}[{}:{}]", key_name(*node.a),
                         node.b->form == Form::number ? node.b->value.str() : "?",
                         node.c->form == Form::number ? node.c->value.str() : "?");
    case Form::call: {
      const bool valid = node.a->form == Form::member && node.a->name == "isValid";
      return valid ? key_name(*node.a->a) + ".$valid" : key_name(*node.a);
    }
    case Form::cast:
      return key_name(*node.a);
    case Form::binary:
      return fmt::format("{} {} {}", key_name(*node.a), op_text(node.op), key_name(*node.b));
    case Form::number:
      return node.value.str();
    default:
      return "?";
  }
}

void Elaborator::table_action(const tree::ActionReference& node, Table& table) {
  const bool is_call = node.call->form == Form::call;
  const tree::Expr& name = is_call ? *node.call->a : *node.call;
  if (name.form != Form::name) report_.refuse(node.call->place, "expected the name of an action");
  Symbol* found = name.global ? global_->find(name.name) : nullptr;
  const Symbol& symbol = found != nullptr ? *found : lookup(name.name, name.place, "action");
  if (symbol.kind != SymbolKind::action)
    report_.refuse(name.place, fmt::format("found '{}', expected an action", name.name));
  TableAction out;
  out.function = symbol.index == no_block ? action(*symbol.decls[0], true) : symbol.index;
  const std::vector<std::uint32_t> parameters = cx_.block->functions[out.function].parameters;
  out.name = cx_.block->functions[out.function].name;
  out.table_only = has(node.annotations, "tableonly");
  out.default_only = has(node.annotations, "defaultonly");
  std::size_t directed = 0;
  for (const std::uint32_t p : parameters)
    directed += cx_.block->variables[p].direction != Direction::none ? 1 : 0;
  const std::size_t given = is_call ? node.call->arguments.size() : 0;
  if (given != directed)
    report_.refuse(
        node.call->place,
        fmt::format("action '{}': found {} arguments, expected {}: those with a direction",
                    name.name, given, directed));
  for (std::size_t i = 0; i < given; ++i) {
    const Variable to = cx_.block->variables[parameters[i]];
    if (to.direction == Direction::none)
      report_.refuse(node.call->place,
                     fmt::format("action '{}': parameters with a direction come first", name.name));
    out.bound.push_back(argument(node.call->arguments[i], to.type, to.direction, name.name));
  }
  table.actions.push_back(std::move(out));
}

/// An action of the table with its data, as an entry or a default names it.
ActionChoice Elaborator::action_choice(const tree::Expr& node, const Table& table,
                                       std::string_view what) {
  const bool is_call = node.form == Form::call;
  const tree::Expr& name = is_call ? *node.a : node;
  if (name.form != Form::name)
    report_.refuse(node.place, fmt::format("expected an action as {}", what));
  Symbol* found = name.global ? global_->find(name.name) : nullptr;
  const Symbol& symbol = found != nullptr ? *found : lookup(name.name, name.place, "action");
  const std::uint32_t function = symbol.kind != SymbolKind::action ? no_block
                                 : symbol.index == no_block        ? action(*symbol.decls[0], true)
                                                                   : symbol.index;
  const auto it = std::find_if(table.actions.begin(), table.actions.end(),
                               [&](const TableAction& a) { return a.function == function; });
  if (it == table.actions.end())
    report_.refuse(name.place, fmt::format("'{}' is no action of the table{}", printable(name.name),
                                           suggestion(name.name, action_names(table))));
  ActionChoice out;
  out.action = static_cast<std::uint32_t>(it - table.actions.begin());
  const std::vector<std::uint32_t> parameters = cx_.block->functions[function].parameters;
  const std::size_t bound = it->bound.size();
  std::vector<tree::Argument> given = is_call ? node.arguments : std::vector<tree::Argument>();
  // An action that the list binds already may be written once more.
  if (given.size() == parameters.size())
    given.erase(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(bound));
  if (given.size() + bound != parameters.size())
    report_.refuse(node.place, fmt::format("action '{}': found {} arguments, expected {}",
                                           name.name, given.size(), parameters.size() - bound));
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Variable to = cx_.block->variables[parameters[bound + i]];
    const tree::Argument* one = &given[i];
    for (const auto& other : given) {
      if (!one->name.empty() && (to.name.ends_with("." + other.name) || to.name == other.name)) {
        one = &other;
        break;
      }
    }
    out.arguments.push_back(
        constant(*one->value, to.type, fmt::format("an argument of action '{}'", name.name)));
  }
  return out;
}

void Elaborator::default_action(const Decl& decl, Table& table) {
  table.const_default = decl.const_default;
  if (decl.default_action != nullptr) {
    table.default_action = action_choice(*decl.default_action, table, "a default action");
    return;
  }
  const auto is_none = [&](const TableAction& a) { return a.name == "NoAction"; };
  auto it = std::find_if(table.actions.begin(), table.actions.end(), is_none);
  if (it == table.actions.end()) {
    Symbol* none = global_->find("NoAction");
    if (none == nullptr || none->kind != SymbolKind::action)
      report_.refuse(
          decl.place,
          fmt::format("table '{}' has no default action, and there is no NoAction", decl.name));
    TableAction one;
    one.function = action(*none->decls[0], true);
    one.name = "NoAction";
    one.default_only = true;
    table.actions.push_back(std::move(one));
    it = table.actions.end() - 1;
  }
  table.default_action.action = static_cast<std::uint32_t>(it - table.actions.begin());
}

/// Priorities of entries, where one of them has one: as P4-16 numbers the rest (14.2.1.4), or,
/// where they are annotated, as bmv2's back end does, whose smaller ones win and whose rest have
/// their place, from 1 on (p4c backends/bmv2/common/control.h).
void Elaborator::set_priorities(const Decl& decl, Table& table) {
  if (table.entries.size() != decl.entries.size()) return;  // a faulty one is missing
  std::vector<std::optional<std::int64_t>> annotated;
  for (const auto& node : decl.entries) {
    annotated.emplace_back();
    for (const Annotation& a : node.annotations) {
      if (a.name != "priority") continue;
      std::int64_t n = 0;
      const std::string word = a.words.size() == 1 ? a.words.front() : "";
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), n);
      if (error != std::errc() || end != word.data() + word.size() || n > 0x7fffffff)
        report_.refuse(a.place, "@priority: expected a number of up to 31 bits");
      annotated.back() = n;
    }
  }
  const auto there = [](const auto& one) { return one.has_value(); };
  if (std::ranges::any_of(annotated, there)) {
    for (std::size_t i = 0; i < annotated.size(); ++i)
      table.entries[i].priority = -annotated[i].value_or(static_cast<std::int64_t>(i) + 1);
    return;
  }
  if (std::ranges::none_of(table.entries, there, &Entry::priority)) return;
  const auto number = [&](std::string_view name, std::int64_t otherwise) {
    const Property* const p = table.find(name);
    return p == nullptr || p->value.kind != ExprKind::constant
               ? otherwise
               : p->value.value.convert_to<std::int64_t>();
  };
  const std::int64_t larger = number("largest_priority_wins", 1) != 0 ? 1 : -1;
  const std::int64_t step = number("priority_delta", 1);
  const auto others = static_cast<std::int64_t>(table.entries.size()) - 1;
  std::int64_t next = larger > 0 ? others * step + 1 : 1;
  for (Entry& e : table.entries) {
    const std::int64_t written = e.priority.value_or(next);
    next = written - larger * step;
    e.priority = larger * written;
  }
}

void Elaborator::entry(const tree::EntryNode& node, Table& table) {
  Entry out;
  out.place = node.place;
  out.is_const = node.is_const;
  if (node.priority != nullptr) {
    const Expr priority = constant(*node.priority, nullptr, "a priority");
    if (abs(priority.value) > 0x7fffffff)
      report_.refuse(node.priority->place, "the priority is out of range");
    out.priority = priority.value.convert_to<std::int64_t>();
  }
  const auto keys = flat(node.keys);
  const bool one_for_all =
      keys.size() == 1 && (keys[0]->form == Form::any || keys[0]->form == Form::by_default);
  if (keys.size() != table.keys.size() && !one_for_all)
    report_.refuse(node.place, fmt::format("entry: found {} keys, expected {}", keys.size(),
                                           table.keys.size()));
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const tree::Expr& key = *keys[one_for_all ? 0 : i];
    KeySet set = key_set(key, table.keys[i].value.type);
    const std::string& kind = table.keys[i].match_kind;
    const bool fits = set.kind == SetKind::exact || set.kind == SetKind::any ||
                      (set.kind == SetKind::mask && (kind == "ternary" || kind == "lpm")) ||
                      (set.kind == SetKind::range && kind == "range");
    if (!fits || (set.kind == SetKind::any && kind == "exact"))
      report_.refuse(key.place, fmt::format("key '{}' is {}, which takes no such set",
                                            table.keys[i].name, kind));
    out.keys.push_back(std::move(set));
  }
  out.action = action_choice(*node.action, table, "the action of an entry");
  table.entries.push_back(std::move(out));
}

/// Sets of values with those of lists among them in their place: `{a, b}` is `(a, b)`.
std::vector<const tree::Expr*> Elaborator::flat(const std::vector<const tree::Expr*>& keys) const {
  std::vector<const tree::Expr*> out;
  for (const auto* key : keys) {
    if (key->form != Form::list) {
      out.push_back(key);
      continue;
    }
    std::vector<const tree::Expr*> parts;
    for (const auto& part : key->arguments) parts.push_back(part.value);
    for (const auto* part : flat(parts)) out.push_back(part);
  }
  return out;
}

/// A set of values of a type: of a select case or an entry.
KeySet Elaborator::key_set(const tree::Expr& node, const Type* type) {
  KeySet out;
  if (node.form == Form::any || node.form == Form::by_default) return out;
  if (node.form == Form::mask || node.form == Form::range) {
    out.kind = node.form == Form::mask ? SetKind::mask : SetKind::range;
    out.value = constant(*node.a, type, "a set of values").value;
    out.other = constant(*node.b, type, "a set of values").value;
    if (out.kind == SetKind::range && out.value > out.other)
      report_.fault(node.place,
                    fmt::format("found a range from {} to {}", printable(out.value.str()),
                                printable(out.other.str())));
    return out;
  }
  if (node.form == Form::name) {
    if (const Symbol* symbol = cx_.scope->find(node.name);
        symbol != nullptr && symbol->kind == SymbolKind::value_set) {
      out.kind = SetKind::value_set;
      out.index = symbol->index;
      return out;
    }
  }
  out.kind = SetKind::exact;
  out.value = constant(node, type, "a set of values").value;
  return out;
}

Property Elaborator::property(const tree::TableProperty& node, const std::string& table) {
  Property out;
  out.name = node.name;
  out.is_const = node.is_const;
  out.place = node.place;
  if (node.value->form == Form::call && node.value->a->form == Form::type_name) {
    const tree::Type& type = *node.value->a->type;
    out.value = object_expr(
        make_object(type, node.value->arguments, table + "." + node.name, {}, node.place),
        node.place);
    return out;
  }
  out.value = expr(*node.value);
  if (out.value.kind != ExprKind::instance && out.value.kind != ExprKind::constant &&
      out.value.kind != ExprKind::text && out.value.kind != ExprKind::list)
    report_.refuse(node.value->place,
                   fmt::format("property '{}' is not known before the program runs", node.name));
  const auto* of = std::ranges::find(property_externs, node.name, &PropertyExterns::property);
  if (out.value.kind == ExprKind::instance && of != std::end(property_externs) &&
      std::ranges::find(of->externs, out.value.type->name) == of->externs.end())
    report_.refuse(node.value->place,
                   fmt::format("found {} as '{}' of a table, expected {}",
                               type_text(*out.value.type), node.name, of->externs.front()));
  return out;
}

}  // namespace horae::p4lang
