// Instructions on values of more than 64 bits.
#pragma once

#include <cstdint>

#include "horae/p4prog/code.hpp"

namespace horae::p4prog {

/// Carries out one of the `wide_` instructions on the words of a pass.
void wide_op(const Instruction& i, std::uint64_t* w);

}  // namespace horae::p4prog
