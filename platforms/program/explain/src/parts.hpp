// The parts of an answer, in the order in which they are made.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "horae/explain/answer.hpp"

namespace horae::explain {

/// By factor of the tolerances: why no combination of the discrete unknowns and readings escapes
/// arithmetic, at the combination that comes nearest; empty where one does.
std::array<std::string, tolerance_factors.size()> impossibilities(
    const question::Question& question, const question::HypothesisSpec& hypothesis);

/// Looks at positions and adds them to what was evaluated; their staged distances.
std::vector<double> look_at(Assessed& assessed, const std::vector<inference::Position>& positions);

/// Goes on from the nearest of a hypothesis' points by random steps that come nearer, until one is
/// within the tolerances or `points` more have run. They are no sample: they count for the closest
/// approach alone. `stream` names the random numbers.
void descend(const question::Question& question, std::size_t points, const std::string& stream,
             Assessed& assessed);

/// Asks the search of a hypothesis with data of its own, if no point came near: runs the first,
/// space-filling points of the last pass condition by condition, as long as an exclusion depends on
/// it. What an earlier pass excludes is not asked again.
void ask_own_data(const question::Question& question, Assessed& assessed);

/// Evidence, ranges, predictions and idle time from the points.
void conclude(lab::Laboratory& laboratory, Assessed& assessed);

/// "not found in N points, closest x tolerances (WHAT)", or "excluded: no point of N closer than x
/// tolerances (WHAT)": of one that has points and is not consistent.
std::string miss_text(const Assessed& assessed, const std::string& what);

/// Assumed error of a measurement of a quantity: that of an observation of it, else
/// its last digit.
double noise_of(const question::Question& question, const std::string& quantity);

/// Runs every experiment at accepted points of the compared hypotheses, or at the closest one where
/// none is accepted.
std::vector<ComparedExperiment> run_experiments(lab::Laboratory& laboratory, const Answer& answer);
/// Runs every curve at the closest point of each compared hypothesis.
std::vector<PredictedCurve> run_curves(lab::Laboratory& laboratory, const Answer& answer);

}  // namespace horae::explain
