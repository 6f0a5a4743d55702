// Rows and checksum units of the parser and deparser (internal to the room).
#pragma once

#include <cstdint>

#include "horae/dataplane/design/design.hpp"

namespace horae::dataplane {

/// Rows of the parser's TCAM: of its states, and of its value sets, whose entries stand in place of
/// the row that leads to their next state.
std::int64_t parser_rows(const Design& design, Gress gress);

/// Checksum units of the parser, given out as the compiler does: first come, first served, to the
/// first unit that all who have it can share. Verifications share one where no state sums for both,
/// residuals also where none of them begins before another. The two kinds never share.
/// Source: p4c, parde/allocate_parser_checksum.cpp.
std::int64_t parser_checksum_units(const Design& design, Gress gress);

/// Checksum units of the deparser: one of each update.
std::int64_t deparser_checksum_units(const Design& design, Gress gress);

}  // namespace horae::dataplane
