// Reads and settings of the control plane beside tables: registers, counters, filters, value sets.
#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/p4prog/control_plane.hpp"
#include "horae/p4prog/wide.hpp"
#include "objects_by_name.hpp"

namespace horae::p4prog {

using dataplane::FieldPattern;
using dataplane::MatchTable;

std::uint32_t ControlPlane::extern_named(std::string_view name, std::string_view type) const {
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
  const std::uint32_t object = extern_named(name, "Register");
  const auto found = numbered(machines_, &Objects::registers, object);
  if (found.empty())
    throw InputError(program_.externs[object].name + " is not used by the program");
  const RegisterObject& r = *found.front();
  need_index("cell", index, program_.externs[object].name, r.entries);
  const Cell cell = r.cells->read(index);
  return r.pair || r.wide ? std::vector{cell.low, cell.high} : std::vector{cell.low};
}

void ControlPlane::write_register(std::string_view name, std::uint64_t index,
                                  const std::vector<std::uint64_t>& words) {
  const std::uint32_t object = extern_named(name, "Register");
  const std::string& own = program_.externs[object].name;
  for (RegisterObject* r : numbered(machines_, &Objects::registers, object)) {
    need_index("cell", index, own, r->entries);
    const std::uint32_t bits = r->wide ? 64 : r->bits;
    for (const std::uint64_t word : words) {
      if (word & ~wide::low_mask(bits))
        throw InputError(fmt::format("{:#x} is wider than the {} bits of {}", word, bits, own));
    }
    if (words.size() > (r->pair || r->wide ? 2u : 1u))
      throw InputError(fmt::format("{} values for a cell of {}, which has one", words.size(), own));
    r->cells->write(index, {words.empty() ? 0 : words[0], words.size() < 2 ? 0 : words[1]});
  }
}

ControlPlane::Count ControlPlane::read_counter(std::string_view name, std::uint64_t index) {
  const std::uint32_t object = extern_named(name, "Counter");
  Count out;
  for (const auto* counter : numbered(machines_, &Objects::counters, object)) {
    need_index("counter", index, program_.externs[object].name, (*counter)->entries());
    out.packets += (*counter)->packets(index);
    out.bytes += (*counter)->bytes(index);
  }
  return out;
}

void ControlPlane::write_counter(std::string_view name, std::uint64_t index, const Count& count) {
  const std::uint32_t object = extern_named(name, "Counter");
  const auto found = numbered(machines_, &Objects::counters, object);
  if (found.empty()) return;
  dataplane::Counter& counter = **found.front();
  need_index("counter", index, program_.externs[object].name, counter.entries());
  counter.write(index, count.packets, count.bytes);
}

void ControlPlane::set_meter(std::string_view name, std::uint64_t index,
                             const dataplane::MeterRates& rates) {
  const std::uint32_t object = extern_named(name, "Meter");
  for (const p4lang::Expr& e : program_.externs[object].arguments) {
    if (e.kind != p4lang::ExprKind::constant) continue;
    for (const p4lang::Member& m : e.type->members) {
      if (m.name == "PACKETS" && m.value == e.value)
        throw InputError(fmt::format("{} counts packets; rates are supported of bytes",
                                     program_.externs[object].name));
    }
  }
  for (const auto* meter : numbered(machines_, &Objects::meters, object)) {
    need_index("meter", index, program_.externs[object].name, (*meter)->entries());
    (*meter)->set_rates(index, rates);
  }
}

void ControlPlane::set_low_pass(std::string_view name, std::uint64_t index,
                                const dataplane::LowPassSetting& setting) {
  const std::uint32_t object = extern_named(name, "Lpf");
  for (const auto* filter : numbered(machines_, &Objects::low_passes, object)) {
    need_index("filter", index, program_.externs[object].name, (*filter)->entries());
    (*filter)->set(index, setting);
  }
}

void ControlPlane::set_early_drop(std::string_view name, std::uint64_t index,
                                  const dataplane::EarlyDropSetting& setting) {
  const std::uint32_t object = extern_named(name, "Wred");
  for (EarlyDropObject* red : numbered(machines_, &Objects::early_drops, object)) {
    need_index("filter", index, program_.externs[object].name, red->drop->entries());
    asked_by_user([&] { red->drop->set(index, setting); });
  }
}

void ControlPlane::set_parameter(std::string_view name, const std::vector<std::string>& values) {
  const std::uint32_t object = extern_named(name, "RegisterParam");
  for (auto* words : numbered(machines_, &Objects::parameters, object)) {
    for (std::size_t i = 0; i < words->size() && i < values.size(); ++i)
      (*words)[i] = number_of(values[i], 64)[0];
  }
}

void ControlPlane::add_to_value_set(std::string_view name, const std::vector<std::string>& values) {
  for (ValueSetObject* set : named(machines_, &Objects::value_sets, "value set", name)) {
    const std::string& own = set->code->source->name;
    if (set->members.size() >= set->code->source->size) throw InputError(own + " is full");
    ValueSetObject::Member member;
    for (std::size_t i = 0; i < set->code->bits.size(); ++i) {
      const dataplane::MatchField field{own, set->code->bits[i], dataplane::FieldMatch::ternary};
      const FieldPattern p =
          i < values.size() ? pattern_of(values[i], field) : MatchTable::any(field);
      member.values.push_back(p.value.at(0, std::min(64u, field.bits)));
      member.masks.push_back(p.other.at(0, std::min(64u, field.bits)));
    }
    set->members.push_back(std::move(member));
  }
}

}  // namespace horae::p4prog
