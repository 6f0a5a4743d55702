// Fields into containers (internal to the room).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/price/pipeline_amounts.hpp"

namespace horae::dataplane {

/// A field with the stages in which its container is taken.
struct LiveField {
  const HeaderField* field = nullptr;
  int first = 0;         ///< below zero: from the parser
  int last = 0;          ///< the chip's stages: to the deparser
  bool touched = false;  ///< some stage reads or writes it
};

/// The fields of a placed design that take a container at all.
std::vector<LiveField> live_fields(const Design& design, const ChipSpec& chip,
                                   const Placement& placement);

/// Containers of the stages, and those that only the parser and deparser use.
struct PackedFields {
  Containers touched, aside;
};
/// See PipelineUse for the rule. `share`: containers of metadata by turns.
PackedFields pack_fields(const Design& design, const std::vector<LiveField>& fields, bool share);

/// Most bits that are live at once, of fields that stages touch, or of all: no packing takes less.
std::int64_t live_bits(const Design& design, const std::vector<LiveField>& fields, bool all,
                       const ChipSpec& chip);

}  // namespace horae::dataplane
