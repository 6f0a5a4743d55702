// Refuses what `horae explain` could not run, before anything runs.
#pragma once

#include "horae/explain/explain.hpp"

namespace horae::explain {

/// Reads the platform with every condition, variant, hypothesis, bound of a parameter, reaction,
/// experiment and point of a curve, and looks up every quantity. InputError at the place in the
/// file that is to blame.
void check_explanation(const Explanation& e);

}  // namespace horae::explain
