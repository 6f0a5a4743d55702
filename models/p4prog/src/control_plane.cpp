#include "horae/p4prog/control_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/wide.hpp"

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

/// Whether `own` ends with the name, behind a dot.
bool means(const std::string& own, const std::string& name) {
  return own.size() > name.size() && own.ends_with(name) &&
         own[own.size() - name.size() - 1] == '.';
}

}  // namespace

std::size_t find_name(std::string_view what, std::string_view wanted,
                      const std::vector<std::string>& names) {
  const std::string name = plain_name(wanted);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string own = plain_name(names[i]);
    if (own == name) return i;
    if (means(own, name)) ends.push_back(i);
  }
  for (std::size_t i = 0, exact = ends.size(); exact == 0 && i < names.size(); ++i) {
    const std::string own = without_slice(plain_name(names[i]));
    if (own == name || means(own, name)) ends.push_back(i);
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

/// The one of `names` that `wanted` means, in full. InputError: there is none.
std::string whole_name(std::string_view what, std::string_view wanted,
                       const std::vector<std::string>& names) {
  if (names.empty()) throw InputError(fmt::format("there is no {} '{}'", what, wanted));
  return names[find_name(what, wanted, names)];
}

/// Calls `f`; what an object refuses is a fault of the one who asks.
template <class F>
void asked_by_user(F&& f) {
  try {
    f();
  } catch (const ModelError& e) {
    throw InputError(e.what());
  }
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
    std::int64_t order = 0;
    for (const p4lang::Entry& entry : source.entries) {
      std::vector<FieldPattern> patterns;
      for (std::size_t i = 0; i < table.site->keys.size(); ++i)
        patterns.push_back(
            pattern_of_set(entry.keys.at(table.site->key_numbers[i]), table.match->fields()[i]));
      try {
        table.match->insert(patterns, --order, call_of(*table.code, entry.action));
      } catch (const ModelError& e) {
        throw InputError(program_.place_text(entry.place) + ": " + e.what());
      }
    }
  }
}

std::vector<std::string> ControlPlane::table_names() const {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (Machine* m : machines_) {
    for (const TableObject& t : m->objects().tables()) {
      if (t.code != nullptr && seen.insert(t.code->source->name).second)
        names.push_back(t.code->source->name);
    }
  }
  return names;
}

const std::vector<TableObject*>& ControlPlane::tables(std::string_view name) {
  if (const auto known = found_.find(name); known != found_.end()) return known->second;
  const auto names = table_names();
  const std::string full = whole_name("table", name, names);
  std::vector<TableObject*> out;
  for (Machine* m : machines_) {
    for (TableObject& t : m->objects().tables()) {
      if (t.code != nullptr && t.code->source->name == full) out.push_back(&t);
    }
  }
  return found_.emplace(name, std::move(out)).first->second;
}

void ControlPlane::check_key(std::string_view table, const NamedValue& key) {
  const TableObject& t = *tables(table).front();
  if (!t.match) throw InputError(t.code->source->name + " has no key");
  std::vector<std::string> names;
  for (const auto& f : t.match->fields()) names.push_back(f.name);
  const auto& field =
      t.match->fields()[find_name("key of " + t.code->source->name, key.name, names)];
  FieldPattern pattern;
  try {
    pattern = pattern_of(key.value, field);
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
        (whole_name != name && !means(whole_name, name)))
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
    given[field] = pattern_of(keys[i].value, fields[field], keys[i].script);
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
    const std::uint64_t most = group ? t->selector->group_count : t->profile->entries;
    if (to.number >= most)
      throw InputError(fmt::format("{} {} of {}, which has {}", group ? "group" : "member",
                                   to.number, group ? t->selector->name : t->profile->name, most));
    asked_by_user([&] {
      t->match->insert(patterns(*t, keys), priority.value_or(0),
                       {group ? group_reference : member_reference, {to.number}});
    });
  }
}

bool ControlPlane::has_profile(std::string_view name) const {
  for (Machine* m : machines_) {
    for (const auto& [object, profile] : m->objects().profiles())
      if (profile.name == name || means(profile.name, std::string(name))) return true;
  }
  return false;
}

void ControlPlane::set_member(std::string_view profile, std::uint64_t member,
                              std::string_view action, const std::vector<NamedValue>& data) {
  std::vector<std::string> names;
  for (Machine* m : machines_) {
    for (const auto& [object, p] : m->objects().profiles())
      if (std::ranges::find(names, p.name) == names.end()) names.push_back(p.name);
  }
  const std::string full = whole_name("action profile", profile, names);
  for (Machine* m : machines_) {
    const auto& all = m->objects().tables();
    const auto of = std::ranges::find_if(
        all, [&](const TableObject& t) { return t.profile != nullptr && t.profile->name == full; });
    if (of == all.end()) continue;
    if (member >= of->profile->entries)
      throw InputError(
          fmt::format("member {} of {}, which has {}", member, full, of->profile->entries));
    of->profile->members->put(member, call(*of, action, data));
  }
}

void ControlPlane::add_to_group(std::string_view selector, std::uint64_t group,
                                const std::vector<std::uint64_t>& members) {
  std::vector<std::string> names;
  for (Machine* m : machines_) {
    for (const auto& [object, s] : m->objects().selectors())
      if (std::ranges::find(names, s.name) == names.end()) names.push_back(s.name);
  }
  const std::string full = whole_name("action selector", selector, names);
  for (Machine* m : machines_) {
    for (auto& [object, s] : m->objects().selectors()) {
      if (s.name == full) asked_by_user([&] { s.add(group, members); });
    }
  }
}

std::uint64_t ControlPlane::group_address_step(std::string_view table) {
  const TableObject& t = *tables(table).front();
  if (t.selector == nullptr) throw InputError(t.code->source->name + " has no action selector");
  return std::uint64_t{128} * std::bit_ceil(t.selector->words());
}

std::uint64_t ControlPlane::place_of(std::string_view table, std::optional<std::int64_t> priority,
                                     const std::vector<NamedValue>& keys) {
  TableObject* t = tables(table).front();
  if (!t->match) throw InputError(t->code->source->name + " has no key");
  const auto place = t->match->find(patterns(*t, keys), priority.value_or(0));
  if (!place) throw InputError(fmt::format("{} has no such entry", t->code->source->name));
  return *place;
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
  for (Machine* m : machines_) {
    for (TableObject& t : m->objects().tables()) {
      if (t.match && !t.code->source->const_entries) t.match->clear();
    }
  }
}

std::optional<std::uint32_t> ControlPlane::extern_named(std::string_view name,
                                                        std::string_view type) const {
  std::vector<std::string> names;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < program_.externs.size(); ++i) {
    if (program_.externs[i].type->name.find(type) == std::string::npos) continue;
    names.push_back(program_.externs[i].name);
    numbers.push_back(i);
  }
  return numbers[find_name(type, name, names)];
}

std::vector<std::uint64_t> ControlPlane::read_register(std::string_view name, std::uint64_t index) {
  const std::uint32_t object = *extern_named(name, "Register");
  for (Machine* m : machines_) {
    auto& registers = m->objects().registers();
    const auto found = registers.find(object);
    if (found == registers.end()) continue;
    RegisterObject& r = found->second;
    if (index >= r.entries)
      throw InputError(
          fmt::format("cell {} of {} of {}", index, program_.externs[object].name, r.entries));
    const Cell cell = r.cells->read(index);
    return r.pair || r.wide ? std::vector{cell.low, cell.high} : std::vector{cell.low};
  }
  throw InputError(program_.externs[object].name + " is not used by the program");
}

void ControlPlane::write_register(std::string_view name, std::uint64_t index,
                                  const std::vector<std::uint64_t>& words) {
  const std::uint32_t object = *extern_named(name, "Register");
  for (Machine* m : machines_) {
    auto& registers = m->objects().registers();
    const auto found = registers.find(object);
    if (found == registers.end()) continue;
    if (index >= found->second.entries)
      throw InputError(fmt::format("cell {} of {} of {}", index, program_.externs[object].name,
                                   found->second.entries));
    const RegisterObject& r = found->second;
    for (const std::uint64_t word : words) {
      const std::uint32_t bits = r.wide ? 64 : r.bits;
      if (word & ~wide::low_mask(bits))
        throw InputError(fmt::format("{:#x} is wider than the {} bits of {}", word, bits,
                                     program_.externs[object].name));
    }
    if (words.size() > (r.pair || r.wide ? 2u : 1u))
      throw InputError(fmt::format("{} values for a cell of {}, which has one", words.size(),
                                   program_.externs[object].name));
    found->second.cells->write(index,
                               {words.empty() ? 0 : words[0], words.size() < 2 ? 0 : words[1]});
  }
}

ControlPlane::Count ControlPlane::read_counter(std::string_view name, std::uint64_t index) {
  const std::uint32_t object = *extern_named(name, "Counter");
  Count out;
  for (Machine* m : machines_) {
    auto& counters = m->objects().counters();
    const auto found = counters.find(object);
    if (found == counters.end()) continue;
    if (index >= found->second->entries())
      throw InputError(fmt::format("counter {} of {} of {}", index, program_.externs[object].name,
                                   found->second->entries()));
    out.packets += found->second->packets(index);
    out.bytes += found->second->bytes(index);
  }
  return out;
}

void ControlPlane::write_counter(std::string_view name, std::uint64_t index, const Count& count) {
  const std::uint32_t object = *extern_named(name, "Counter");
  for (Machine* m : machines_) {
    auto& counters = m->objects().counters();
    const auto found = counters.find(object);
    if (found == counters.end()) continue;
    if (index >= found->second->entries())
      throw InputError(fmt::format("counter {} of {} of {}", index, program_.externs[object].name,
                                   found->second->entries()));
    return found->second->write(index, count.packets, count.bytes);
  }
}

void ControlPlane::set_low_pass(std::string_view name, std::uint64_t index,
                                const dataplane::LowPassSetting& setting) {
  const std::uint32_t object = *extern_named(name, "Lpf");
  for (Machine* m : machines_) {
    auto& filters = m->objects().low_passes();
    const auto found = filters.find(object);
    if (found == filters.end()) continue;
    if (index >= found->second->entries())
      throw InputError(fmt::format("filter {} of {} of {}", index, program_.externs[object].name,
                                   found->second->entries()));
    found->second->set(index, setting);
  }
}

void ControlPlane::set_early_drop(std::string_view name, std::uint64_t index,
                                  const dataplane::EarlyDropSetting& setting) {
  const std::uint32_t object = *extern_named(name, "Wred");
  for (Machine* m : machines_) {
    auto& drops = m->objects().early_drops();
    const auto found = drops.find(object);
    if (found == drops.end()) continue;
    asked_by_user([&] { found->second.drop->set(index, setting); });
  }
}

void ControlPlane::add_to_value_set(std::string_view name, const std::vector<std::string>& values) {
  std::vector<std::string> names;
  for (Machine* m : machines_) {
    for (const ValueSetObject& set : m->objects().value_sets()) {
      const std::string& own = set.code->source->name;
      if (std::ranges::find(names, own) == names.end()) names.push_back(own);
    }
  }
  const std::string full = whole_name("value set", name, names);
  for (Machine* m : machines_) {
    for (ValueSetObject& set : m->objects().value_sets()) {
      if (set.code->source->name != full) continue;
      if (set.members.size() >= set.code->source->size) throw InputError(full + " is full");
      ValueSetObject::Member member;
      for (std::size_t i = 0; i < set.code->bits.size(); ++i) {
        const dataplane::MatchField field{full, set.code->bits[i], dataplane::FieldMatch::ternary};
        const FieldPattern p =
            i < values.size() ? pattern_of(values[i], field) : MatchTable::any(field);
        member.values.push_back(p.value.at(0, std::min(64u, field.bits)));
        member.masks.push_back(p.other.at(0, std::min(64u, field.bits)));
      }
      set.members.push_back(std::move(member));
    }
  }
}

void ControlPlane::set_parameter(std::string_view name, const std::vector<std::string>& values) {
  const std::uint32_t object = *extern_named(name, "RegisterParam");
  for (Machine* m : machines_) {
    auto& parameters = m->objects().parameters();
    const auto found = parameters.find(object);
    if (found == parameters.end()) continue;
    for (std::size_t i = 0; i < found->second.size() && i < values.size(); ++i)
      found->second[i] = number_of(values[i], 64)[0];
  }
}

}  // namespace horae::p4prog
