// Experiments and curves of the survivors.
#pragma once

#include "horae/explain/explain.hpp"

namespace horae::explain {

/// Runs every experiment for every survivor and ranks them by how well they tell the pairs apart.
void run_experiments(Explanation& e);

/// Runs every curve for every survivor.
void run_curves(Explanation& e);

/// |difference of means| over the pooled spread, which counts as at least `resolution` (zero: half
/// a per cent of the larger mean).
double separation(const Sample& a, const Sample& b, double resolution);

}  // namespace horae::explain
