// Calls of extern methods in conditions as statements before them.
#pragma once

#include "horae/p4lang/program.hpp"

namespace horae::p4price {

/// A call of an extern's method in the condition of a branch or a switch becomes an assignment of
/// its result to a variable in front, which is asked in its place, as the open compiler does (p4c
/// frontends/p4/sideEffects.cpp). Of `a && call` and `a || call` the call is made in any case here.
void take_calls_out(p4lang::Program& program);

}  // namespace horae::p4price
