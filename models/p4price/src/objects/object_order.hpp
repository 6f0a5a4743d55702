// Order of a gress's objects.
#pragma once

#include <string>
#include <vector>

#include "horae/p4price/price_program.hpp"
#include "steps/pieces.hpp"

namespace horae::p4price {

/// Gives a design's objects their dependencies: of branches first, then of what is written and
/// needed. `objects`: names of each piece's, of which the first stands for it. Dependencies that
/// would make a circle of a register's accesses are dropped, and said in a note. Those that set
/// validity bits of one container for one packet are kept apart.
void order_objects(const p4lang::Program& program, const p4lang::Block& control,
                   const std::vector<Piece>& pieces,
                   const std::vector<std::vector<std::string>>& objects,
                   const dataplane::ChipSpec& chip, PipeDesign& out);

}  // namespace horae::p4price
