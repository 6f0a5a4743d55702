#include "horae/p4prog/control_plane.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/wide.hpp"
#include "objects_by_name.hpp"

namespace horae::p4prog {

using dataplane::ActionCall;
using dataplane::BitString;
using dataplane::FieldPattern;
using dataplane::MatchTable;
using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::Integer;
using p4lang::SetKind;

namespace {

void put_words(std::vector<std::uint64_t>& out, const Expr& e, std::uint32_t bits) {
  if (e.kind == ExprKind::cast) {
    put_words(out, e.operands[0], bits);
    return;
  }
  Integer value = e.value;
  if (value < 0) value += Integer(1) << bits;
  for (std::uint32_t w = 0; w < words_of(bits); ++w)
    out.push_back(static_cast<std::uint64_t>((value >> (64 * w)) & ~std::uint64_t{0}));
}

BitString string_of(const Integer& value, std::uint32_t bits) {
  Integer v = value;
  if (v < 0) v += Integer(1) << bits;
  BitString out;
  for (std::uint32_t left = bits; left > 0;) {
    const std::uint32_t part = left % 64 == 0 ? 64 : left % 64;
    left -= part;
    out.append(static_cast<std::uint64_t>((v >> left) & ~std::uint64_t{0}), part);
  }
  return out;
}

FieldPattern pattern_of_set(const p4lang::KeySet& set, const dataplane::MatchField& field) {
  switch (set.kind) {
    case SetKind::mask:
      return {string_of(set.value & set.other, field.bits), string_of(set.other, field.bits)};
    case SetKind::range:
      return {string_of(set.value, field.bits), string_of(set.other, field.bits)};
    case SetKind::exact:
      return MatchTable::exactly(field, string_of(set.value, field.bits));
    default:
      return MatchTable::any(field);
  }
}

ActionCall call_of(const TableCode& table, const p4lang::ActionChoice& choice) {
  ActionCall out{choice.action, {}};
  const ActionCode& action = table.actions.at(choice.action);
  for (std::size_t i = 0; i < action.data.size() && i < choice.arguments.size(); ++i)
    put_words(out.data, choice.arguments[i], action.data[i].bits);
  return out;
}

/// As names are written in tests: `data$0.f` is `data[0].f`, `$valid` is `$valid$`.
std::string plain_name(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '$' || i + 1 >= name.size() ||
        std::isdigit(static_cast<unsigned char>(name[i + 1])) == 0) {
      out += name[i];
      continue;
    }
    out += '[';
    while (i + 1 < name.size() && std::isdigit(static_cast<unsigned char>(name[i + 1])) != 0)
      out += name[++i];
    out += ']';
  }
  if (out.ends_with("$valid")) out += '$';
  return out;
}

/// Without the slice that a key takes of it: `hdr.a.f[7:0]` is `hdr.a.f`.
std::string without_slice(const std::string& name) {
  const std::size_t at = name.rfind('[');
  return at != std::string::npos && name.find(':', at) != std::string::npos ? name.substr(0, at)
                                                                            : name;
}

}  // namespace

bool name_ends_with(const std::string& own, const std::string& name) {
  return own.size() > name.size() && own.ends_with(name) &&
         own[own.size() - name.size() - 1] == '.';
}

void need_index(std::string_view what, std::uint64_t index, const std::string& name,
                std::uint64_t entries) {
  if (index >= entries)
    throw InputError(fmt::format("{} {} of {}, which has {}", what, index, name, entries));
}

std::size_t find_name(std::string_view what, std::string_view wanted,
                      const std::vector<std::string>& names) {
  const std::string name = plain_name(wanted);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string own = plain_name(names[i]);
    if (own == name) return i;
    if (name_ends_with(own, name)) ends.push_back(i);
  }
  for (std::size_t i = 0, exact = ends.size(); exact == 0 && i < names.size(); ++i) {
    const std::string own = without_slice(plain_name(names[i]));
    if (own == name || name_ends_with(own, name)) ends.push_back(i);
  }
  if (ends.size() == 1) return ends.front();
  if (ends.size() > 1)
    throw InputError(
        fmt::format("{} '{}' may be {} or {}", what, wanted, names[ends[0]], names[ends[1]]));
  std::vector<std::string> candidates = names;
  for (const std::string& n : names) {
    for (std::size_t at = n.find('.'); at != std::string::npos; at = n.find('.', at + 1))
      candidates.push_back(n.substr(at + 1));
  }
  throw InputError(
      fmt::format("there is no {} '{}'{}", what, wanted, suggestion(wanted, candidates)));
}

std::string whole_name(std::string_view what, std::string_view wanted,
                       const std::vector<std::string>& names) {
  if (names.empty()) throw InputError(fmt::format("there is no {} '{}'", what, wanted));
  return names[find_name(what, wanted, names)];
}

ControlPlane::ControlPlane(const p4lang::Program& program, std::vector<Machine*> machines)
    : program_(program), machines_(std::move(machines)) {
  for (Machine* m : machines_) load_constants(*m);
}

void ControlPlane::load_constants(Machine& machine) {
  for (TableObject& table : machine.objects().tables()) {
    if (table.code == nullptr) continue;
    const p4lang::Table& source = *table.code->source;
    const ActionCall otherwise = call_of(*table.code, source.default_action);
    table.only = otherwise;
    if (!table.match) continue;
    table.match->set_default(otherwise);
    // With a prefix, and no other key of choice, the longest one wins, whatever the order.
    const auto& matched = table.match->fields();
    const auto has = [&](dataplane::FieldMatch kind) {
      return std::ranges::find(matched, kind, &dataplane::MatchField::kind) != matched.end();
    };
    const bool by_prefix = has(dataplane::FieldMatch::lpm) &&
                           !has(dataplane::FieldMatch::ternary) &&
                           !has(dataplane::FieldMatch::range);
    std::int64_t order = 0;
    for (const p4lang::Entry& entry : source.entries) {
      std::vector<FieldPattern> patterns;
      for (std::size_t i = 0; i < table.site->keys.size(); ++i)
        patterns.push_back(
            pattern_of_set(entry.keys.at(table.site->key_numbers[i]), table.match->fields()[i]));
      try {
        --order;
        table.match->insert(patterns, by_prefix ? 0 : entry.priority.value_or(order),
                            call_of(*table.code, entry.action));
      } catch (const ModelError& e) {
        throw InputError(program_.place_text(entry.place) + ": " + e.what());
      }
    }
  }
}

std::vector<std::string> ControlPlane::table_names() const {
  return names_of(machines_, &Objects::tables);
}

const std::vector<TableObject*>& ControlPlane::tables(std::string_view name) {
  if (const auto known = found_.find(name); known != found_.end()) return known->second;
  return found_.emplace(name, named(machines_, &Objects::tables, "table", name)).first->second;
}

namespace {

/// Pattern of a key, as text says it; of an enumeration the name of a member. How the chip
/// codes an enumeration without bits is up to who compiles for it, so digits say nothing of one.
FieldPattern key_pattern(const TableObject& table, std::size_t number, const NamedValue& value) {
  const dataplane::MatchField& field = table.match->fields()[number];
  const p4lang::Type& type = *table.code->source->keys[table.site->key_numbers[number]].value.type;
  std::vector<std::string_view> names;
  for (const p4lang::Member& m : type.members) {
    if (value.value == m.name || value.value == type.name + "." + m.name)
      return MatchTable::exactly(field, string_of(m.value, field.bits));
    names.push_back(m.name);
  }
  if (type.kind != p4lang::TypeKind::enumeration || type.width != 0)
    return pattern_of(value.value, field, value.script);
  const std::string_view digits =
      std::string_view(value.value)
          .substr(value.value.starts_with("0x") || value.value.starts_with("0b") ? 2 : 0);
  if (value.value != "_" && digits.find_first_not_of('*') != std::string_view::npos)
    throw InputError(fmt::format("{} for {} of an enumeration without bits; expected one of {}",
                                 value.value, field.name, fmt::join(names, ", ")));
  return MatchTable::any(field);
}

}  // namespace

void ControlPlane::check_key(std::string_view table, const NamedValue& key) {
  const TableObject& t = *tables(table).front();
  if (!t.match) throw InputError(t.code->source->name + " has no key");
  std::vector<std::string> names;
  for (const auto& f : t.match->fields()) names.push_back(f.name);
  const std::size_t number = find_name("key of " + t.code->source->name, key.name, names);
  const dataplane::MatchField& field = t.match->fields()[number];
  FieldPattern pattern;
  try {
    pattern = key_pattern(t, number, key);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{}: {}", field.name, e.what()));
  }
  if (field.kind == dataplane::FieldMatch::exact && pattern.other != BitString::ones(field.bits))
    throw InputError(fmt::format("{} = {}; expected one value, {} matches it exactly", field.name,
                                 key.value, t.code->source->name));
}

void ControlPlane::check_action(std::string_view table, std::string_view action) {
  const TableCode& code = *tables(table).front()->code;
  std::vector<std::string> names;
  for (const ActionCode& a : code.actions) names.push_back(a.name);
  find_name("action of " + code.source->name, action, names);
}

void ControlPlane::check_parameter(std::string_view table, std::string_view action,
                                   const NamedValue& value) {
  const TableCode& table_code = *tables(table).front()->code;
  std::vector<std::string> names, parameters;
  for (const ActionCode& a : table_code.actions) names.push_back(a.name);
  const ActionCode& code =
      table_code.actions[find_name("action of " + table_code.source->name, action, names)];
  for (const ParameterCode& p : code.data) parameters.push_back(p.name);
  const ParameterCode& p =
      code.data[find_name("parameter of " + code.name, value.name, parameters)];
  try {
    number_of(value.value, p.bits, p.type);
  } catch (const InputError& e) {
    throw InputError(fmt::format("{} of {}: {}", p.name, code.name, e.what()));
  }
}

namespace {

/// Bits `high` to `low` of a string.
BitString bits_between(const BitString& whole, std::uint32_t high, std::uint32_t low) {
  BitString out;
  for (std::uint32_t left = high - low + 1; left > 0;) {
    const std::uint32_t part = left % 64 == 0 ? 64 : left % 64;
    out.append(whole.at(whole.bits() - low - left, part), part);
    left -= part;
  }
  return out;
}

/// A key `field & constant` compares the bits of the constant alone.
void mask_by_key(FieldPattern& pattern, const TableObject& table, std::size_t field) {
  const Expr& key = table.code->source->keys[table.site->key_numbers[field]].value;
  if (key.kind != ExprKind::binary || key.op != p4lang::Op::bit_and) return;
  const dataplane::MatchField& f = table.match->fields()[field];
  if (f.kind == dataplane::FieldMatch::range) return;
  for (const Expr& operand : key.operands) {
    if (operand.kind == ExprKind::constant) pattern.value &= string_of(operand.value, f.bits);
  }
}

/// Where a name means a field of which the key takes slices, its value is of the whole field, and
/// each slice takes its bits.
bool put_slices(std::vector<std::optional<FieldPattern>>& given, const TableObject& table,
                const NamedValue& value) {
  const std::string name = plain_name(value.name);
  bool any = false;
  for (std::size_t i = 0; value.script && !value.name.empty() && i < given.size(); ++i) {
    const dataplane::MatchField& field = table.match->fields()[i];
    const std::string own = plain_name(field.name), whole_name = without_slice(own);
    const Expr& key = table.code->source->keys[table.site->key_numbers[i]].value;
    if (own == whole_name || key.kind != ExprKind::slice ||
        (whole_name != name && !name_ends_with(whole_name, name)))
      continue;
    const dataplane::MatchField whole{field.name, p4lang::width_of(*key.operands[0].type),
                                      field.kind};
    const FieldPattern pattern = pattern_of(value.value, whole, value.script);
    given[i] = {bits_between(pattern.value, key.high, key.low),
                bits_between(pattern.other, key.high, key.low)};
    any = true;
  }
  return any;
}

}  // namespace

std::vector<FieldPattern> ControlPlane::patterns(const TableObject& table,
                                                 const std::vector<NamedValue>& keys) const {
  const auto& fields = table.match->fields();
  std::vector<std::string> names;
  for (const auto& f : fields) names.push_back(f.name);
  std::vector<std::optional<FieldPattern>> given(fields.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (put_slices(given, table, keys[i])) continue;
    const std::size_t field =
        keys[i].name.empty()
            ? i
            : find_name("field of " + table.code->source->name, keys[i].name, names);
    if (field >= fields.size())
      throw InputError(fmt::format("{} values for the {} fields of {}", keys.size(), fields.size(),
                                   table.code->source->name));
    given[field] = key_pattern(table, field, keys[i]);
    mask_by_key(*given[field], table, field);
  }
  std::vector<FieldPattern> out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (!given[i] && fields[i].kind == dataplane::FieldMatch::exact)
      throw InputError(fmt::format("no value for {}, which {} matches exactly", fields[i].name,
                                   table.code->source->name));
    out.push_back(given[i] ? *given[i] : MatchTable::any(fields[i]));
  }
  return out;
}

ActionCall ControlPlane::call(const TableObject& table, std::string_view action,
                              const std::vector<NamedValue>& data) const {
  std::vector<std::string> names;
  for (const ActionCode& a : table.code->actions) names.push_back(a.name);
  ActionCall out;
  out.action =
      static_cast<std::uint32_t>(find_name("action of " + table.code->source->name, action, names));
  const ActionCode& code = table.code->actions[out.action];
  std::vector<std::string> parameters;
  for (const ParameterCode& p : code.data) parameters.push_back(p.name);
  std::vector<std::optional<std::vector<std::uint64_t>>> given(code.data.size());
  for (std::size_t i = 0; i < data.size(); ++i) {
    const std::size_t p =
        data[i].name.empty() ? i : find_name("parameter of " + code.name, data[i].name, parameters);
    if (p >= code.data.size())
      throw InputError(fmt::format("{} values for the {} parameters of {}", data.size(),
                                   code.data.size(), code.name));
    given[p] = number_of(data[i].value, code.data[p].bits, code.data[p].type, data[i].script);
  }
  for (std::size_t p = 0; p < code.data.size(); ++p) {
    if (!given[p]) throw InputError(fmt::format("no value for {} of {}", parameters[p], code.name));
    out.data.insert(out.data.end(), given[p]->begin(), given[p]->end());
  }
  return out;
}

void ControlPlane::add(std::string_view table, std::optional<std::int64_t> priority,
                       const std::vector<NamedValue>& keys, std::string_view action,
                       const std::vector<NamedValue>& data) {
  for (TableObject* t : tables(table)) {
    const p4lang::Table& source = *t->code->source;
    if (!t->match) throw InputError(source.name + " has no key");
    if (source.const_entries) throw InputError(source.name + " has entries that are const");
    const ActionCall what = call(*t, action, data);
    if (t->code->actions[what.action].default_only)
      throw InputError(fmt::format("{} may be the default action of {} only",
                                   t->code->actions[what.action].name, source.name));
    asked_by_user([&] { t->match->insert(patterns(*t, keys), priority.value_or(0), what); });
  }
}

void ControlPlane::add(std::string_view table, std::optional<std::int64_t> priority,
                       const std::vector<NamedValue>& keys, const Reference& to) {
  for (TableObject* t : tables(table)) {
    const std::string& name = t->code->source->name;
    const bool group = to.to == Reference::To::group;
    if (t->profile == nullptr || (group && t->selector == nullptr))
      throw InputError(fmt::format("{} has no action {}", name, group ? "selector" : "profile"));
    if (group) need_index("group", to.number, t->selector->name, t->selector->group_count);
    need_index("member", group ? to.first : to.number, t->profile->name, t->profile->entries);
    asked_by_user([&] {
      t->match->insert(patterns(*t, keys), priority.value_or(0),
                       {group ? group_reference : member_reference, {to.number, to.first}});
    });
  }
}

bool ControlPlane::has_profile(std::string_view name) const {
  const auto names = names_of(machines_, &Objects::profiles);
  return std::ranges::any_of(names, [&](const std::string& own) {
    return own == name || name_ends_with(own, std::string(name));
  });
}

void ControlPlane::set_member(std::string_view profile, std::uint64_t member,
                              std::string_view action, const std::vector<NamedValue>& data) {
  for (ProfileObject* p : named(machines_, &Objects::profiles, "action profile", profile)) {
    need_index("member", member, p->name, p->entries);
    p->members->put(member, call(*p->table, action, data));
  }
}

void ControlPlane::add_to_group(std::string_view selector, std::uint64_t group,
                                const std::vector<std::uint64_t>& members) {
  for (SelectorObject* s : named(machines_, &Objects::selectors, "action selector", selector))
    asked_by_user([&] { s->add(group, members); });
}

std::uint64_t ControlPlane::group_address_step(std::string_view table) {
  const TableObject& t = *tables(table).front();
  if (t.selector == nullptr) throw InputError(t.code->source->name + " has no action selector");
  return std::uint64_t{128} * std::bit_ceil(t.selector->words());
}

std::uint64_t ControlPlane::member_address_step(std::string_view table) {
  const TableObject& t = *tables(table).front();
  if (t.profile == nullptr) throw InputError(t.code->source->name + " has no action profile");
  const std::uint32_t bits = std::max(8u, std::bit_ceil(t.profile->data_bits));
  return std::uint64_t{1} << std::min<std::uint32_t>(std::bit_width(bits) - 3, 5);
}

std::uint64_t ControlPlane::place_of(std::string_view table, std::optional<std::int64_t> priority,
                                     const std::vector<NamedValue>& keys) {
  TableObject* t = tables(table).front();
  if (!t->match) throw InputError(t->code->source->name + " has no key");
  const auto place = t->match->find(patterns(*t, keys), priority.value_or(0));
  if (!place) throw InputError(fmt::format("{} has no such entry", t->code->source->name));
  return *place;
}

void ControlPlane::set_idle_time(std::string_view table, std::optional<std::int64_t> priority,
                                 const std::vector<NamedValue>& keys, Picoseconds time,
                                 Picoseconds now) {
  for (TableObject* t : tables(table)) {
    const std::string& name = t->code->source->name;
    if (!t->idle && time == Picoseconds{}) continue;
    if (!t->idle) throw InputError(name + " has no idle_timeout");
    const auto place = t->match->find(patterns(*t, keys), priority.value_or(0));
    if (!place) throw InputError(fmt::format("{} has no such entry", name));
    t->idle->set(*place, time, now);
  }
}

std::uint64_t ControlPlane::idle_notifications(std::string_view table, Picoseconds now) {
  std::uint64_t out = 0;
  for (const TableObject* t : tables(table)) {
    if (t->idle) out += t->idle->notifications(now);
  }
  return out;
}

void ControlPlane::remove(std::string_view table, std::optional<std::int64_t> priority,
                          const std::vector<NamedValue>& keys) {
  for (TableObject* t : tables(table)) {
    if (!t->match) throw InputError(t->code->source->name + " has no key");
    const auto place = t->match->find(patterns(*t, keys), priority.value_or(0));
    if (!place) continue;
    t->match->erase(*place);
    if (t->idle) t->idle->set(*place, {}, {});
  }
}

void ControlPlane::set_default(std::string_view table, std::string_view action,
                               const std::vector<NamedValue>& data) {
  for (TableObject* t : tables(table)) {
    if (t->code->source->const_default)
      throw InputError(t->code->source->name + " has a default action that is const");
    t->only = call(*t, action, data);
    if (t->match) t->match->set_default(t->only);
  }
}

void ControlPlane::clear_tables() {
  for (const std::string& name : table_names()) clear_table(name);
}

void ControlPlane::clear_table(std::string_view table) {
  for (TableObject* t : tables(table)) {
    if (t->match && !t->code->source->const_entries) t->match->clear();
  }
}

}  // namespace horae::p4prog
