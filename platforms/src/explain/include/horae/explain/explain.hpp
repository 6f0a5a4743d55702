// Which mechanisms explain published observations, which cannot, and what would tell them apart.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/explain/arithmetic.hpp"
#include "horae/explain/quantities.hpp"
#include "horae/explain/verdict.hpp"

namespace horae::explain {

struct ExplainRequest {
  std::string platform;
  std::vector<std::string> overrides;
  std::optional<std::string> observations;  ///< in place of the platform's
  std::optional<std::string> hypotheses;
  Readings readings;
  std::vector<std::string> only;  ///< ids or families; all by default
  unsigned seeds = 3;
  unsigned evaluations = 0;  ///< per fitted parameter; 0: the budget of explain_stages.cpp
  unsigned survivors = 6;    ///< at most so many are compared by experiments
  bool quick = false;
  unsigned jobs = 1;
  bool show_progress = false;
};

/// Outcomes of an experiment, by survivor and quantity.
struct ExperimentResult {
  const ExperimentSpec* experiment = nullptr;
  std::vector<std::vector<Sample>> outcomes;  ///< empty for a survivor without a reaction, where
                                              ///< the experiment needs one
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
struct CurveResult {
  const CurveSpec* curve = nullptr;
  std::size_t survivor = 0;
  std::vector<std::vector<Sample>> points;
};

/// Its parts point at each other, so it moves and is not copied.
struct Explanation {
  Explanation() = default;
  Explanation(Explanation&&) = default;
  Explanation& operator=(Explanation&&) = default;

  ExplainRequest request;
  std::string platform_name;
  std::string platform_hash;
  nlohmann::ordered_json platform_config;
  std::uint32_t seed = 1;
  std::string observations_path, hypotheses_path;
  ObservationsFile observations;
  HypothesesFile hypotheses;  ///< as selected: those of --only, variants and experiments of --quick
  std::vector<std::optional<SenderFacts>> facts;  ///< by variant
  std::vector<HypothesisResult> results;          ///< in the file's order
  std::vector<std::size_t> order;                 ///< ranked
  std::vector<std::size_t> survivors;             ///< indices into `results`
  std::vector<ExperimentResult> experiments;      ///< ranked
  std::vector<CurveResult> curves;
  RunStore runs{"", {}};
  double wall_seconds = 0;

  /// The half unit of the last published digit, below which no spread counts; 0: not known.
  double resolution(const std::string& quantity) const;
  /// Id of the hypothesis of survivor `i`.
  const std::string& survivor_name(std::size_t i) const {
    return results[survivors[i]].hypothesis->id.value;
  }
};

/// Reads everything, refuses what cannot run before the first run (InputError), then fits, tests,
/// ranks and compares. Equal requests give equal results, `jobs` apart.
Explanation explain(const ExplainRequest& request);

}  // namespace horae::explain
