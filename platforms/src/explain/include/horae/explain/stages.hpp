// The two stages of an assessment: without congestion control, then with it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "horae/explain/explain.hpp"
#include "horae/results/progress.hpp"

namespace horae::explain {

/// Assesses hypotheses under every variant; what one assessment found is known to the next, which
/// reads the observations differently.
class Assessor {
 public:
  explicit Assessor(Explanation& e);

  /// Fits, runs over seeds, compares: every hypothesis, in the file's order. With a reaction only
  /// the best variants of a hypothesis are tested, with --quick only the best hypotheses of
  /// different families.
  std::vector<HypothesisResult> assess();

  /// Plausible ranges of the parameters of each hypothesis's best.
  void find_ranges(std::vector<HypothesisResult>& results);

  /// What another reading makes of each. The same values are judged first; where those are not
  /// consistent, others are looked for: from what is known, and only with the reactions that are
  /// some hypothesis's best.
  std::vector<OtherReading> reread(const std::vector<HypothesisResult>& results,
                                   const std::string& name, const Readings& readings);

 private:
  /// Hypothesis, variant, reaction (or -1).
  using Key = std::tuple<std::size_t, std::size_t, int>;
  using Candidates = std::vector<std::pair<Key, Candidate*>>;
  struct Known {
    std::vector<Setting> settings;
    std::vector<std::string> metrics;
    FitResult fit;
  };
  /// One way through the stages.
  struct Pass {
    Readings readings;
    std::string title;                   ///< begins the progress line
    std::vector<std::size_t> which;      ///< hypotheses
    std::vector<std::size_t> reactions;  ///< to be tried
  };

  std::vector<HypothesisResult> begin(const Pass& pass) const;
  void stage(std::vector<HypothesisResult>& results, bool reaction, const Pass& pass);
  /// Those variants that are consistent without reaction and are to be tested with one.
  std::vector<std::pair<std::size_t, std::size_t>> tested(
      std::vector<HypothesisResult>& results) const;
  Candidates candidates(std::vector<HypothesisResult>& results, bool reaction,
                        const Pass& pass) const;
  FitProblem problem(const Candidate& candidate, bool reaction, const Readings& readings) const;
  FitPlan plan(const Known* known, const FitProblem& problem, bool reaction) const;
  void fit(const Candidates& all, bool reaction, const Pass& pass);
  void run_seeds(const Candidates& all, bool reaction, const Pass& pass);
  std::vector<RunRequest> requests_of(const Candidate& candidate, bool reaction) const;
  /// With other values of its search, at which the runs of the fit meet every observation there is
  /// in their conditions: what was to be predicted is fitted then. Nothing if there are none.
  std::optional<Candidate> reconsidered(const Candidate& candidate, bool reaction,
                                        const Readings& readings);
  /// Adds the comparisons in conditions with or without reaction.
  void compare(Candidate& candidate, bool reaction, const Readings& readings);
  /// The same values, read otherwise.
  std::vector<HypothesisResult> judge_again(std::vector<HypothesisResult> results,
                                            const Readings& readings);
  bool has_reactions() const;

  Explanation& e_;
  std::map<Key, Known> known_;
};

/// What arithmetic says against a candidate, with its own overrides: it may say how long packets
/// are.
std::vector<std::string> impossible(const Explanation& e, const Candidate& candidate,
                                    const Readings& readings);

/// What a fit may spend per parameter, and what is tested with reactions at all: runs with
/// congestion control are long.
struct ExplainBudget {
  unsigned evaluations, range_steps;                    ///< without reaction
  unsigned reaction_evaluations, reaction_range_steps;  ///< with one; 0 steps: no ranges
  unsigned other_reading;                               ///< evaluations under another reading
  std::size_t variants;                                 ///< of a hypothesis, with reactions
  std::size_t hypotheses;                               ///< likewise, one of each family; 0: all

  static const ExplainBudget& of(const ExplainRequest& request);
};

/// A progress line for one part of the work.
std::function<void(std::size_t, std::size_t)> watch_line(results::Progress& progress,
                                                         const std::string& title);

/// The values of `metric` over the seeds of a setting, whose runs are there.
Sample sample_of(Explanation& e, const std::vector<std::string>& set, const std::string& metric,
                 const std::string& title, const Location& where);

/// The requests for a setting's runs over all seeds.
std::vector<RunRequest> seed_requests(const Explanation& e, const std::vector<std::string>& set,
                                      const std::string& title, const Location& where);

}  // namespace horae::explain
