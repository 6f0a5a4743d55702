// Layout of exact-match tables: packing, ways, action data.
#include <algorithm>
#include <bit>

#include "divide.hpp"
#include "horae/dataplane/price.hpp"

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

}  // namespace

std::optional<ExactLayout> lay_out_exact(const MatchSpec& spec, std::uint64_t entries,
                                         const ChipSpec& chip) {
  const ExactSpec& rule = chip.exact;
  const std::int64_t word_bits = chip.stage.sram_word_bits;
  const std::int64_t words = chip.stage.sram_words;
  const std::int64_t row_bits = floor_log2(words);
  const std::int64_t key = spec.key_bits;
  const std::int64_t count = static_cast<std::int64_t>(entries);
  const std::int64_t code_bits =
      spec.actions > 1 ? static_cast<std::int64_t>(std::bit_width(spec.actions - 1)) : 0;

  std::optional<ExactLayout> best;
  const auto offer = [&](ExactLayout layout) {
    if (best && best->match_blocks + best->data_blocks <= layout.match_blocks + layout.data_blocks)
      return;
    best = std::move(layout);
  };

  // Data in RAMs of its own comes first: the compiler takes it when both cost the same.
  for (const bool immediate : {false, true}) {
    if (immediate && (spec.data_bits > rule.immediate_bits || (spec.meter && spec.data_bits > 0)))
      continue;  // a meter's colour takes the immediate bus
    if (!immediate && spec.data_bits == 0) continue;
    std::int64_t data_blocks = 0;
    if (!immediate) {
      const auto bytes = std::bit_ceil(divide_up<std::uint64_t>(spec.data_bits, 8));
      data_blocks =
          divide_up<std::int64_t>(count * static_cast<std::int64_t>(bytes) * 8, chip.block_bits());
    }
    const std::int64_t overhead = code_bits + (immediate ? spec.data_bits : 0);
    const std::int64_t entry_bits =
        overhead + rule.version_bits + std::max<std::int64_t>(0, key - rule.ghost_bits);
    for (std::int64_t packed = 1; packed <= rule.most_packed; ++packed) {
      const std::int64_t wide =
          std::max({divide_up(packed * entry_bits, word_bits),
                    divide_up(packed * divide_up<std::int64_t>(key, 8), word_bits / 8),
                    divide_up<std::int64_t>(packed * overhead, rule.overhead_bits),
                    divide_up<std::int64_t>(packed, rule.most_per_ram)});
      if (wide > rule.most_wide) break;
      // Twice a narrower layout packs no better and is harder to place.
      const std::int64_t large = std::max(wide, packed), small = std::min(wide, packed);
      if (small != 1 && large % small == 0) continue;
      const std::int64_t depth = divide_up(count, packed * words);
      ExactLayout layout;
      layout.packed = static_cast<std::uint32_t>(packed);
      layout.wide = static_cast<std::uint32_t>(wide);
      layout.data_blocks = data_blocks;
      const std::int64_t hashed_depth = std::max<std::int64_t>(depth, rule.ways);
      const std::int64_t extra = key - row_bits;
      if (extra < 0 && depth == 1) {
        layout.identity = true;
        layout.ways = {1};
      } else if (extra <= static_cast<std::int64_t>(rule.identity_extra_bits) && !spec.meter &&
                 spec.counter == DirectCounter::none && immediate) {
        const std::int64_t rows = std::int64_t{1} << std::max<std::int64_t>(0, extra);
        const auto rams = static_cast<std::int64_t>(
            std::bit_ceil(static_cast<std::uint64_t>(divide_up(rows, packed))));
        if (rams <= hashed_depth) {
          layout.identity = true;
          layout.ways = {static_cast<std::uint32_t>(rams)};
        }
      }
      if (layout.identity) {
        layout.hash_bits = std::min(key, row_bits + floor_log2(layout.ways[0]));
        layout.match_blocks = layout.ways[0] * wide;
      } else {
        layout.ways = ways_of(hashed_depth, rule.ways);
        layout.hash_bits = hash_bits_of(layout.ways, rule.ways, row_bits);
        layout.match_blocks = hashed_depth * wide;
      }
      offer(std::move(layout));
    }
  }
  return best;
}

}  // namespace horae::dataplane
