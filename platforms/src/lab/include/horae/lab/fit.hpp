// Fitting the parameters of one mechanism to observations.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "horae/lab/runs.hpp"
#include "horae/question/parameter.hpp"

namespace horae::lab {

/// A number to come near to: the result `metric` of the run with setting `setting`.
struct FitTarget {
  std::size_t setting = 0;
  std::string metric;
  double value = 0;
  double allowance = 1;  ///< what a residual is measured in
};

/// Parameters are added to every setting as overrides.
struct FitProblem {
  std::string title;
  Location where;
  std::vector<question::Setting> settings;
  std::vector<question::FitParameter> parameters;
  std::vector<FitTarget> targets;
};

/// What a fit is to do. One evaluation is a value of every parameter: a run per setting.
struct FitPlan {
  unsigned evaluations = 30;  ///< of the search, per parameter
  /// Evaluated before anything else and not counted: what other fits know. With any of these, only
  /// the search around the best is made.
  std::vector<std::vector<std::string>> known;
  /// In place of a search: the plausible ranges around these values.
  std::optional<std::vector<std::string>> around;
  unsigned range_steps = 4;  ///< halvings to either side of them

  /// The most evaluations of a problem.
  std::size_t most(const FitProblem& problem) const;
};

/// A set of values that was tried.
struct Trial {
  std::vector<std::string> values;  ///< of the parameters
  double objective = 0;             ///< sum over targets of (residual / allowance)^2
};

/// Where the objective stays within one more than at the values while the other parameters stay.
struct PlausibleRange {
  std::string low, high;
  bool low_open = false, high_open = false;  ///< reaches the parameter's bound
};

struct FitResult {
  Trial best;
  std::vector<Trial> trials;  ///< in the order made
  /// Of a plan with `around`: one per parameter; none when those values miss by more than the
  /// allowances (root mean square).
  std::vector<PlausibleRange> ranges;
  std::size_t evaluations = 0;
  bool converged = true;  ///< false: the evaluations ended the search

  nlohmann::ordered_json to_json() const;
  static FitResult from_json(const nlohmann::ordered_json& json);
};

/// Fits in this process, each run in a child of it: NLopt's DIRECT_L over the whole range with 60 %
/// of the evaluations, then SBPLX from the best; or ranges. Depends on nothing but its arguments:
/// what `store` knows saves time and changes no result. `count` sees every evaluation.
FitResult fit(const FitProblem& problem, const FitPlan& plan, RunStore& store,
              std::atomic<std::uint64_t>& count);

/// Fits every problem, `jobs` at a time, each in a child process; their runs come into `store` in
/// the order of the problems. `watch` sees evaluations made and the most there can be.
std::vector<FitResult> fit_all(const std::vector<FitProblem>& problems,
                               const std::vector<FitPlan>& plans, RunStore& store, unsigned jobs,
                               const std::function<void(std::size_t, std::size_t)>& watch);

}  // namespace horae::lab
