// The answer of `horae explain`: which mechanisms explain what was observed, which cannot, and what
// would tell them apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/explain/compare.hpp"
#include "horae/explain/sender_facts.hpp"
#include "horae/explain/verdict.hpp"
#include "horae/lab/laboratory.hpp"

namespace horae::explain {

/// Points into the question, which outlives it.
struct Answer {
  std::vector<std::optional<SenderFacts>> facts;  ///< by variant
  std::vector<HypothesisVerdict> hypotheses;      ///< in the file's order
  std::vector<std::size_t> order;                 ///< those first that came furthest
  std::vector<std::size_t> survivors;             ///< indices into `hypotheses`
  std::vector<ComparedExperiment> experiments;    ///< those first that tell most apart
  std::vector<PredictedCurve> curves;
  double wall_seconds = 0;  ///< since the question was asked

  /// Id of the hypothesis of survivor `i`.
  const std::string& survivor_name(std::size_t i) const {
    return hypotheses[survivors[i]].hypothesis->id.value;
  }
};

/// Fits, tests, orders and compares. Equal questions give equal answers, `jobs` and the time taken
/// apart.
Answer find_answer(lab::Laboratory& laboratory);

}  // namespace horae::explain
