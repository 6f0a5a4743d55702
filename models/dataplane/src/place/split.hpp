// Match tables whose entries lie in several stages (internal to the room).
#pragma once

#include <cstdint>
#include <optional>

#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane {

/// Whether each part of a table that is cut has all of this array beside it (defined with the
/// prices of arrays).
bool in_each_part(const ObjectSpec& spec);

/// The price of a design whose match tables are one unit each, however many stages they take.
DesignPrice price_uncut(const Design& design, const ChipSpec& chip);

/// Entries of the match table that the unit is of, where they may be divided among stages: not when
/// meters or registers at an index belong to it, which are in one stage.
std::optional<std::uint64_t> divisible_entries(const Unit& unit, const Design& design);

/// A part of a match table, with what has a cell for each of its entries.
struct TablePart {
  Unit unit;
  std::uint64_t held = 0;  ///< entries that its RAMs hold
};
/// The part with so many entries. The first has the conditions that were merged into the table.
TablePart part_of(const Unit& whole, const Design& design, const ChipSpec& chip,
                  std::uint64_t entries, bool first);

}  // namespace horae::dataplane
