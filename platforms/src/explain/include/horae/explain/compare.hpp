// Experiments and curves: what the survivors predict.
#pragma once

#include <vector>

#include "horae/explain/verdict.hpp"
#include "horae/lab/laboratory.hpp"

namespace horae::explain {

/// Outcomes of an experiment, by survivor and quantity.
struct ComparedExperiment {
  const question::ExperimentSpec* experiment = nullptr;
  std::vector<std::vector<lab::SeedSample>> outcomes;  ///< empty for a survivor without a reaction,
                                                       ///< where the experiment needs one
  struct Pair {
    std::size_t a = 0, b = 0;  ///< indices of survivors
    std::size_t quantity = 0;  ///< the one that separates them most
    double separation = 0;     ///< |difference of means| / pooled spread
  };
  std::vector<Pair> pairs;
  double least = 0;           ///< smallest separation of a pair
  std::size_t separated = 0;  ///< pairs by at least `clear`

  static constexpr double clear = 3;
};

/// A survivor's curve: quantities at each point.
struct PredictedCurve {
  const question::CurveSpec* curve = nullptr;
  std::size_t survivor = 0;
  std::vector<std::vector<lab::SeedSample>> points;
};

using Survivors = std::vector<const lab::Candidate*>;

/// Runs every experiment for every survivor, in the order of how well they tell the pairs apart.
std::vector<ComparedExperiment> run_experiments(lab::Laboratory& laboratory,
                                                const Survivors& survivors);

/// Runs every curve for every survivor.
std::vector<PredictedCurve> run_curves(lab::Laboratory& laboratory, const Survivors& survivors);

/// |difference of means| over the pooled spread, which counts as at least `resolution` (zero: half
/// a per cent of the larger mean).
double separation(const lab::SeedSample& a, const lab::SeedSample& b, double resolution);

}  // namespace horae::explain
