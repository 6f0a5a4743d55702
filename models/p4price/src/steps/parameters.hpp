// Parameters of sub-controls that were copied in and out because their arguments overlap.
#pragma once

#include "horae/p4lang/program.hpp"

namespace horae::p4price {

/// The program with the arguments in the place of such parameters, also in actions and in bodies
/// of register actions. A control that is applied more than once keeps its copies, and a parameter
/// whose argument is a computed value.
///
/// Inferred: SwitchML passes each of 64 values in and out, netccl a value beside the headers that
/// hold it. Both run on a Tofino, whose 12 stages their copies alone would fill six to eight times;
/// with the arguments in place SwitchML takes 12. The open compiler's front end speaks of copies
/// there (p4c frontends/p4/inlining.cpp).
p4lang::Program with_arguments(const p4lang::Program& program);

}  // namespace horae::p4price
