// The answer of `horae explain`: which mechanisms agree with what was observed, over everything
// that was not published, what that leaves open, what they predict, and what would tell them apart.
#pragma once

#include <array>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "horae/explain/sender_facts.hpp"
#include "horae/inference/evidence.hpp"
#include "horae/inference/information.hpp"
#include "horae/inference/interval.hpp"
#include "horae/inference/sampler.hpp"
#include "horae/inference/self_search.hpp"
#include "horae/lab/joint_runs.hpp"

namespace horae::explain {

/// One pass of the search of a hypothesis.
struct PassPlan {
  std::size_t points = 0;      ///< simulated joint points, at most
  std::size_t population = 0;  ///< of a level of the sampler
  /// The last of the points, to come nearer where no point agrees.
  std::size_t descent() const { return points / 3; }

  /// Pass `k`, from 0. Passes do not depend on the budget, which says how many there are: a search
  /// of more points begins with the search of fewer, so that what the one finds the other finds.
  static PassPlan of(std::size_t k);
};

/// The points of each pass that so many points allow: the last may be cut short, and fewer than 8
/// are no pass (SamplerPlan::check).
std::vector<std::size_t> passes_of(std::size_t points);

/// Limits on the effort for one hypothesis.
struct SearchPlan {
  std::size_t points;       ///< simulated joint points, at most
  std::size_t experiments;  ///< accepted points that run each experiment

  static SearchPlan of(const question::ExplainRequest& request);
};

/// Tolerances at which verdicts are given, in units of those declared.
inline constexpr std::array<double, 3> tolerance_factors = {0.5, 1, 2};
inline constexpr std::size_t as_declared = 1;  ///< index of 1

/// Largest miss of a search, in tolerances: only a hypothesis that stayed farther away is excluded.
/// Searches of 1000 points of one hypothesis end up to 0.5 tolerances apart, and one of data that
/// the hypothesis had made itself, where the truth is at 0, came no closer than 1.22
/// (platforms/evaluations/cx7_spray.md).
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

/// A pass that was made. Its points are those of the hypothesis from `first` on.
struct SearchPass {
  std::size_t first = 0;
  bool whole = false;          ///< the budget allowed all of it
  inference::Sampled sampled;  ///< of staged distances, each under its best reading
};

/// Shares of time by cause that senders were idle in a condition.
struct IdleShares {
  std::string condition;
  std::vector<std::pair<std::string, double>> causes;
};

/// A hypothesis after its search.
struct Assessed {
  const question::HypothesisSpec* hypothesis = nullptr;
  /// By factor of the tolerances: the inequality that no setting escapes; empty: none.
  std::array<std::string, tolerance_factors.size()> impossible;
  std::unique_ptr<lab::JointSpace> space;
  std::unique_ptr<lab::JointRuns> runs;
  inference::Space dimensions;
  std::vector<inference::Evaluation> evaluated;  ///< every point, with its staged distance
  std::vector<SearchPass> passes;
  std::size_t chosen = 0;  ///< the pass that ranges and evidence are of
  std::array<inference::Evidence, tolerance_factors.size()> evidence;
  /// Points of the chosen pass that agree, by the share of readings too.
  std::vector<inference::Weighted> accepted;
  /// "nacks=both" and the like, with their shares of what agrees.
  std::vector<std::pair<std::string, double>> readings;
  /// By dimension, over the accepted points where it matters; none if there are none.
  std::vector<std::optional<inference::Marginal>> marginals;
  /// By observation: those that points are chosen by over the accepted points, those to be
  /// predicted over the points that agree with the others.
  std::vector<std::optional<inference::Interval>> predictions;
  /// By observation, whether it is of the latter; where nothing is open, whether it is to be
  /// predicted.
  std::vector<bool> predicted;
  std::optional<double> predicted_share;  ///< of what agrees with the others, what agrees with all
  std::size_t closest = 0;                ///< index of a point
  std::array<OwnData, tolerance_factors.size()> own_data;  ///< by factor of the tolerances
  std::vector<IdleShares> idle;                            ///< of the closest point
  inference::Posterior posterior;

  const inference::Sampled& sampled() const { return passes[chosen].sampled; }
  Standing standing(std::size_t factor = as_declared) const;
  bool agrees() const { return standing() == Standing::consistent; }
  /// Index of the tolerances whose own data decide at `factor`: the smallest, not smaller, that
  /// exclude, for what larger tolerances exclude smaller ones do; `factor` where none do.
  std::size_t deciding(std::size_t factor = as_declared) const;
  /// Whether a point or a reading is chosen by numbers at all.
  bool anything_open() const;
  double closest_miss() const { return runs->outcomes()[closest].miss(); }
};

/// Predictions of a hypothesis for an experiment: intervals by quantity.
struct ExperimentPrediction {
  std::size_t hypothesis = 0;  ///< index of Answer::hypotheses
  std::size_t points = 0;
  std::vector<inference::Prediction> quantities;
};

/// An experiment over the accepted sets of the compared hypotheses.
struct ComparedExperiment {
  const question::ExperimentSpec* experiment = nullptr;
  std::vector<ExperimentPrediction> predictions;
  inference::Gain gain;
  std::size_t pairs = 0;
  std::size_t told_apart = 0;  ///< pairs whose intervals of some quantity are farther apart than a
                               ///< measurement of it is off
};

/// A curve of a hypothesis at its closest point: quantities at each point of the curve, under the
/// reading of that point; NaN where a run gave none.
struct PredictedCurve {
  const question::CurveSpec* curve = nullptr;
  std::size_t hypothesis = 0;  ///< index of Answer::hypotheses
  std::vector<std::vector<double>> points;
};

/// A search within a time: the largest one that ended.
struct TimeBudget {
  double minutes = 0;
  std::size_t cut = 0;  ///< points of the next larger search, which did not end in time; 0: none
};

struct Answer {
  SearchPlan plan{};
  std::optional<TimeBudget> budget;   ///< absent: none was asked for
  std::vector<Senders> senders;       ///< the senders that the numbers may be of
  std::vector<Assessed> hypotheses;   ///< in the file's order
  std::vector<std::size_t> order;     ///< by evidence, then by the closest approach
  std::vector<std::size_t> compared;  ///< by experiments and curves: the consistent, the first of
                                      ///< them; where none is, the nearest few
  std::vector<ComparedExperiment> experiments;  ///< cheapest first, then by what they tell
  std::vector<PredictedCurve> curves;
  double wall_seconds = 0;

  const std::string& name(std::size_t hypothesis) const {
    return hypotheses[hypothesis].hypothesis->id.value;
  }
};

/// Equal questions give equal answers, `jobs` and the time taken apart. Within a time
/// (ExplainRequest::minutes) it is the answer of the most points whose search ends in it.
/// InputError where nothing can be compared, or where the least search does not end in time.
Answer find_answer(lab::Laboratory& laboratory);

/// Observations that no hypothesis was held against: their conditions are with a reaction, and
/// there is no [[reaction]].
std::vector<std::string> untested(const question::Question& question);
/// "consistent", "not found in N points, closest ...", "excluded: no point of N closer than ...",
/// "impossible: ...".
std::string verdict_text(const question::Question& question, const Assessed& assessed);
/// The closest point in words: its observation, and its values.
std::string closest_text(const question::Question& question, const Assessed& assessed);
/// The size of a search within a time, in words.
std::string budget_text(const Answer& answer);
/// The answer in one sentence.
std::string conclusion_text(const question::Question& question, const Answer& answer);

/// Arithmetic, each hypothesis, experiments, the ranked table and the conclusion last.
std::string answer_text(const lab::Laboratory& laboratory, const Answer& answer);
/// summary.json
nlohmann::ordered_json answer_json(const lab::Laboratory& laboratory, const Answer& answer);
/// points.csv: a line per joint point.
std::string points_csv(const question::Question& question, const Answer& answer);

}  // namespace horae::explain
