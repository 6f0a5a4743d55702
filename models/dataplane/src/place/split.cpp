#include "split.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace horae::dataplane {
namespace {

/// A chip on which no match table is too large for a stage.
ChipSpec with_large_stages(ChipSpec chip) {
  constexpr std::uint32_t large = 1u << 30;
  chip.stage.sram = chip.stage.map_ram = chip.stage.tcam = large;
  return chip;
}

/// Joins units in the same logical table.
void add(Unit& to, const Unit& more) {
  const auto append = [](auto& list, const auto& rest) {
    list.insert(list.end(), rest.begin(), rest.end());
  };
  to.needs += more.needs;
  append(to.exact_reads, more.exact_reads);
  append(to.ternary_reads, more.ternary_reads);
  append(to.addresses, more.addresses);
  append(to.instructions, more.instructions);
  append(to.memories, more.memories);
  to.stateful |= more.stateful;
}

}  // namespace

DesignPrice price_uncut(const Design& design, const ChipSpec& chip) {
  return price_design(design, with_large_stages(chip));
}

std::optional<std::uint64_t> divisible_entries(const Unit& unit, const Design& design) {
  const auto* match = std::get_if<MatchSpec>(&design.objects[unit.shares.front().object].spec);
  if (match == nullptr || unit.hash_functions + unit.ternary_tables == 0) return std::nullopt;
  const MatchKind kind = match_kind(*match);
  if (kind == MatchKind::atcam || kind == MatchKind::alpm) return std::nullopt;  // in partitions
  const bool attached = std::any_of(unit.shares.begin(), unit.shares.end(), [&](const Share& s) {
    const auto& spec = design.objects[s.object].spec;
    return !host_table(spec).empty() && !in_each_part(spec);
  });
  return attached ? std::nullopt : std::optional(match->entries);
}

TablePart part_of(const Unit& whole, const Design& design, const ChipSpec& chip,
                  std::uint64_t entries, bool first) {
  const std::size_t of_table = whole.shares.front().object;
  DesignObject table = design.objects[of_table];
  const ChipSpec large = with_large_stages(chip);
  std::vector<const DesignObject*> attached;
  for (const auto& o : design.objects) {
    if (host_table(o.spec) == table.name) attached.push_back(&o);
  }
  const auto price = [&](std::uint64_t n) {
    std::get<MatchSpec>(table.spec).entries = n;
    ObjectPrice own = price_object(table, large, attached);
    TablePart part{std::move(own.units.front()), own.held.front()};
    part.unit.shares = {{of_table, part.unit.alone()}};
    for (const DesignObject* o : attached) {
      if (!in_each_part(o->spec)) continue;
      const auto index = static_cast<std::size_t>(o - design.objects.data());
      const auto cells = is_direct(o->spec) ? std::optional(part.held) : std::nullopt;
      for (const auto& unit : price_object(*o, large, {}, cells).units) {
        part.unit.shares.push_back({index, unit.alone()});
        add(part.unit, unit);
      }
    }
    return part;
  };
  const TablePart all = price(std::get<MatchSpec>(table.spec).entries);
  TablePart part = price(entries);
  if (!first) return part;
  // The whole has more than its table: conditions that were merged into it.
  for (const Resource r : all_resources) part.unit.needs[r] += whole.needs[r] - all.unit.needs[r];
  const auto rest = [](auto& to, const auto& more, std::size_t own) {
    to.insert(to.end(), more.begin() + static_cast<std::ptrdiff_t>(own), more.end());
  };
  rest(part.unit.exact_reads, whole.exact_reads, all.unit.exact_reads.size());
  rest(part.unit.ternary_reads, whole.ternary_reads, all.unit.ternary_reads.size());
  rest(part.unit.instructions, whole.instructions, all.unit.instructions.size());
  std::copy_if(whole.shares.begin(), whole.shares.end(), std::back_inserter(part.unit.shares),
               [&](const Share& s) {
                 return s.object != of_table && !in_each_part(design.objects[s.object].spec);
               });
  return part;
}

}  // namespace horae::dataplane
