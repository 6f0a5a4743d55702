// `return` and `exit` as a compiler does without jumps: flags that what follows is asked for.
#pragma once

#include "horae/p4lang/program.hpp"

namespace horae::p4price {

/// Statements behind a branch of which one way surely jumps go into the other (p4c
/// frontends/p4/removeReturns.cpp MoveToElseAfterBranch). Where a jump is deeper, it sets a flag,
/// and what follows is a branch on that flag: of `return` always (DoRemoveReturns), of `exit`,
/// also in actions of tables, where the chip has no direct exit, Tofino2 (p4c
/// midend/removeExits.cpp, bf-p4c/midend.cpp). Tofino leaves its stages at once.
void put_flags(p4lang::Program& program, bool exit_is_direct);

}  // namespace horae::p4price
