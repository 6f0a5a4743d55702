// Counters, meters and idle timers in the memories of a stage (internal to the room).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/dataplane/price/price.hpp"

namespace horae::dataplane {

/// Bytes that hold so many bits.
std::int64_t bytes_of(std::uint64_t bits);

/// Bytes on the crossbar, spread over the named fields (or one of the object's own).
std::vector<CrossbarRead> read_over(const std::vector<std::string>& fields, std::int64_t bytes,
                                    const std::string& own);

/// Counters in a word of RAM.
std::int64_t counters_per_word(const CounterSpec& spec);

/// Blocks that hold `entries` cells, so many in a word.
std::int64_t blocks_for(std::uint64_t entries, std::int64_t per_word, const ChipSpec& chip);

/// Counters, so many in a word, with their ALUs and spares.
void add_counters(Unit& unit, std::uint64_t entries, std::int64_t per_word, const ChipSpec& chip);
/// One meter, filter or detector in a word; a meter's colours are in Map RAM.
void add_meters(Unit& unit, std::uint64_t entries, MeterKind kind, const ChipSpec& chip);
/// Timers of so many bits, in Map RAM.
void add_idle_timers(Unit& unit, std::uint64_t entries, std::uint32_t bits, const ChipSpec& chip);

/// Whether each part of a table that is cut has all of this array beside it: what is direct, and of
/// the others counters, action profiles and selectors (p4c table_placement.cpp can_duplicate).
bool in_each_part(const ObjectSpec& spec);

/// Words of a selector's group.
std::uint32_t selector_words(const SelectorSpec& spec);

/// Units of a match table. `attached`: what belongs to it.
ObjectPrice price_match(const DesignObject& object, const MatchSpec& spec, const ChipSpec& chip,
                        const std::vector<const DesignObject*>& attached);

}  // namespace horae::dataplane
