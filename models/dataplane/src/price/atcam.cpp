// Layout of algorithmic TCAM: entries under a mask in SRAM, found by the index of their partition.
#include <algorithm>
#include <bit>

#include "arrays.hpp"
#include "horae/dataplane/objects/divide.hpp"

namespace horae::dataplane {

// p4c table_layout.cpp (check_for_atcam, determine_byte_impacts, setup_exact_match),
// resource_estimate.cpp (options_to_atcam_entries, calculate_partition_sizes).
std::optional<ExactLayout> lay_out_atcam(const MatchSpec& spec, std::uint64_t entries,
                                         const ChipSpec& chip, const EntryLoad& load) {
  constexpr std::int64_t rams_ranked = 5;         // p4c memories.h MAX_PARTITION_RAMS_PER_ROW
  constexpr std::int64_t many_partitions = 4096;  // then each RAM of depth is a logical table
  const ExactSpec& rule = chip.exact;
  const std::int64_t word_bits = chip.stage.sram_word_bits;
  const std::int64_t words = chip.stage.sram_words;
  const std::int64_t partitions = std::max<std::uint32_t>(1, spec.partitions);
  // A bit under a mask is stored twice: 0, 1 or any.
  const std::int64_t masked =
      spec.masked_bits == 0 ? spec.key_bits : std::min(spec.masked_bits, spec.key_bits);
  const std::int64_t plain = spec.key_bits - masked;
  const std::int64_t match_bits = plain + 2 * masked;
  const std::int64_t match_bytes = bytes_of(static_cast<std::uint64_t>(plain)) +
                                   2 * bytes_of(static_cast<std::uint64_t>(masked));
  const std::int64_t ways = divide_up(partitions, words);
  const std::int64_t together = divide_up(static_cast<std::int64_t>(entries), partitions);

  std::optional<ExactLayout> best;
  std::int64_t best_rams = 0;
  auto splits =
      action_data_splits(load.profile ? 0 : spec.data_bits, spec.slot_bits, chip, spec.narrow_bits);
  std::reverse(splits.begin(), splits.end());  // of equals the one with most in the entry
  for (const ActionData& data : splits) {
    if (data.entry_bits > 0 && load.colours) continue;
    const std::int64_t overhead =
        action_code_bits(spec.actions) + load.pointer_bits + data.entry_bits;
    const std::int64_t entry_bits = overhead + rule.version_bits + match_bits;
    for (std::int64_t packed = 1; packed <= (load.one_a_row ? 1 : rule.most_per_ram); ++packed) {
      if (packed * overhead > rule.overhead_bits) break;  // ranked on one bus
      const std::int64_t wide = std::max(divide_up(packed * entry_bits, word_bits),
                                         divide_up(packed * match_bytes, word_bits / 8));
      if (wide > rule.most_wide) break;
      const std::int64_t large = std::max(wide, packed), small = std::min(wide, packed);
      if (small != 1 && large % small == 0) continue;
      ExactLayout layout;
      const std::int64_t depth = divide_up(together, packed);
      layout.packed = static_cast<std::uint32_t>(packed);
      layout.wide = static_cast<std::uint32_t>(wide);
      layout.ways = {static_cast<std::uint32_t>(ways)};
      layout.logical_tables = static_cast<std::uint32_t>(
          partitions > many_partitions ? depth : divide_up(depth, rams_ranked));
      layout.match_blocks = depth * wide * ways;
      layout.held = static_cast<std::uint64_t>(depth * ways * packed * words);
      layout.hash_bits = index_bits(static_cast<std::uint64_t>(partitions));
      layout.data_blocks = action_data_blocks(data.ram_bits, layout.held, chip);
      std::int64_t rams = layout.match_blocks + layout.data_blocks;
      for (const std::int64_t per_word : load.direct_per_word)
        rams += blocks_for(layout.held, per_word, chip) + chip.stateful.spare;
      if (best && (best_rams < rams || (best_rams == rams && best->wide <= layout.wide))) continue;
      best_rams = rams;
      best = std::move(layout);
    }
  }
  return best;
}

}  // namespace horae::dataplane
