// Concatenations and widening casts as assignments of the parts.
#pragma once

#include <vector>

#include "horae/p4lang/program.hpp"

namespace horae::p4price {

/// An assignment of a concatenation, or of a value widened with zeros, as assignments of its parts,
/// the highest first (p4c backends/tofino/bf-p4c/midend/elim_cast.cpp: EliminateWidthCasts,
/// RewriteConcatToSlices). Any other assignment alone.
std::vector<p4lang::Stmt> by_parts(const p4lang::Stmt& assign);

}  // namespace horae::p4price
