// The distances that levels are made of.
#pragma once

#include "horae/inference/sampler.hpp"

namespace horae::inference {

/// Fills `next`, `share` and `variation` of a population: the distance that a share of its states
/// is within, or the target where that many are. Where most states are equally far it is the next
/// nearer distance that there is. False: all are equally far, and beyond the target.
bool choose_next(Level& level, const std::vector<Evaluation>& evaluations, double level_share,
                 double target);

/// Fills `share` and `variation` for `next`.
void measure(Level& level, const std::vector<Evaluation>& evaluations, double next);

}  // namespace horae::inference
