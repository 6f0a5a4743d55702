// Prices of single objects.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <utility>

#include "arrays.hpp"
#include "horae/dataplane/objects/divide.hpp"
#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane {
namespace {

using std::int64_t;
using std::uint64_t;

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
  const std::vector<const DesignObject*>& attached;
  std::optional<uint64_t> cells;  ///< of a direct array
  ObjectPrice price = {};

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
               const std::vector<std::string>& reads) const {
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

  /// Amounts of the register's address, to be counted once for all that share it.
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
      const auto below = std::lower_bound(widths.begin(), widths.end(), spec.cell_bits());
      return refuse("width", spec.cell_bits(), below == widths.begin() ? 0 : *std::prev(below),
                    fmt::format("cells of {} bits; {} has {}", spec.cell_bits(), chip.name,
                                fmt::join(widths, ", ")),
                    "a width from that list, or two registers");
    }
    const uint64_t entries = cells.value_or(spec.entries);
    const int64_t most = chip.stateful.most_data_blocks();
    const int64_t whole = stateful_blocks(entries, spec.cell_bits(), chip);
    const uint32_t pieces = !spec.table.empty() ? 1
                            : spec.pieces != 0  ? spec.pieces
                                                : pieces_for(whole);
    const uint64_t each = divide_up<uint64_t>(entries, pieces);
    const int64_t blocks = stateful_blocks(each, spec.cell_bits(), chip);
    if (blocks > most) return refuse_large(spec, whole, blocks, pieces);
    if (!actions_fit(spec)) return;
    const uint32_t bits = index_bits(each);
    if (bits > chip.stateful.index_bits) {
      return refuse("index", bits, chip.stateful.index_bits,
                    fmt::format("an index of {} bits; a stateful address has {}", bits,
                                chip.stateful.index_bits));
    }
    for (uint32_t piece = 0; piece < pieces; ++piece) {
      const std::string label =
          pieces == 1 ? object.name : fmt::format("{}[{}]", object.name, piece);
      Unit unit = register_access(spec, label, bits, index_bits(entries));
      unit.memories.push_back({false, blocks + chip.stateful.spare});
      unit.needs[Resource::sram] = unit.needs[Resource::map_ram] = blocks + chip.stateful.spare;
      unit.needs[Resource::stateful_alu] = 1;
      unit.needs[Resource::action_data_bus] = bytes_of(spec.width);
      unit.stateful = true;
      add(std::move(unit));
    }
  }

  /// Whether the ALU can do what a program's actions ask; refuses what it cannot.
  bool actions_fit(const RegisterSpec& spec) {
    const auto& stateful = chip.stateful;
    std::set<int64_t> constants;
    for (const ActionFacts& a : spec.actions) {
      constants.insert(a.constants.begin(), a.constants.end());
      const auto over = [&](const char* what, uint32_t need, uint32_t have) {
        refuse(what, need, have,
               fmt::format("action {} of a stateful ALU of {}", a.name, chip.name));
        return false;
      };
      if (a.compares > stateful.compares) return over("compares", a.compares, stateful.compares);
      if (a.outputs > stateful.outputs) return over("outputs", a.outputs, stateful.outputs);
    }
    if (spec.actions.size() > stateful.actions) {
      refuse("actions", static_cast<int64_t>(spec.actions.size()), stateful.actions,
             "actions of one register");
      return false;
    }
    if (constants.size() > stateful.constants) {
      refuse("constants", static_cast<int64_t>(constants.size()), stateful.constants,
             "constants of a register's actions beyond -8 to 7");
      return false;
    }
    return true;
  }

  void refuse_large(const RegisterSpec& spec, int64_t whole, int64_t blocks, uint32_t pieces) {
    const int64_t most = chip.stateful.most_data_blocks(), spare = chip.stateful.spare;
    const auto per_block = static_cast<uint64_t>(chip.block_bits() / spec.cell_bits());
    const auto most_entries = [&](uint32_t n) {
      return static_cast<uint64_t>(most) * per_block * n;
    };
    const int64_t enough = divide_up(whole, most);
    std::string rewrite;
    if (spec.direct) {
      rewrite = fmt::format("a table that holds at most {} entries", most_entries(1));
    } else if (!spec.table.empty()) {
      rewrite = fmt::format("at most {} entries", most_entries(1));
    } else if (enough <= most_pieces) {
      rewrite = fmt::format("pieces = {} (now {}), or at most {} entries", enough, pieces,
                            most_entries(pieces));
    } else {
      rewrite = fmt::format("at most {} entries, with pieces = {}", most_entries(most_pieces),
                            most_pieces);
    }
    refuse("map_ram", blocks + spare, most + spare,
           fmt::format("{} data blocks and {} spare in one array; one ALU of {} reaches {} and {}",
                       blocks, spare, chip.name, most, spare),
           std::move(rewrite));
  }

  /// Tables that access a register: a keyless table of its own, on the hit path unless its index is
  /// known, or the actions of its table. `bits`: of the index of one piece; `all_bits`: of the
  /// whole.
  Unit register_access(const RegisterSpec& spec, const std::string& label, uint32_t bits,
                       uint32_t all_bits) const {
    const bool addressed =
        !spec.direct && (spec.index == IndexSource::field || spec.index == IndexSource::hash);
    Unit unit;
    if (!spec.table.empty()) {
      unit.label = label;
    } else {
      unit = addressed ? hash_action(label) : keyless(label);
      unit.needs[Resource::logical_table] = spec.accesses;
      unit.guard_room = spec.accesses;
      if (addressed) unit.needs[Resource::gateway] = unit.own_gateways = spec.accesses;
      // All accesses write the same place with the ALU's output: they cannot share words.
      for (uint32_t a = 0; a < spec.accesses; ++a) {
        unit.instructions.push_back(
            {{spec.accesses > 1 ? object.name + ".out" : fmt::format("{}.out", label)}});
      }
    }
    if (addressed) {
      // A hash is as wide as what is hashed; a field is read as far as the index goes.
      const uint32_t input = spec.index_bits != 0              ? spec.index_bits
                             : spec.index == IndexSource::hash ? 104
                                                               : all_bits;
      address(unit, bits, input, spec.reads);
      share_address(unit, spec);
      unit.reads_crossbar = true;
    }
    return unit;
  }

  void operator()(const MatchSpec& spec) { price = price_match(object, spec, chip, attached); }

  /// Tables that run a counter or meter array: the action of its table, or a keyless table of its
  /// own.
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
    const uint64_t entries = cells.value_or(spec.entries);
    Unit unit = array_beside(spec.table, entries);
    add_counters(unit, entries, counters_per_word(spec), chip);
    add(std::move(unit));
  }

  void operator()(const MeterSpec& spec) {
    const uint64_t entries = cells.value_or(spec.entries);
    Unit unit = array_beside(spec.table, entries);
    add_meters(unit, entries, spec.kind, chip);
    add(std::move(unit));
  }

  void operator()(const ProfileSpec& spec) {
    Unit unit;
    unit.label = object.name;
    unit.needs[Resource::sram] = action_data_blocks(spec.data_bits, spec.entries, chip);
    unit.needs[Resource::action_data_bus] = bytes_of(spec.data_bits);
    add(std::move(unit));
  }

  /// A word for 120 members of each group, a spare, an ALU, and the hash that chooses: 14 bits for
  /// fair groups, 51 for resilient ones, and 10 more that choose a word of a long group (p4c
  /// input_xbar.h FAIR_MODE_HASH_BITS, RESILIENT_MODE_HASH_BITS, resource_estimate.h
  /// MOD_INPUT_BITS).
  void operator()(const SelectorSpec& spec) {
    Unit unit;
    unit.label = object.name;
    const uint64_t words = uint64_t{spec.groups} * selector_words(spec);
    const int64_t rams = blocks_for(words, 1, chip) + chip.stateful.spare;
    unit.needs[Resource::sram] = unit.needs[Resource::map_ram] = rams;
    unit.needs[Resource::stateful_alu] = 1;
    unit.memories.push_back({false, rams});
    unit.needs[Resource::hash_bits] = spec.resilient ? 51 : 14;
    if (selector_words(spec) > 1) {
      unit.needs[Resource::hash_bits] += 10;
      unit.needs[Resource::hash_dist] = 1;
    }
    unit.exact_reads = read_over(spec.reads, bytes_of(spec.input_bits), object.name);
    unit.reads_crossbar = true;
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
    auto fields = spec.writes;
    for (const auto& field : object.sets) {
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    }
    for (uint32_t i = 0; i < spec.instructions; ++i) {
      unit.instructions.push_back(
          {fields.empty() ? std::vector<std::string>{fmt::format("{}.{}", object.name, i)}
                          : fields});
    }
    // Action data that an entry does not hold beside itself is in a RAM (p4c
    // resource_estimate.cpp).
    unit.needs[Resource::action_data_bus] = bytes_of(spec.data_bits);
    if (spec.data_bits > chip.exact.immediate_bits)
      unit.needs[Resource::sram] = action_data_blocks(spec.data_bits, 1, chip);
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

ObjectPrice price_object(const DesignObject& object, const ChipSpec& chip,
                         const std::vector<const DesignObject*>& attached,
                         std::optional<uint64_t> cells) {
  Pricer pricer{object, chip, attached, cells};
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
