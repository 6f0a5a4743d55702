// Action profiles and selectors of a gress, by the `implementation` of its tables.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "horae/core/error.hpp"
#include "horae/p4prog/layout.hpp"
#include "horae/p4prog/objects.hpp"

namespace horae::p4prog {

using p4lang::Expr;
using p4lang::ExprKind;
using p4lang::ExternObject;

namespace {

// Members that a RAM word of a selector has (Open Tofino, "Tofino Native Architecture"; bf-p4c).
constexpr std::uint32_t members_of_word = 120;
constexpr std::uint32_t bits_of_word = 128;

// Defaults of a selector: bf-p4c, "default max group size" and "number of groups".
constexpr std::uint32_t default_group_size = 120;
constexpr std::uint32_t default_groups = 1;

/// Whether both name the same actions in the same order.
bool same_actions(const TableCode& a, const TableCode& b) {
  return std::ranges::equal(a.actions, b.actions, {}, &ActionCode::name, &ActionCode::name);
}

std::uint32_t data_bits(const TableCode& code) {
  std::uint32_t most = 0;
  for (const ActionCode& a : code.actions) {
    std::uint32_t bits = 0;
    for (const ParameterCode& p : a.data) bits += p.bits;
    most = std::max(most, bits);
  }
  return most;
}

}  // namespace

std::uint32_t SelectorObject::words() const {
  return (group_size + members_of_word - 1) / members_of_word;
}

void SelectorObject::add(std::uint64_t group, const std::vector<std::uint64_t>& more) {
  if (group >= group_count)
    throw ModelError(fmt::format("group {} of {} of {}", group, name, group_count));
  for (const std::uint64_t member : more) {
    if (member >= profile->entries)
      throw ModelError(
          fmt::format("member {} of {} of {}", member, profile->name, profile->entries));
    members[group].push_back(static_cast<std::uint32_t>(member));
  }
  const std::size_t before = members[group].size() - more.size();
  groups->put(group, members[group]);
  for (std::size_t i = before; by_place && i < members[group].size(); ++i)
    alive->cells->write(bit_of(group, static_cast<std::uint32_t>(i)), {1, 0});
}

std::uint64_t SelectorObject::bit_of(std::uint64_t group, std::uint32_t member) const {
  return (group * words() + member / members_of_word) * bits_of_word + member % members_of_word;
}

/// The chip has one RAM for the register and the groups.
void SelectorObject::follow_register(std::size_t group) {
  if (!by_place && members[group].size() != group_size) {
    members[group].resize(group_size);
    for (std::uint32_t i = 0; i < group_size; ++i) members[group][i] = i;
    groups->put(group, members[group]);
  }
  for (std::uint32_t i = 0; i < members[group].size(); ++i) {
    const std::uint64_t cell = bit_of(group, i);
    groups->set_alive(group, i, cell < alive->entries && (alive->cells->read(cell).low & 1) != 0);
  }
}

/// A SelectorAction changes the bits of its selector's groups.
void Objects::make_register_of_selector(std::uint32_t action, std::uint32_t object) {
  const auto found = selectors_.find(object);
  if (found == selectors_.end())
    refuse(program_.externs[action].place,
           fmt::format("{}: its selector {} is of no table of this gress",
                       program_.externs[action].name, program_.externs[object].name));
  SelectorObject& s = found->second;
  if (s.alive == nullptr) {
    RegisterObject r;
    r.bits = 1;
    r.entries = r.total = std::uint64_t{s.group_count} * s.words() * bits_of_word;
    r.cells = std::make_unique<dataplane::Register<Cell>>(
        pipeline_, gress_, s.name + ".bits",
        dataplane::RegisterSpec{.width = 1, .entries = r.entries}, dataplane::Needs{}, Cell{});
    s.alive = &registers_.emplace(object, std::move(r)).first->second;
    s.by_place = true;
  }
  register_of_[action] = s.alive;
}

void Objects::make_implementation(TableObject& table) {
  const p4lang::Property* property = table.code->source->find("implementation");
  if (property == nullptr || property->value.kind != ExprKind::instance) return;
  const std::uint32_t object = property->value.index;
  const ExternObject& source = program_.externs.at(object);
  if (source.type->name == "ActionSelector") {
    table.selector = &make_selector(object, table);
    table.profile = table.selector->profile;
  } else if (source.type->name == "ActionProfile") {
    const Expr* size = source.arguments.empty() ? nullptr : &source.arguments[0];
    if (size == nullptr || size->kind != ExprKind::constant || size->value <= 0)
      refuse(source.place, source.name + ": an action profile without members");
    table.profile = &make_profile(object, static_cast<std::uint64_t>(size->value), table);
  }
}

ProfileObject& Objects::make_profile(std::uint32_t object, std::uint64_t entries,
                                     TableObject& table) {
  const auto [found, fresh] = profiles_.try_emplace(object);
  ProfileObject& p = found->second;
  if (fresh) {
    p.name = program_.externs[object].name;
    p.entries = entries;
    p.data_bits = data_bits(*table.code);
    p.table = &table;
    p.members = std::make_unique<dataplane::ActionProfile<dataplane::ActionCall>>(
        pipeline_, gress_, p.name,
        dataplane::ProfileSpec{.entries = entries, .data_bits = p.data_bits}, *table.match);
    return p;
  }
  for (const TableObject& other : tables_) {
    if (other.profile == &p && !same_actions(*other.code, *table.code))
      refuse(table.code->source->place,
             fmt::format("{} has other actions than {}, which shares its action profile {}",
                         table.code->source->name, other.code->source->name, p.name));
  }
  p.members->share_with(*table.match);
  return p;
}

SelectorObject& Objects::make_selector(std::uint32_t object, TableObject& table) {
  const auto [found, fresh] = selectors_.try_emplace(object);
  SelectorObject& s = found->second;
  if (!fresh) {
    s.groups->share_with(*table.match);
    make_profile(s.profile_object, s.profile->entries, table);
    return s;
  }
  const ExternObject& source = program_.externs[object];
  s.name = source.name;
  std::vector<std::uint64_t> numbers;
  std::optional<std::uint32_t> profile, hash, alive;
  bool resilient = false;
  for (const Expr& e : source.arguments) {
    if (e.kind == ExprKind::instance) {
      const std::string& type = program_.externs[e.index].type->name;
      (type == "ActionProfile" ? profile : type == "Hash" ? hash : alive) = e.index;
    } else if (e.kind == ExprKind::constant && e.type->kind == p4lang::TypeKind::enumeration) {
      for (const p4lang::Member& m : e.type->members)
        resilient = resilient || (m.value == e.value && m.name == "RESILIENT");
    } else if (e.kind == ExprKind::constant) {
      numbers.push_back(static_cast<std::uint64_t>(e.value));
    }
  }
  std::uint64_t entries = 0;
  if (profile) {
    const ExternObject& of = program_.externs[*profile];
    entries = of.arguments.empty() ? 0 : static_cast<std::uint64_t>(of.arguments[0].value);
  } else if (!numbers.empty()) {
    entries = numbers.front();
    numbers.erase(numbers.begin());
  }
  if (entries == 0) refuse(source.place, source.name + ": a selector without members");
  s.group_size = !numbers.empty() ? static_cast<std::uint32_t>(numbers[0]) : default_group_size;
  s.group_count = numbers.size() > 1 ? static_cast<std::uint32_t>(numbers[1]) : default_groups;
  if (!profile && numbers.empty()) s.group_count = static_cast<std::uint32_t>(entries);
  s.members.resize(s.group_count);
  s.profile_object = profile.value_or(object);
  s.profile = &make_profile(s.profile_object, entries, table);
  s.groups = std::make_unique<dataplane::ActionSelector>(
      pipeline_, gress_, s.name + ".groups",
      dataplane::SelectorSpec{
          .groups = s.group_count, .group_size = s.group_size, .resilient = resilient},
      *table.match);
  std::uint32_t input = 0;
  for (const Piece& p : table.site->selector) input += p.bits;
  if (!hash || input == 0)
    refuse(source.place, source.name + ": a selector without a hash or without keys to hash");
  const ExternObject& function = program_.externs[*hash];
  const std::uint32_t output = std::min(32u, bits_of(*function.type->type_arguments.at(0)));
  s.hash = std::make_unique<dataplane::Hash>(
      pipeline_, gress_, s.name + ".hash",
      dataplane::HashSpec{.input_bits = input, .output_bits = output}, hash_algorithm(function));
  if (alive) {
    make_register(*alive);
    s.alive = register_of_.at(*alive);
  }
  return s;
}

}  // namespace horae::p4prog
