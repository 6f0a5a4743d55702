// Operations that no ALU, crossbar or parser of a chip does, however much room there is.
#pragma once

#include "gress_design.hpp"
#include "steps/pieces.hpp"

namespace horae::p4price {

/// InputError, with its place in the source and what would do instead, for an operation of an
/// action that no ALU does, for a hash over more than a stage's crossbar brings, for a key that is
/// wider, and for a table of more actions than a stage has instructions.
void check_pieces(const p4lang::Program& program, const p4lang::Block& block,
                  const std::vector<Piece>& pieces, const dataplane::ChipSpec& chip);

/// InputError for a parser whose longest path is beyond what the chip parses.
void check_depth(const p4lang::Program& program, const GressBlocks& blocks,
                 const dataplane::ChipSpec& chip);

}  // namespace horae::p4price
