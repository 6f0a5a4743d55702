// Layout of exact-match tables: packing, ways, action data.
#include <algorithm>
#include <bit>

#include "arrays.hpp"
#include "horae/dataplane/objects/divide.hpp"
#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane {
namespace {

std::int64_t floor_log2(std::int64_t n) {
  return std::bit_width(static_cast<std::uint64_t>(n)) - 1;
}

/// Sizes of the ways of a table `depth` RAMs deep: four of equal size as far as they go, the rest
/// in further ways of powers of two (a published five-to-seven-deep table doubles the first ones).
std::vector<std::uint32_t> ways_of(std::int64_t depth, std::uint32_t least) {
  std::vector<std::uint32_t> ways;
  const std::int64_t n = least;
  if (depth < 2 * n) {
    for (std::int64_t i = 0; i < n; ++i) ways.push_back(i < depth - n ? 2 : 1);
    return ways;
  }
  std::int64_t size = std::max<std::int64_t>(1, (std::int64_t{1} << floor_log2(depth)) / n);
  for (std::int64_t left = depth; left > 0;) {
    if (size <= left) {
      ways.push_back(static_cast<std::uint32_t>(size));
      left -= size;
    } else {
      size /= 2;
    }
  }
  return ways;
}

/// Hash bits: each independent way has its own row and RAM select; further ways use them again.
std::int64_t hash_bits_of(const std::vector<std::uint32_t>& ways, std::uint32_t least,
                          std::int64_t row_bits) {
  std::int64_t bits = 0;
  for (std::size_t i = 0; i < ways.size() && i < least; ++i) bits += row_bits + floor_log2(ways[i]);
  return bits;
}

/// Bytes of a key of which the hash makes some superfluous: whole ones, the smallest first (p4c
/// table_layout.cpp setup_match_layout).
std::int64_t stored_bytes(std::int64_t key, std::int64_t ghost_bits) {
  std::int64_t bytes = divide_up<std::int64_t>(key, 8);
  std::int64_t left = ghost_bits;
  if (key % 8 != 0 && key % 8 <= left) {
    left -= key % 8;
    --bytes;
  }
  return std::max<std::int64_t>(0, bytes - std::min(left / 8, key / 8));
}

/// An offer with what orders offers: RAMs of all it brings, then the narrower.
struct Offer {
  ExactLayout layout;
  std::int64_t rams = 0;
  bool data_apart = false;

  /// p4c resource_estimate.cpp select_best_option; that data in RAMs of its own goes before data
  /// in the entries is what the reports show (32-bit keys, 16,384 entries: 40 hash bits).
  bool before(const Offer& o) const {
    if (rams != o.rams) return rams < o.rams;
    if (layout.wide != o.layout.wide) return layout.wide < o.layout.wide;
    if (data_apart != o.data_apart) return data_apart;
    if (layout.held == o.layout.held) return layout.packed < o.layout.packed;
    return layout.held > o.layout.held;
  }
};

}  // namespace

std::uint32_t action_code_bits(std::uint32_t actions) {
  // p4c table_format.h: IMEM_MAP_TABLE_ENTRIES numbers, else FULL_IMEM_ADDRESS_BITS.
  constexpr std::uint32_t numbered = 8, address_bits = 6;
  if (actions > numbered) return address_bits;
  return actions > 1 ? static_cast<std::uint32_t>(std::bit_width(actions - 1)) : 0;
}

std::vector<ActionData> action_data_splits(std::uint32_t data_bits, std::uint32_t slot_bits,
                                           const ChipSpec& chip, std::uint32_t narrow_bits) {
  if (data_bits == 0) return {{}};
  const std::uint32_t slots = std::max(slot_bits, data_bits), most = chip.exact.immediate_bits;
  std::vector<ActionData> out = {{slots, 0}};
  const bool apart = narrow_bits > 0 && slots > most;
  if (data_bits <= most && !apart) out.push_back({0, data_bits});
  if (apart && data_bits - narrow_bits <= most)
    out.push_back({narrow_bits, data_bits - narrow_bits});
  // Halves of what the RAMs would hold, in whole words of 32 bits, while the rest is no more than
  // an entry holds. Which fields are the rest is not known: those of the fewest bits.
  for (std::uint32_t word = std::bit_ceil(slots) / 2; word >= 32; word /= 2) {
    if (word >= slots || slots - word > most) continue;
    out.push_back({word, data_bits > word ? data_bits - word : std::min(slots - word, data_bits)});
  }
  return out;
}

std::int64_t action_data_blocks(std::uint32_t bits, std::uint64_t entries, const ChipSpec& chip) {
  if (bits == 0) return 0;
  const std::uint64_t word_bytes = chip.stage.sram_word_bits / 8;
  const std::uint64_t bytes = std::bit_ceil(divide_up<std::uint64_t>(bits, 8));
  const auto words =
      bytes <= word_bytes ? divide_up(entries, word_bytes / bytes) : entries * (bytes / word_bytes);
  return divide_up(static_cast<std::int64_t>(words), std::int64_t{chip.stage.sram_words});
}

std::optional<ExactLayout> lay_out_exact(const MatchSpec& spec, std::uint64_t entries,
                                         const ChipSpec& chip, const EntryLoad& load) {
  const ExactSpec& rule = chip.exact;
  const std::int64_t word_bits = chip.stage.sram_word_bits;
  const std::int64_t words = chip.stage.sram_words;
  const std::int64_t row_bits = floor_log2(words);
  const std::int64_t key = spec.key_bits;
  // A key of few bits has no more values (p4c table_placement.cpp initial_stage_and_entries).
  const std::int64_t count =
      key < 62 ? std::min(static_cast<std::int64_t>(entries), std::int64_t{1} << key)
               : static_cast<std::int64_t>(entries);
  const std::int64_t key_bytes = stored_bytes(key, rule.ghost_bits);

  std::optional<Offer> best;
  for (const ActionData& data : action_data_splits(load.profile ? 0 : spec.data_bits,
                                                   spec.slot_bits, chip, spec.narrow_bits)) {
    if (data.entry_bits > 0 && load.colours) continue;
    const std::int64_t overhead =
        action_code_bits(spec.actions) + load.pointer_bits + data.entry_bits;
    if (overhead > rule.overhead_bits) continue;
    const std::int64_t entry_bits =
        overhead + rule.version_bits + std::max<std::int64_t>(0, key - rule.ghost_bits);
    // Data for the action is in one RAM of the wide word: it is not cut. Immediate data ends before
    // the last bit for overhead (p4c table_format.cpp allocate_all_immediate): two entries of 32
    // bits do not share a RAM (report: 9,103 entries of 32 bits, 4 RAMs and 3 of data).
    const std::int64_t overhead_room = rule.overhead_bits - (data.entry_bits > 0 ? 1 : 0);
    const std::int64_t most_per_ram =
        overhead == 0 ? rule.most_per_ram
                      : std::min<std::int64_t>(rule.most_per_ram, overhead_room / overhead);
    for (std::int64_t packed = 1; packed <= (load.one_a_row ? 1 : rule.most_packed); ++packed) {
      // Bits that the hash makes superfluous within a byte hold no version and no whole byte of
      // immediate data: report, 65,536 entries of 48 bits (32 blocks, not 31), 100,000 of 104 bits
      // (80, not 77).
      const std::int64_t whole_bits = 8 * key_bytes + rule.version_bits + data.entry_bits / 8 * 8;
      const std::int64_t wide =
          std::max({divide_up(packed * entry_bits, word_bits),
                    divide_up(packed * whole_bits, word_bits), divide_up(packed, most_per_ram)});
      if (wide > rule.most_wide) break;
      // Twice a narrower layout packs no better and is harder to place.
      const std::int64_t large = std::max(wide, packed), small = std::min(wide, packed);
      if (small != 1 && large % small == 0) continue;
      const std::int64_t depth = divide_up(count, packed * words);
      Offer offer;
      ExactLayout& layout = offer.layout;
      layout.packed = static_cast<std::uint32_t>(packed);
      layout.wide = static_cast<std::uint32_t>(wide);
      const std::int64_t hashed_depth = std::max<std::int64_t>(depth, rule.ways);
      const std::int64_t extra = key - row_bits;
      if (extra < 0 && depth == 1) {
        layout.identity = true;
        layout.ways = {1};
      } else if (extra <= static_cast<std::int64_t>(rule.identity_extra_bits) &&
                 load.direct_per_word.empty() && spec.idle_bits == 0 && data.ram_bits == 0) {
        const std::int64_t rows = std::int64_t{1} << std::max<std::int64_t>(0, extra);
        const auto rams = static_cast<std::int64_t>(
            std::bit_ceil(static_cast<std::uint64_t>(divide_up(rows, packed))));
        if (rams <= hashed_depth) {
          layout.identity = true;
          layout.ways = {static_cast<std::uint32_t>(rams)};
        }
      }
      std::int64_t rams_deep = hashed_depth;
      if (layout.identity) {
        rams_deep = layout.ways[0];
        layout.hash_bits = std::min(key, row_bits + floor_log2(layout.ways[0]));
      } else {
        layout.ways = ways_of(hashed_depth, rule.ways);
        layout.hash_bits = hash_bits_of(layout.ways, rule.ways, row_bits);
      }
      layout.match_blocks = rams_deep * wide;
      layout.held = static_cast<std::uint64_t>(rams_deep * packed * words);
      offer.data_apart = data.ram_bits > 0;
      layout.data_blocks = action_data_blocks(data.ram_bits, layout.held, chip);
      offer.rams = layout.match_blocks + layout.data_blocks;
      for (const std::int64_t per_word : load.direct_per_word)
        offer.rams += blocks_for(layout.held, per_word, chip) + chip.stateful.spare;
      if (!best || offer.before(*best)) best = std::move(offer);
    }
  }
  if (!best) return std::nullopt;
  return std::move(best->layout);
}

}  // namespace horae::dataplane
