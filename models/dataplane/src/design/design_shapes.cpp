#include "design_shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "horae/core/error.hpp"

namespace horae::dataplane {

void check_shape(const Section& section, RegisterSpec& shape) {
  if (!shape.table.empty() && shape.pieces > 1)
    throw section.error("pieces", "pieces: a register of a table is in its stage, in one piece");
}

void check_shape(const Section& section, CounterSpec& shape) {
  if (shape.width != 32 && shape.width != 64)
    throw section.error("width", fmt::format("width = {}: expected 32 or 64", shape.width));
}

void check_shape(const Section& section, ConditionSpec& shape) {
  if (shape.kind == ConditionKind::lt && shape.bits < 64 && shape.constant >> shape.bits != 0) {
    throw section.error("constant", fmt::format("constant = {} is beyond a field of {} bits",
                                                shape.constant, shape.bits));
  }
  for (const auto& name : shape.guards_not) {
    if (std::find(shape.guards.begin(), shape.guards.end(), name) != shape.guards.end()) {
      throw section.error(
          "guards_not",
          fmt::format("guards_not names '{}', which runs only when the condition holds (guards)",
                      name));
    }
  }
  shape.guards.insert(shape.guards.end(), shape.guards_not.begin(), shape.guards_not.end());
}

namespace {

void take_action_bits(const Section& section, MatchSpec& m) {
  for (const char* other : {"actions", "data_bits"}) {
    if (section.has(other))
      throw section.error(other, fmt::format("{}: action_bits says it already", other));
  }
  m.actions = static_cast<std::uint32_t>(m.action_bits.size());
  m.data_bits = *std::max_element(m.action_bits.begin(), m.action_bits.end());
}

void check_writes(const Section& section, MatchSpec& m) {
  if (section.has("no_ops"))
    throw section.error("no_ops", "no_ops: writes says it already: \"\" writes nothing");
  if (!section.has("actions") && m.action_bits.empty())
    m.actions = static_cast<std::uint32_t>(m.writes.size());
  if (m.writes.size() != m.actions) {
    throw section.error("writes", fmt::format("writes names the fields of {} actions of {}",
                                              m.writes.size(), m.actions));
  }
}

}  // namespace

namespace {

/// A table of ranges says how wide they are, once, and in what containers.
void check_ranges(const Section& section, const MatchSpec& m) {
  if (match_kind(m) != MatchKind::range) return;
  if (m.range_bits != 0 && !m.ranges.empty())
    throw section.error("range_bits", "range_bits: ranges says it already");
  if (m.range_bits == 0 && m.ranges.empty()) {
    throw section.error(section.has("range_bits") ? "range_bits" : "key_bits",
                        "the table has no range; expected range_bits = BITS or ranges = [BITS, "
                        "...], 1 to 20 each");
  }
  const auto ranges = ranges_of(m);
  const auto all = std::accumulate(ranges.begin(), ranges.end(), 0u);
  if (all > m.key_bits) {
    throw section.error(m.ranges.empty() ? "range_bits" : "ranges",
                        fmt::format("ranges of {} bits are above key_bits = {}", all, m.key_bits));
  }
  if (!m.range_containers.empty() && m.range_containers.size() != ranges.size()) {
    throw section.error("range_containers",
                        fmt::format("range_containers has {} values for {} ranges",
                                    m.range_containers.size(), ranges.size()));
  }
  for (const auto bits : m.range_containers) {
    if (bits != 8 && bits != 16 && bits != 32) {
      throw section.error("range_containers",
                          fmt::format("range_containers has {}; expected 8, 16 or 32", bits));
    }
  }
}

}  // namespace

void check_shape(const Section& section, MatchSpec& shape) {
  if (!shape.action_bits.empty()) take_action_bits(section, shape);
  if (!shape.writes.empty()) check_writes(section, shape);
  const auto at_most = [&](const char* key, std::uint32_t value, const char* of,
                           std::uint32_t most) {
    if (value > most)
      throw section.error(key, fmt::format("{} = {} is above {} = {}", key, value, of, most));
  };
  at_most("no_ops", shape.no_ops, "actions", shape.actions);
  check_ranges(section, shape);
  at_most("masked_bits", shape.masked_bits, "key_bits", shape.key_bits);
  at_most("narrow_bits", shape.narrow_bits, "data_bits", shape.data_bits);
  if (shape.slot_bits != 0 && shape.slot_bits < shape.data_bits) {
    throw section.error("slot_bits", fmt::format("slot_bits = {} is below data_bits = {}",
                                                 shape.slot_bits, shape.data_bits));
  }
  if (shape.idle_bits == 4 || shape.idle_bits == 5) {
    throw section.error("idle_bits",
                        fmt::format("idle_bits = {}: expected 1, 2, 3 or 6", shape.idle_bits));
  }
}

}  // namespace horae::dataplane
