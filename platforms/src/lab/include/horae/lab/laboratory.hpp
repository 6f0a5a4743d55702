// The laboratory of `horae explain`: makes the runs that a question needs, and says how they came
// out. What follows from them is the answer's.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "horae/lab/candidate.hpp"
#include "horae/lab/fit.hpp"
#include "horae/lab/runs.hpp"
#include "horae/question/question.hpp"

namespace horae::lab {

/// Which conditions are looked at, and how observations are read.
struct Stage {
  bool reaction = false;  ///< the conditions with a reaction, or those without
  question::Readings readings;
  std::string title;  ///< begins the progress line
};

/// What fits may spend: runs with congestion control are long.
struct FitBudget {
  unsigned evaluations, range_steps;                    ///< per parameter; without reaction
  unsigned reaction_evaluations, reaction_range_steps;  ///< with one; 0 steps: no ranges
  unsigned other_reading;                               ///< evaluations under another reading

  static const FitBudget& of(const question::ExplainRequest& request);
};

/// Makes runs by configuration, each once, with the question's seeds and jobs. What one fit found
/// is known to the next of the same mechanism, which may read the observations differently.
class Laboratory {
 public:
  /// The question outlives the laboratory.
  explicit Laboratory(const question::Question& question);

  const question::Question& question() const { return question_; }
  const RunStore& runs() const { return runs_; }

  /// Fits the candidates' parameters, runs them over seeds and compares them with the observations
  /// of the stage's conditions. Those that miss what was to be predicted are tried with other
  /// values of their search.
  void run_stage(const std::vector<Candidate*>& candidates, const Stage& stage);
  /// Adds the comparisons with the observations of the stage's conditions.
  void compare(Candidate& candidate, const Stage& stage);
  /// Plausible ranges of the candidates' parameters, those of a reaction too.
  void find_ranges(const std::vector<Candidate*>& candidates);

  /// The requests for a setting's runs over all seeds.
  std::vector<RunRequest> over_seeds(const std::vector<std::string>& set, const std::string& title,
                                     const Location& where) const;
  /// Makes the runs that are not there; `title` begins the progress line.
  void run_all(const std::vector<RunRequest>& requests, const std::string& title);
  /// A result of a run.
  const RunRecord& run(const RunRequest& request) { return runs_.run(request); }
  /// The values of `metric` over the seeds of a setting.
  SeedSample sample(const std::vector<std::string>& set, const std::string& metric,
                    const std::string& title, const Location& where);

 private:
  /// Hypothesis, variant, reaction (or null).
  using Mechanism = std::tuple<const question::HypothesisSpec*, const question::VariantSpec*,
                               const question::ReactionSpec*>;
  struct KnownFit {
    std::vector<question::Setting> settings;
    std::vector<std::string> metrics;
    FitResult fit;
  };

  FitProblem problem(const Candidate& candidate, const Stage& stage) const;
  FitPlan plan(const KnownFit* known, const FitProblem& problem, bool reaction) const;
  std::vector<FitResult> fit_problems(const std::vector<FitProblem>& problems,
                                      const std::vector<FitPlan>& plans, const std::string& title);
  void fit(const std::vector<Candidate*>& candidates, const Stage& stage);
  void run_seeds(const std::vector<Candidate*>& candidates, const Stage& stage);
  void run_and_compare(const std::vector<Candidate*>& candidates, const Stage& stage);
  /// With other values of its search, at which the runs of the fit meet every observation there is
  /// in their conditions: what was to be predicted is fitted then. Nothing if there are none.
  std::optional<Candidate> reconsidered(const Candidate& candidate, const Stage& stage);
  /// With the values of a trial, if its runs meet every observation in conditions that were fitted;
  /// and the sum of the squared residuals, in allowances.
  std::optional<std::pair<double, Candidate>> with_trial(const Candidate& candidate,
                                                         const Trial& trial, const Stage& stage);

  const question::Question& question_;
  RunStore runs_;
  std::map<Mechanism, KnownFit> known_;
};

}  // namespace horae::lab
