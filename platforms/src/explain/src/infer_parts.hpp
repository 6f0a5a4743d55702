// Parts of inference: what arithmetic excludes in every setting, and experiments.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "horae/explain/infer.hpp"

namespace horae::explain {

/// By factor of the tolerances: why no combination of the discrete unknowns and readings escapes
/// arithmetic, at the combination that comes nearest; empty where one does.
std::array<std::string, tolerance_factors.size()> impossibilities(
    const question::Question& question, const question::HypothesisSpec& hypothesis);

/// Goes on from the nearest of a hypothesis' points and of `starts` by random steps that come
/// nearer, until one is within the tolerances or `points` more have run. They are no sample: they
/// count for the closest approach alone.
void descend(const question::Question& question, std::size_t points,
             std::vector<inference::Position> starts, Inferred& inferred);

/// Asks the search of a hypothesis with data of its own, if no point came near: runs its first,
/// space-filling points condition by condition, as long as an exclusion depends on it.
void ask_own_data(const question::Question& question, Inferred& inferred);

/// "not found in N points, closest x tolerances (WHAT)", or "excluded: no point of N closer than x
/// tolerances (WHAT)": of one that has points and is not consistent.
std::string miss_text(const Inferred& inferred, const std::string& what);

/// Runs every experiment at accepted points of the consistent hypotheses.
std::vector<InferredExperiment> infer_experiments(lab::Laboratory& laboratory,
                                                  const InferredAnswer& answer);

}  // namespace horae::explain
