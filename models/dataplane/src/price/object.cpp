// Prices of single objects.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "divide.hpp"
#include "horae/dataplane/price.hpp"

namespace horae::dataplane {
namespace {

using std::int64_t;
using std::uint64_t;

int64_t bytes_of(uint64_t bits) { return static_cast<int64_t>(divide_up<uint64_t>(bits, 8)); }

/// Bytes on the crossbar, spread over the named fields (or one of the object's own).
std::vector<CrossbarRead> read_over(const std::vector<std::string>& fields, int64_t bytes,
                                    const std::string& own) {
  if (bytes == 0) return {};
  if (fields.empty()) return {{own + ".", bytes}};  // no field is named so: never shared
  std::vector<CrossbarRead> reads;
  const auto n = static_cast<int64_t>(fields.size());
  for (int64_t i = 0; i < n; ++i) {
    reads.push_back({fields[static_cast<std::size_t>(i)], bytes * (i + 1) / n - bytes * i / n});
  }
  return reads;
}

/// A table without a key whose action needs the hash distribution or the random generator: it runs
/// on the hit path, behind a gateway (open Tofino compiler, memories.cpp).
Unit hash_action(const std::string& label) {
  Unit unit;
  unit.label = label;
  unit.needs[Resource::logical_table] = 1;
  unit.needs[Resource::gateway] = 1;
  unit.own_gateways = 1;
  unit.reads_crossbar = true;
  return unit;
}

/// A table without a key on the miss path.
Unit keyless(const std::string& label) {
  Unit unit;
  unit.label = label;
  unit.needs[Resource::logical_table] = 1;
  unit.slow_match = true;
  return unit;
}

struct Pricer {
  const DesignObject& object;
  const ChipSpec& chip;
  ObjectPrice price;

  void refuse(std::string resource, int64_t need, int64_t have, std::string why,
              std::string rewrite = {}) {
    price.units.clear();
    price.refused.push_back(
        {object.name, std::move(resource), -1, need, have, std::move(why), std::move(rewrite)});
  }

  void add(Unit unit) {
    unit.gress = object.gress;
    price.units.push_back(std::move(unit));
  }

  /// Index from hash distribution: its units, hash bits and crossbar bytes.
  void address(Unit& unit, uint32_t bits, uint32_t input_bits,
               const std::vector<std::string>& reads) {
    unit.needs[Resource::hash_dist] = divide_up<int64_t>(bits, chip.stage.hash_dist_bits);
    unit.needs[Resource::hash_bits] = bits;
    unit.exact_reads = read_over(reads, bytes_of(std::max(input_bits, 1u)), object.name);
  }

  /// Pieces that fill the fewest stages, of those the fewest: a power of two, so that bits of the
  /// index choose one.
  uint32_t pieces_for(int64_t blocks) const {
    const auto& stateful = chip.stateful;
    const int64_t cores = stateful.split_core ? 2 : 1;
    const int64_t rams = int64_t{stateful.rows} * stateful.rams_per_row / cores;
    const int64_t alus = chip.stage.stateful_alu / cores;
    const auto least = static_cast<int64_t>(std::bit_ceil(
        static_cast<uint64_t>(divide_up<int64_t>(blocks, stateful.most_data_blocks()))));
    int64_t best = least, best_cores = -1;
    for (int64_t pieces = least; pieces <= 8 * least; pieces *= 2) {
      const int64_t each = divide_up(blocks, pieces) + stateful.spare;
      const int64_t needed = divide_up(pieces, std::max<int64_t>(1, std::min(alus, rams / each)));
      if (best_cores >= 0 && needed >= best_cores) continue;
      best = pieces;
      best_cores = needed;
    }
    return static_cast<uint32_t>(best);
  }

  /// What the register's address takes, to be counted once for all that share it.
  void share_address(Unit& unit, const RegisterSpec& spec) const {
    StatefulAddress shared;
    shared.units = std::exchange(unit.needs[Resource::hash_dist], 0);
    shared.bits = std::exchange(unit.needs[Resource::hash_bits], 0);
    shared.key = spec.reads.empty() ? object.name + "."
                                    : fmt::format("{}/{}/{}", fmt::join(spec.reads, ","),
                                                  shared.bits, spec.cell_bits());
    unit.addresses.push_back(std::move(shared));
  }

  void operator()(const RegisterSpec& spec) {
    const auto& widths = chip.stateful.cell_bits;
    if (std::find(widths.begin(), widths.end(), spec.cell_bits()) == widths.end()) {
      return refuse("width", spec.cell_bits(), widths.back(),
                    fmt::format("cells of {} bits; {} has {}", spec.cell_bits(), chip.name,
                                fmt::join(widths, ", ")),
                    "a width from that list, or two registers");
    }
    const int64_t most = chip.stateful.most_data_blocks();
    const int64_t whole = stateful_blocks(spec.entries, spec.cell_bits(), chip);
    const uint32_t pieces = spec.pieces != 0 ? spec.pieces : pieces_for(whole);
    const uint64_t each = divide_up<uint64_t>(spec.entries, pieces);
    const int64_t blocks = stateful_blocks(each, spec.cell_bits(), chip);
    if (blocks > most) {
      const auto per_block = static_cast<uint64_t>(chip.block_bits() / spec.cell_bits());
      return refuse(
          "map_ram", blocks + chip.stateful.spare, most + chip.stateful.spare,
          fmt::format("{} data blocks and {} spare in one array; one ALU of {} reaches {} and {}",
                      blocks, chip.stateful.spare, chip.name, most, chip.stateful.spare),
          fmt::format("pieces = {} (now {}), or at most {} entries", divide_up(whole, most), pieces,
                      static_cast<uint64_t>(most) * per_block * pieces));
    }
    const uint32_t bits = index_bits(each);
    if (bits > chip.stateful.index_bits) {
      return refuse("index", bits, chip.stateful.index_bits,
                    fmt::format("an index of {} bits; a stateful address has {}", bits,
                                chip.stateful.index_bits));
    }
    const uint32_t all_bits = index_bits(spec.entries);
    for (uint32_t piece = 0; piece < pieces; ++piece) {
      Unit unit =
          hash_action(pieces == 1 ? object.name : fmt::format("{}[{}]", object.name, piece));
      unit.needs[Resource::logical_table] = spec.accesses;
      unit.needs[Resource::gateway] = spec.accesses;
      unit.own_gateways = unit.guard_room = spec.accesses;
      // A hash is as wide as what is hashed; a field is read as far as the index goes.
      const uint32_t input = spec.index_bits != 0              ? spec.index_bits
                             : spec.index == IndexSource::hash ? 104
                                                               : all_bits;
      address(unit, bits, input, spec.reads);
      share_address(unit, spec);
      // All accesses write the same place with the ALU's output: they cannot share words.
      for (uint32_t a = 0; a < spec.accesses; ++a) {
        unit.instructions.push_back(
            {{spec.accesses > 1 ? object.name + ".out" : fmt::format("{}.out", unit.label)}});
      }
      unit.memories.push_back({false, blocks + chip.stateful.spare});
      unit.needs[Resource::sram] = unit.needs[Resource::map_ram] = blocks + chip.stateful.spare;
      unit.needs[Resource::stateful_alu] = 1;
      unit.needs[Resource::action_data_bus] = bytes_of(spec.width);
      unit.stateful = true;
      add(std::move(unit));
    }
  }

  void operator()(const MatchSpec& spec) {
    Unit whole = match_unit(spec, spec.entries);
    if (!price.refused.empty()) return;
    const uint64_t step = chip.stage.sram_words;
    if (within(whole, 1) || spec.entries <= step) return add(std::move(whole));
    // As many entries as leave half of a stage's memories to others; at least one RAM's worth.
    uint64_t low = 1, high = spec.entries / step;
    while (low < high) {
      const uint64_t middle = (low + high + 1) / 2;
      if (within(match_unit(spec, middle * step), 2))
        low = middle;
      else
        high = middle - 1;
    }
    const uint64_t parts = divide_up(spec.entries, low * step);
    if (parts > 2 * uint64_t{chip.stages}) {
      return refuse("stages", static_cast<int64_t>(divide_up<uint64_t>(parts, 2)), chip.stages,
                    fmt::format("{} entries take {} stages by themselves", spec.entries,
                                divide_up<uint64_t>(parts, 2)),
                    fmt::format("at most {} entries", 2 * uint64_t{chip.stages} * low * step));
    }
    uint64_t part = 0;
    for (uint64_t left = spec.entries; left > 0; ++part) {
      const uint64_t entries = std::min(left, low * step);
      Unit unit = match_unit(spec, entries);
      if (!price.refused.empty()) return;
      unit.label = fmt::format("{}[{}]", object.name, part);
      add(std::move(unit));
      left -= entries;
    }
  }

  /// Whether a table takes no more than one part in `share` of what a stage has.
  bool within(const Unit& unit, int64_t share) const {
    for (const Resource r : {Resource::sram, Resource::map_ram, Resource::tcam}) {
      if (unit.needs[r] * share > chip.capacity(r)) return false;
    }
    return true;
  }

  Unit match_unit(const MatchSpec& spec, uint64_t entries) {
    Unit unit;
    unit.label = object.name;
    unit.reads_crossbar = true;
    unit.needs[Resource::logical_table] = 1;
    const auto reads = read_over(spec.reads, bytes_of(spec.key_bits), object.name);
    if (spec.ternary) {
      unit.ternary_reads = reads;
      unit.slow_match = true;
      unit.needs[Resource::tcam] =
          divide_up<int64_t>(spec.key_bits, chip.stage.tcam_bits) *
          divide_up<int64_t>(static_cast<int64_t>(entries), chip.stage.tcam_entries);
      price_indirection(spec, entries, unit);
    } else {
      unit.exact_reads = reads;
      const auto layout = lay_out_exact(spec, entries, chip);
      if (!layout) {
        refuse("sram", bytes_of(spec.key_bits), bytes_of(spec.key_bits),
               fmt::format("an entry of {} key bits is wider than {} RAMs", spec.key_bits,
                           chip.exact.most_wide),
               "a hash of the key in its place");
        return unit;
      }
      unit.needs[Resource::sram] = layout->match_blocks + layout->data_blocks;
      unit.needs[Resource::hash_bits] = layout->hash_bits;
    }
    // A miss runs the reserved no-op.
    for (uint32_t a = 0; a < spec.actions; ++a)
      unit.instructions.push_back({{fmt::format("{}.{}", object.name, a)}});
    unit.instructions.push_back({{}, true});
    unit.needs[Resource::action_data_bus] = bytes_of(spec.data_bits);
    if (spec.counter != DirectCounter::none) {
      add_counter(unit, entries, spec.counter == DirectCounter::packets ? 32 : 64);
    }
    if (spec.meter) add_meter(unit, entries);
    return unit;
  }

  /// TCAM hits lead to a word of SRAM with the entry's action and data.
  void price_indirection(const MatchSpec& spec, uint64_t entries, Unit& unit) {
    const uint64_t code_bits = spec.actions > 1 ? std::bit_width(spec.actions - 1) : 0;
    const bool immediate = spec.data_bits <= chip.exact.immediate_bits;
    const uint64_t overhead = code_bits + (immediate ? spec.data_bits : 0);
    if (overhead > 0) {
      const uint64_t slot = std::max<uint64_t>(8, std::bit_ceil(overhead));
      unit.needs[Resource::sram] +=
          divide_up<int64_t>(static_cast<int64_t>(entries * slot), chip.block_bits());
    }
    if (!immediate) {
      const uint64_t slot = std::bit_ceil(static_cast<uint64_t>(bytes_of(spec.data_bits))) * 8;
      unit.needs[Resource::sram] +=
          divide_up<int64_t>(static_cast<int64_t>(entries * slot), chip.block_bits());
    }
  }

  /// Four 32-bit counters in a word, or one pair of 64-bit packet and byte counters.
  void add_counter(Unit& unit, uint64_t entries, uint32_t width) {
    add_memory(unit, true, stateful_blocks(entries, width == 32 ? 32 : 128, chip));
  }

  /// Counters and meters that one ALU does not reach are divided over several of the stage, each
  /// with a spare (open Tofino compiler, memories.cpp swbox_bus_meters_counters: Tofino2's halves).
  void add_memory(Unit& unit, bool statistics, int64_t blocks) {
    const int64_t spare = chip.stateful.spare;
    const int64_t most = most_rams(statistics, chip) - spare;
    const int64_t parts = chip.stateful.split_core ? divide_up(blocks, most) : 1;
    const int64_t rams = blocks + parts * spare;
    for (int64_t i = 0; i < parts; ++i)
      unit.memories.push_back({statistics, blocks * (i + 1) / parts - blocks * i / parts + spare});
    unit.needs[Resource::sram] += rams;
    unit.needs[Resource::map_ram] += rams;
    unit.needs[statistics ? Resource::statistics_alu : Resource::stateful_alu] += parts;
  }

  /// One meter in a word, and its colours, four in a word of map RAM. A direct meter's data moves
  /// out of the entries (lay_out_exact): its colour takes that way.
  void add_meter(Unit& unit, uint64_t entries) {
    const int64_t colours =
        divide_up<int64_t>(static_cast<int64_t>(entries), int64_t{4} * chip.stage.sram_words);
    add_memory(unit, false, stateful_blocks(entries, chip.stage.sram_word_bits, chip));
    unit.needs[Resource::map_ram] += colours;
  }

  /// What runs a counter or meter array: the action of its table, or a keyless table of its own.
  Unit array_beside(const std::string& table, uint64_t entries) {
    Unit unit;
    if (table.empty()) {
      unit = hash_action(object.name);
      address(unit, index_bits(entries), index_bits(entries), {});
      unit.instructions.push_back({{object.name}});
    }
    unit.label = object.name;
    return unit;
  }

  void operator()(const CounterSpec& spec) {
    Unit unit = array_beside(spec.table, spec.entries);
    add_counter(unit, spec.entries, spec.width);
    add(std::move(unit));
  }

  void operator()(const MeterSpec& spec) {
    Unit unit = array_beside(spec.table, spec.entries);
    add_meter(unit, spec.entries);
    add(std::move(unit));
  }

  void operator()(const ConditionSpec& spec) {
    const GatewayPrice gateway = price_condition(spec, chip);
    if (!gateway.refused.empty()) {
      return refuse("condition", spec.terms * spec.bits, 0, gateway.refused, gateway.rewrite);
    }
    if (gateway.subtracts_first) {
      Unit subtraction = keyless(object.name + ".difference");
      subtraction.instructions.push_back({{object.name + ".difference"}});
      add(std::move(subtraction));
    }
    Unit unit;
    unit.label = object.name;
    unit.reads_crossbar = true;
    unit.needs[Resource::gateway] = gateway.gateways;
    unit.needs[Resource::logical_table] = gateway.gateways;
    unit.needs[Resource::hash_bits] = gateway.hash_bits;
    unit.exact_reads = read_over(spec.reads, gateway.crossbar_bytes, object.name);
    add(std::move(unit));
  }

  void operator()(const ActionSpec& spec) {
    Unit unit = keyless(object.name);
    for (uint32_t i = 0; i < spec.instructions; ++i) {
      unit.instructions.push_back(
          {spec.writes.empty() ? std::vector<std::string>{fmt::format("{}.{}", object.name, i)}
                               : spec.writes});
    }
    add(std::move(unit));
  }

  void operator()(const HashSpec& spec) {
    Unit unit = hash_action(object.name);
    address(unit, spec.output_bits, spec.input_bits, spec.reads);
    unit.instructions.push_back({{object.name}});
    unit.needs[Resource::action_data_bus] = bytes_of(spec.output_bits);
    add(std::move(unit));
  }

  void operator()(const RandomSpec& spec) {
    Unit unit = hash_action(object.name);
    unit.instructions.push_back({{object.name}});
    unit.needs[Resource::action_data_bus] = bytes_of(spec.bits);
    add(std::move(unit));
  }

  void operator()(const MirrorSpec&) {
    Unit unit = keyless(object.name);
    unit.instructions.push_back({{object.name}});
    add(std::move(unit));
  }

  // Two actions, to go around again or to go on, and the gateway that tells the loops left from
  // none.
  void operator()(const RecirculateSpec&) {
    Unit unit = keyless(object.name);
    unit.needs[Resource::logical_table] = 2;
    unit.needs[Resource::gateway] = 1;
    unit.instructions.push_back({{"egress_port"}});
    unit.instructions.push_back({{"egress_port"}});
    unit.exact_reads = {{object.name + ".", 1}};
    unit.reads_crossbar = true;
    add(std::move(unit));
  }
};

}  // namespace

int64_t stateful_blocks(uint64_t entries, uint32_t cell_bits, const ChipSpec& chip) {
  const auto per_block = static_cast<uint64_t>(chip.block_bits()) / cell_bits;
  return static_cast<int64_t>(divide_up<uint64_t>(entries, per_block));
}

uint32_t index_bits(uint64_t entries) {
  return entries <= 1 ? 0 : static_cast<uint32_t>(std::bit_width(entries - 1));
}

ObjectPrice price_object(const DesignObject& object, const ChipSpec& chip) {
  Pricer pricer{object, chip, {}};
  std::visit(pricer, object.spec);
  return std::move(pricer.price);
}

int64_t most_rams(bool statistics, const ChipSpec& chip) {
  const auto& stateful = chip.stateful;
  int64_t most = 0;
  for (uint32_t home = statistics ? 0 : 1; home < stateful.rows; home += 2) {
    const uint32_t floor = stateful.split_core && home >= stateful.rows / 2 ? stateful.rows / 2 : 0;
    most = std::max<int64_t>(most, std::min(home - floor + 1, stateful.reach_rows));
  }
  return most * stateful.rams_per_row;
}

Amounts Unit::alone() const {
  Amounts all = needs;
  for (const auto& r : exact_reads) all[Resource::exact_xbar] += r.bytes;
  for (const auto& r : ternary_reads) all[Resource::ternary_xbar] += r.bytes;
  for (const auto& a : addresses) {
    all[Resource::hash_dist] += a.units;
    all[Resource::hash_bits] += a.bits;
  }
  all[Resource::vliw] += static_cast<int64_t>(instructions.size());
  return all;
}

}  // namespace horae::dataplane
