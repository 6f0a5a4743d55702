// Prices of match tables.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <optional>
#include <sstream>

#include "arrays.hpp"
#include "horae/dataplane/objects/divide.hpp"

namespace horae::dataplane {
namespace {

using std::int64_t;
using std::uint32_t;
using std::uint64_t;

/// p4c resource_estimate.cpp: 4 bits of a TCAM row are the entry's version and validity (reported:
/// 40 bits take one block, 42, 44 and 48 bits two, 88 bits three).
constexpr int64_t tcam_version_bits = 4;

/// Objects of the table, as far as they shape the entries.
EntryLoad load_of(const MatchSpec& spec, const std::vector<const DesignObject*>& attached) {
  EntryLoad load;
  if (spec.counter != DirectCounter::none)
    load.direct_per_word.push_back(spec.counter == DirectCounter::packets ? 4 : 1);
  if (spec.meter) load.direct_per_word.push_back(1);
  load.colours = spec.meter;
  for (const DesignObject* o : attached) {
    if (const auto* r = std::get_if<RegisterSpec>(&o->spec)) {
      if (r->direct) load.direct_per_word.push_back(128 / std::max(1u, r->cell_bits()));
      if (!r->direct && r->index == IndexSource::data) load.pointer_bits += index_bits(r->entries);
    } else if (const auto* c = std::get_if<CounterSpec>(&o->spec)) {
      if (c->direct) load.direct_per_word.push_back(counters_per_word(*c));
    } else if (const auto* m = std::get_if<MeterSpec>(&o->spec)) {
      if (m->direct) load.direct_per_word.push_back(1);
      load.colours |= m->direct && m->kind == MeterKind::meter;
    } else if (const auto* p = std::get_if<ProfileSpec>(&o->spec)) {
      load.profile = true;
      load.pointer_bits += index_bits(p->entries);
    } else if (const auto* s = std::get_if<SelectorSpec>(&o->spec)) {
      // The group's length goes along when it is more than a word (resource_estimate.cpp).
      const uint32_t words = selector_words(*s);
      load.pointer_bits += index_bits(uint64_t{s->groups} * words);
      load.pointer_bits += words > 1 ? static_cast<uint32_t>(std::bit_width(words)) : 0;
      load.one_a_row |= words > 1;
    }
  }
  return load;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// One unit of a table, with the entries that its RAMs hold.
struct Piece {
  Unit unit;
  uint64_t held = 0;
};

struct MatchPricer {
  const DesignObject& object;
  const MatchSpec& spec;
  const ChipSpec& chip;
  const EntryLoad load;
  const std::vector<uint32_t> ranges = ranges_of(spec);
  ObjectPrice price = {};

  void refuse(std::string resource, int64_t need, int64_t have, std::string why,
              std::string rewrite = {}) {
    price.units.clear();
    price.held.clear();
    price.refused.push_back(
        {object.name, std::move(resource), -1, need, have, std::move(why), std::move(rewrite)});
  }

  void add(Piece piece) {
    piece.unit.gress = object.gress;
    price.units.push_back(std::move(piece.unit));
    price.held.push_back(piece.held);
  }

  /// Instructions of the actions. The first without any is the reserved one; a second takes a place
  /// of its own, so that a driver can tell the two (p4c instruction_memory.cpp).
  void add_actions(Unit& unit) const {
    bool reserved = false;
    const auto no_op = [&] {
      unit.instructions.push_back({{}, !reserved});
      reserved = true;
    };
    const uint32_t no_ops = std::min(spec.no_ops, spec.actions);
    for (uint32_t a = 0; a < spec.actions; ++a) {
      if (!spec.writes.empty()) {
        auto fields = words_of(a < spec.writes.size() ? spec.writes[a] : std::string());
        fields.empty() ? no_op() : unit.instructions.push_back({std::move(fields)});
      } else if (a + no_ops < spec.actions) {
        unit.instructions.push_back({{fmt::format("{}.{}", object.name, a)}});
      } else {
        no_op();
      }
    }
    if (spec.miss == MissAction::no_op) no_op();
    if (spec.miss == MissAction::own)
      unit.instructions.push_back({{fmt::format("{}.miss", object.name)}});
  }

  void add_direct(Unit& unit, uint64_t held) const {
    if (spec.counter != DirectCounter::none)
      add_counters(unit, held, spec.counter == DirectCounter::packets ? 4 : 1, chip);
    if (spec.meter) add_meters(unit, held, MeterKind::meter, chip);
    if (spec.idle_bits != 0) add_idle_timers(unit, held, spec.idle_bits, chip);
  }

  Unit table_unit() const {
    Unit unit;
    unit.label = object.name;
    unit.reads_crossbar = true;
    unit.needs[Resource::logical_table] = 1;
    return unit;
  }

  Piece finish(Piece piece) const {
    add_actions(piece.unit);
    piece.unit.needs[Resource::action_data_bus] = bytes_of(spec.data_bits);
    add_direct(piece.unit, piece.held);
    return piece;
  }

  /// Rows of TCAM: a range that is no prefix takes two for each of its 4-bit digits but one, eight
  /// at most; of several the longest counts (p4c resource_estimate.cpp RangeEntries).
  uint64_t tcam_lines(uint64_t entries) const {
    if (ranges.empty()) return entries;
    constexpr uint64_t most_lines = 8;
    const uint64_t digits = divide_up<uint64_t>(*std::max_element(ranges.begin(), ranges.end()), 4);
    const uint64_t lines = digits == 0 ? 1 : std::min(2 * digits - 1, most_lines);
    const uint64_t ranges = entries * spec.range_percent / 100;
    return entries - ranges + ranges * lines;
  }

  /// TCAMs side by side that ranges take at least: each has its own (p4c table_format.cpp
  /// allocate_all_ternary_match). The byte of a range that is matched in both its digits takes two
  /// of the five bytes of a TCAM's crossbar group, and a byte of a container of 32 bits reaches
  /// every fourth of them: two there for one byte alone. Of 16 bits it reaches every other, of 8
  /// all (p4c tofino/input_xbar.cpp align_flags). Report: ranges of 16 bits in one TCAM from a
  /// container of 16, in two from one of 32, of 20 bits of 32 in two.
  int64_t range_groups() const {
    int64_t groups = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const uint32_t bits = ranges[i];
      const uint32_t smallest = bits > 16 ? 32 : bits > 8 ? 16 : 8;
      const uint32_t container =
          i < spec.range_containers.size() ? spec.range_containers[i] : smallest;
      const int64_t in_both_digits = bits / 8 + (bits % 8 > 4 ? 1 : 0);
      groups += container < 32 ? 1 : std::max<int64_t>(1, in_both_digits);
    }
    return groups;
  }

  Piece in_tcam(uint64_t entries, uint32_t data_bits, uint32_t actions) const {
    Piece piece{table_unit()};
    // A digit of a range is stored as 16 bits of which a key sets one: twice its bytes.
    const int64_t bits = spec.key_bits + std::accumulate(ranges.begin(), ranges.end(), int64_t{0});
    piece.unit.ternary_reads =
        read_over(spec.reads, bytes_of(static_cast<uint64_t>(bits)), object.name);
    piece.unit.slow_match = true;
    piece.unit.ternary_tables = 1;
    const auto deep =
        divide_up<int64_t>(static_cast<int64_t>(tcam_lines(entries)), chip.stage.tcam_entries);
    piece.held = static_cast<uint64_t>(deep * chip.stage.tcam_entries);
    piece.unit.needs[Resource::tcam] =
        deep * std::max(divide_up<int64_t>(bits + tcam_version_bits, chip.stage.tcam_bits),
                        range_groups());
    piece.unit.needs[Resource::sram] = indirection(piece.held, data_bits, actions);
    return piece;
  }

  /// TCAM hits lead to a word of SRAM with the entry's action and data.
  int64_t indirection(uint64_t held, uint32_t data_bits, uint32_t actions) const {
    const uint32_t data = load.profile ? 0 : data_bits;
    std::optional<int64_t> least;
    for (const ActionData& split :
         action_data_splits(data, spec.slot_bits, chip, spec.narrow_bits)) {
      const uint64_t overhead = action_code_bits(actions) + load.pointer_bits + split.entry_bits;
      int64_t blocks = 0;
      if (overhead > 0) {
        const uint64_t slot = std::max<uint64_t>(8, std::bit_ceil(overhead));
        blocks += divide_up<int64_t>(static_cast<int64_t>(held * slot), chip.block_bits());
      }
      blocks += action_data_blocks(split.ram_bits, held, chip);
      least = std::min(least.value_or(blocks), blocks);
    }
    return *least;
  }

  std::optional<Piece> in_sram(uint64_t entries) {
    Piece piece{table_unit()};
    const bool atcam = match_kind(spec) != MatchKind::exact;
    const auto layout =
        atcam ? lay_out_atcam(spec, entries, chip, load) : lay_out_exact(spec, entries, chip, load);
    if (!layout) {
      const int64_t most = bytes_of(uint64_t{chip.exact.most_wide} * chip.stage.sram_word_bits);
      const int64_t stored = bytes_of((atcam ? 2 : 1) * spec.key_bits + load.pointer_bits);
      refuse("sram", std::max(stored, most + 1), most,
             fmt::format("an entry of {} key bits is wider than {} RAMs", spec.key_bits,
                         chip.exact.most_wide),
             "a hash of the key in its place");
      return std::nullopt;
    }
    const int64_t index = atcam ? bytes_of(index_bits(spec.partitions)) : 0;
    piece.unit.exact_reads = read_over(spec.reads, bytes_of(spec.key_bits) + index, object.name);
    piece.unit.needs[Resource::sram] = layout->match_blocks + layout->data_blocks;
    piece.unit.needs[Resource::hash_bits] = layout->hash_bits;
    piece.unit.hash_functions = layout->hash_bits > 0 ? 1 : 0;
    piece.unit.needs[Resource::logical_table] = layout->logical_tables;
    piece.held = layout->held;
    return finish(std::move(piece));
  }

  /// Few fixed entries are rows of a gateway that carry their action along: one on Tofino, four on
  /// Tofino2 (p4c payload_gateway.cpp, gateway.cpp CollectMatchFieldsAsGateway: no ranges).
  std::optional<Piece> in_gateway() const {
    const int64_t rows = chip.gateway.payload_rows;
    const int64_t overhead = action_code_bits(spec.actions) + load.pointer_bits + spec.data_bits;
    if (!spec.constant || static_cast<int64_t>(spec.entries) > rows || !ranges.empty() ||
        spec.key_bits > 8 * chip.gateway.search_bytes + chip.gateway.hash_bits ||
        spec.data_bits > chip.exact.immediate_bits || !load.direct_per_word.empty() ||
        spec.idle_bits != 0 ||
        overhead * static_cast<int64_t>(spec.entries) > chip.exact.overhead_bits) {
      return std::nullopt;
    }
    Piece piece{table_unit(), spec.entries};
    piece.unit.exact_reads = read_over(spec.reads, bytes_of(spec.key_bits), object.name);
    piece.unit.needs[Resource::gateway] = 1;
    piece.unit.guard_room = 0;  // its gateway is taken
    return finish(std::move(piece));
  }

  std::optional<Piece> piece_of(uint64_t entries) {
    switch (match_kind(spec)) {
      case MatchKind::ternary:
      case MatchKind::lpm:
      case MatchKind::range:
        return finish(in_tcam(entries, spec.data_bits, spec.actions));
      case MatchKind::exact:
      case MatchKind::atcam:
      case MatchKind::alpm:
        break;
    }
    return in_sram(entries);
  }

  /// Whether a table takes no more than one part in `share` of what a stage has.
  bool within(const Piece& piece, int64_t share) const {
    for (const Resource r :
         {Resource::sram, Resource::map_ram, Resource::tcam, Resource::logical_table}) {
      if (piece.unit.needs[r] * share > std::max(chip.capacity(r), share)) return false;
    }
    return true;
  }

  /// The table whole, or in parts of half a stage.
  void cut(uint64_t all) {
    auto whole = piece_of(all);
    if (!whole) return;
    // Whole RAMs; of ranges, of which each takes up to 8 rows, fewer.
    const uint64_t step = match_kind(spec) == MatchKind::range
                              ? chip.stage.tcam_entries / 8
                              : std::max<uint64_t>(chip.stage.sram_words, spec.partitions);
    if (within(*whole, 1) || all <= step) return add(std::move(*whole));
    // As many entries as leave half of a stage's memories to others; at least one RAM's worth.
    // Searched from a bound that is the same for all sizes: a larger table has no larger parts.
    uint64_t low = 1, high = uint64_t{1} << 20;
    while (low < high) {
      const uint64_t middle = (low + high + 1) / 2;
      if (within(*piece_of(middle * step), 2))
        low = middle;
      else
        high = middle - 1;
    }
    low = std::min(low, std::max<uint64_t>(1, all / step));
    const uint64_t parts = divide_up(all, low * step);
    if (parts > 2 * uint64_t{chip.stages}) {
      return refuse("stages", static_cast<int64_t>(divide_up<uint64_t>(parts, 2)), chip.stages,
                    fmt::format("{} entries take {} stages by themselves", all,
                                divide_up<uint64_t>(parts, 2)),
                    fmt::format("at most {} entries", 2 * uint64_t{chip.stages} * low * step));
    }
    uint64_t part = 0;
    for (uint64_t left = all; left > 0; ++part) {
      const uint64_t entries = std::min(left, low * step);
      auto piece = piece_of(entries);
      piece->unit.label = fmt::format("{}[{}]", object.name, part);
      add(std::move(*piece));
      left -= entries;
    }
  }

  void run() {
    if (auto gateway = in_gateway()) return add(std::move(*gateway));
    for (const uint32_t bits : ranges) {
      if (bits <= most_range_bits) continue;
      return refuse("tcam", bits, most_range_bits, "a range of more than five digits of 4 bits",
                    "a range of 20 bits, the rest matched exactly");
    }
    if (match_kind(spec) != MatchKind::alpm) return cut(spec.entries);
    // The partition's prefix in TCAM, which finds its index; then the entries, one more in each
    // partition for the prefix that covers it (p4c alpm.cpp, table_placement.cpp).
    const uint64_t prefixes = uint64_t{spec.partitions} * spec.subtrees;
    Piece first = in_tcam(prefixes, index_bits(spec.partitions), 1);
    first.unit.label = object.name + "[partition]";
    first.unit.instructions.push_back({{object.name + ".partition"}});
    first.unit.needs[Resource::action_data_bus] = bytes_of(index_bits(spec.partitions));
    add(std::move(first));
    price.held.clear();  // what is direct counts the entries, not what leads to them
    cut(spec.entries + spec.partitions);
  }
};

}  // namespace

ObjectPrice price_match(const DesignObject& object, const MatchSpec& spec, const ChipSpec& chip,
                        const std::vector<const DesignObject*>& attached) {
  MatchPricer pricer{object, spec, chip, load_of(spec, attached)};
  pricer.run();
  return std::move(pricer.price);
}

}  // namespace horae::dataplane
