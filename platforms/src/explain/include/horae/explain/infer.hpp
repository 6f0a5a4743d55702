// The answer of `horae explain --infer`: what share of each hypothesis' space agrees with what was
// observed, what that leaves open, and what it predicts.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "horae/inference/evidence.hpp"
#include "horae/inference/information.hpp"
#include "horae/inference/interval.hpp"
#include "horae/inference/sampler.hpp"
#include "horae/inference/self_search.hpp"
#include "horae/lab/joint_runs.hpp"

namespace horae::explain {

/// What inference may spend on a hypothesis.
struct InferPlan {
  std::size_t points;       ///< simulated joint points
  std::size_t descent;      ///< of them, to come nearer where no point agrees
  std::size_t population;   ///< of a level of the sampler
  std::size_t experiments;  ///< accepted points that run each experiment

  static InferPlan of(const question::ExplainRequest& request);
};

/// Tolerances at which verdicts are given, in units of those declared.
inline constexpr std::array<double, 3> tolerance_factors = {0.5, 1, 2};
inline constexpr std::size_t as_declared = 1;  ///< index of 1

/// What a search may miss, in tolerances: an exclusion is said of what stayed farther away.
/// Searches of 1000 points of one hypothesis end up to 0.5 tolerances apart, and one of data that
/// the hypothesis had made itself, where the truth is at 0, came no closer than 1.22
/// (platforms/cx7_spray.md).
inline constexpr double search_margin = 2;

/// Not found: no point agrees, and that may be the search's fault. Excluded: none came within
/// `search_margin` times the tolerances, of a search that finds the hypothesis' own data (OwnData).
enum class Standing { consistent, not_found, excluded, impossible };
/// "consistent", "not found", "excluded", "impossible".
std::string name_of(Standing standing);

/// Whether a search finds data of the hypothesis itself: of the first conditions that are enough to
/// keep every point away from what was observed. An exclusion by some observations is one by all.
struct OwnData {
  std::size_t conditions = 0;   ///< so many; 0: a point comes within the margin, nothing is asked
  inference::OwnSearch search;  ///< of them, or of fewer where these say that too few are found

  bool excludes() const { return conditions > 0 && search.finds(); }
};

/// A hypothesis after inference.
struct Inferred {
  const question::HypothesisSpec* hypothesis = nullptr;
  /// By factor of the tolerances: the inequality that no setting escapes; empty: none.
  std::array<std::string, tolerance_factors.size()> impossible;
  // Of a hypothesis that has points:
  std::unique_ptr<lab::JointSpace> space;
  std::unique_ptr<lab::JointRuns> runs;
  inference::Space dimensions;
  inference::Sampled sampled;  ///< of staged distances, each under its best reading
  std::array<inference::Evidence, tolerance_factors.size()> evidence;
  std::vector<inference::Weighted> accepted;  ///< by the share of readings too
  /// "nacks=both" and the like, with their shares of what agrees.
  std::vector<std::pair<std::string, double>> readings;
  /// By dimension, over the accepted points where it matters; none if there are none.
  std::vector<std::optional<inference::Marginal>> marginals;
  /// By observation, over the accepted.
  std::vector<std::optional<inference::Interval>> predictions;
  std::size_t closest = 0;                                 ///< index of a point
  std::array<OwnData, tolerance_factors.size()> own_data;  ///< by factor of the tolerances
  inference::Posterior posterior;

  bool has_points() const { return runs != nullptr && !runs->outcomes().empty(); }
  Standing standing(std::size_t factor = as_declared) const;
  double closest_miss() const { return runs->outcomes()[closest].miss(); }
};

/// What a hypothesis predicts of an experiment: intervals by quantity.
struct ExperimentPrediction {
  std::size_t hypothesis = 0;  ///< index of InferredAnswer::hypotheses
  std::size_t points = 0;
  std::vector<inference::Prediction> quantities;
};

/// An experiment over the accepted sets of the consistent hypotheses.
struct InferredExperiment {
  const question::ExperimentSpec* experiment = nullptr;
  std::vector<ExperimentPrediction> predictions;
  inference::Gain gain;
};

struct InferredAnswer {
  InferPlan plan{};
  std::vector<Inferred> hypotheses;             ///< in the file's order
  std::vector<std::size_t> order;               ///< by evidence, then by the closest approach
  std::vector<InferredExperiment> experiments;  ///< cheapest first, then by what they tell
  double wall_seconds = 0;
};

/// Equal questions give equal answers, `jobs` and the time taken apart. InputError where nothing
/// can be compared.
InferredAnswer infer(lab::Laboratory& laboratory);

/// Observations that no hypothesis was held against: their conditions are with a reaction, and
/// there is no [[reaction]].
std::vector<std::string> untested(const question::Question& question);
/// "consistent", "not found in N points, closest ...", "excluded: no point of N closer than ...",
/// "impossible: ...".
std::string verdict_text(const question::Question& question, const Inferred& inferred);
/// The closest point in words: its observation, and its values.
std::string closest_text(const question::Question& question, const Inferred& inferred);

std::string inferred_text(const lab::Laboratory& laboratory, const InferredAnswer& answer);
/// summary.json
nlohmann::ordered_json inferred_json(const lab::Laboratory& laboratory,
                                     const InferredAnswer& answer);
/// points.csv: a line per joint point.
std::string points_csv(const question::Question& question, const InferredAnswer& answer);

}  // namespace horae::explain
