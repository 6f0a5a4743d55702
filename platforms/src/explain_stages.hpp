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
  explicit Assessor(Explanation& e) : e_(e) {}

  /// Fits, runs over seeds, compares; in the file's order, ranked within each hypothesis. The first
  /// call has the whole budget, later ones start from what is known.
  std::vector<HypothesisResult> assess(const Readings& readings, const std::string& title);

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
  FitPlan plan(const Known* known, const FitProblem& problem) const;
  void fit(const std::vector<std::pair<Key, Candidate*>>& all, bool reaction,
           const Readings& readings, const std::string& title);
  void run_seeds(const std::vector<std::pair<Key, Candidate*>>& all, bool reaction,
                 const Readings& readings, const std::string& title);

  Explanation& e_;
  std::map<Key, Known> known_;
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
