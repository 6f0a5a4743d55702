#include "arrays.hpp"

#include "horae/dataplane/objects/divide.hpp"

namespace horae::dataplane {
namespace {

/// Counters and meters that one ALU does not reach are divided over several of the stage, each
/// with a spare (open Tofino compiler, memories.cpp swbox_bus_meters_counters: Tofino2's halves).
void add_memory(Unit& unit, bool statistics, std::int64_t blocks, const ChipSpec& chip) {
  const std::int64_t spare = chip.stateful.spare;
  const std::int64_t most = most_rams(statistics, chip) - spare;
  const std::int64_t parts = chip.stateful.split_core ? divide_up(blocks, most) : 1;
  const std::int64_t rams = blocks + parts * spare;
  for (std::int64_t i = 0; i < parts; ++i)
    unit.memories.push_back({statistics, blocks * (i + 1) / parts - blocks * i / parts + spare});
  unit.needs[Resource::sram] += rams;
  unit.needs[Resource::map_ram] += rams;
  unit.needs[statistics ? Resource::statistics_alu : Resource::stateful_alu] += parts;
}

}  // namespace

std::int64_t bytes_of(std::uint64_t bits) {
  return static_cast<std::int64_t>(divide_up<std::uint64_t>(bits, 8));
}

std::vector<CrossbarRead> read_over(const std::vector<std::string>& fields, std::int64_t bytes,
                                    const std::string& own) {
  if (bytes == 0) return {};
  if (fields.empty()) return {{own + ".", bytes}};  // no field is named so: never shared
  std::vector<CrossbarRead> reads;
  const auto n = static_cast<std::int64_t>(fields.size());
  for (std::int64_t i = 0; i < n; ++i) {
    reads.push_back({fields[static_cast<std::size_t>(i)], bytes * (i + 1) / n - bytes * i / n});
  }
  return reads;
}

// p4c resource_estimate.cpp CounterPerWord.
std::int64_t counters_per_word(const CounterSpec& spec) {
  const bool narrow = spec.width <= 32;
  switch (spec.kind) {
    case CounterKind::one:
      return narrow ? 4 : 2;
    case CounterKind::packets_and_bytes:
      return narrow ? 2 : 1;
    case CounterKind::by_width:
      break;
  }
  return narrow ? 4 : 1;
}

std::int64_t blocks_for(std::uint64_t entries, std::int64_t per_word, const ChipSpec& chip) {
  return divide_up(static_cast<std::int64_t>(entries), per_word * chip.stage.sram_words);
}

void add_counters(Unit& unit, std::uint64_t entries, std::int64_t per_word, const ChipSpec& chip) {
  add_memory(unit, true, blocks_for(entries, per_word, chip), chip);
}

void add_meters(Unit& unit, std::uint64_t entries, MeterKind kind, const ChipSpec& chip) {
  add_memory(unit, false, blocks_for(entries, 1, chip), chip);
  // Four colours in a word of Map RAM (p4c memories.cpp). What is no meter has none: report,
  // tna_meter_lpf_wred.
  if (kind == MeterKind::meter) unit.needs[Resource::map_ram] += blocks_for(entries, 4, chip);
  // A filter's ALU takes as long as a stateful one's (p4c mau_power.cpp).
  unit.stateful |= kind != MeterKind::meter;
}

// Eight, four, two or one timer in a word of Map RAM, no spare: p4c resource_estimate.cpp
// IdleTimePerWord.
void add_idle_timers(Unit& unit, std::uint64_t entries, std::uint32_t bits, const ChipSpec& chip) {
  const std::int64_t per_word = bits <= 1 ? 8 : bits == 2 ? 4 : bits == 3 ? 2 : 1;
  unit.needs[Resource::map_ram] += blocks_for(entries, per_word, chip);
}

bool in_each_part(const ObjectSpec& spec) {
  return is_direct(spec) || std::holds_alternative<CounterSpec>(spec) ||
         std::holds_alternative<ProfileSpec>(spec) || std::holds_alternative<SelectorSpec>(spec);
}

// p4c resource_estimate.h SINGLE_RAMLINE_POOL_SIZE: 120 members in a word.
std::uint32_t selector_words(const SelectorSpec& spec) {
  constexpr std::uint32_t members_per_word = 120;
  return divide_up(spec.group_size, members_per_word);
}

}  // namespace horae::dataplane
