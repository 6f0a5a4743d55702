// The two stages of an assessment: without congestion control, then with it.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "explain.hpp"

namespace horae::platforms {

/// Assesses every hypothesis under every variant; what one assessment found is known to the next,
/// which reads the observations differently.
class Assessor {
 public:
  explicit Assessor(Explanation& e);

  /// Fits, runs over seeds, compares; in the file's order, ranked within each hypothesis. The first
  /// call has the whole budget, later ones start from what is known. With a reaction only the best
  /// variants of a hypothesis are tested, with --quick only the best hypotheses of different
  /// families.
  std::vector<HypothesisResult> assess(const Readings& readings, const std::string& title);

  /// Later calls try only the reactions that are some hypothesis's best in `results`.
  void keep_best_reactions(const std::vector<HypothesisResult>& results);

 private:
  /// Hypothesis, variant, reaction (or -1).
  using Key = std::tuple<std::size_t, std::size_t, int>;
  struct Known {
    std::vector<Setting> settings;
    std::vector<std::string> metrics;
    FitResult fit;
  };

  std::vector<HypothesisResult> begin(const Readings& readings) const;
  void stage(std::vector<HypothesisResult>& results, bool reaction, const Readings& readings,
             const std::string& title);
  std::vector<std::pair<Key, Candidate*>> candidates(std::vector<HypothesisResult>& results,
                                                     bool reaction) const;
  FitProblem problem(const Candidate& candidate, bool reaction, const Readings& readings) const;
  /// Those variants that are consistent without reaction and are to be tested with one.
  std::vector<std::pair<std::size_t, std::size_t>> tested(
      std::vector<HypothesisResult>& results) const;
  FitPlan plan(const Known* known, const FitProblem& problem, bool reaction) const;
  void fit(const std::vector<std::pair<Key, Candidate*>>& all, bool reaction,
           const Readings& readings, const std::string& title);
  void run_seeds(const std::vector<std::pair<Key, Candidate*>>& all, bool reaction,
                 const Readings& readings, const std::string& title);

  Explanation& e_;
  std::map<Key, Known> known_;
  std::vector<std::size_t> reactions_;  ///< to be tried
};

/// A progress line for one part of the work.
std::function<void(std::size_t, std::size_t)> watch_line(class Progress& progress,
                                                         const std::string& title);

/// The values of `metric` over the seeds of a setting, whose runs are there.
Sample sample_of(Explanation& e, const std::vector<std::string>& set, const std::string& metric,
                 const std::string& title, const Location& where);

/// The requests for a setting's runs over all seeds.
std::vector<RunRequest> seed_requests(const Explanation& e, const std::vector<std::string>& set,
                                      const std::string& title, const Location& where);

}  // namespace horae::platforms
