// What was assessed, looked at again: plausible ranges, and other readings.
#include <algorithm>

#include "horae/explain/stages.hpp"
#include "horae/results/progress.hpp"

namespace horae::explain {

void Assessor::find_ranges(std::vector<HypothesisResult>& results) {
  std::vector<FitProblem> problems;
  std::vector<FitPlan> plans;
  std::vector<Fitted*> of;
  const ExplainBudget& budget = ExplainBudget::of(e_.request);
  const auto add = [&](Candidate& c, bool reaction) {
    Fitted& fitted = reaction ? c.response : c.mechanism;
    FitPlan plan;
    plan.range_steps = reaction ? budget.reaction_range_steps : budget.range_steps;
    if (fitted.parameters.empty() || plan.range_steps == 0) return;
    for (const auto& t : fitted.fit.trials) plan.known.push_back(t.values);
    plan.around = fitted.fit.best.values;
    problems.push_back(problem(c, reaction, e_.request.readings));
    plans.push_back(std::move(plan));
    of.push_back(&fitted);
  };
  for (auto& r : results) {
    Candidate& best = r.variants[r.best_variant].best();
    add(best, false);
    if (best.reaction != nullptr) add(best, true);
  }
  results::Progress progress(e_.request.show_progress);
  const auto fits = fit_all(problems, plans, e_.runs, e_.request.jobs,
                            watch_line(progress, "plausible ranges, evaluations"));
  for (std::size_t i = 0; i < of.size(); ++i) of[i]->fit.ranges = fits[i].ranges;
}

std::vector<HypothesisResult> Assessor::judge_again(std::vector<HypothesisResult> results,
                                                    const Readings& readings) {
  for (auto& r : results) {
    for (auto& v : r.variants) {
      v.impossible = impossible(e_, v.alone, readings);
      v.alone.comparisons.clear();
      compare(v.alone, false, readings);
      if (!v.alone.consistent()) v.reacting.clear();
      v.untested =
          has_reactions() && v.impossible.empty() && v.alone.consistent() && v.reacting.empty();
      for (auto& c : v.reacting) {
        c.comparisons = v.alone.comparisons;
        compare(c, true, readings);
      }
    }
  }
  rank(results);
  return results;
}

std::vector<OtherReading> Assessor::reread(const std::vector<HypothesisResult>& results,
                                           const std::string& name, const Readings& readings) {
  auto judged = judge_again(results, readings);
  Pass pass{readings, "reading " + name + ": ", {}, {}};
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].best().consistent()) pass.which.push_back(i);
  }
  for (std::size_t r = 0; r < e_.hypotheses.reactions.size(); ++r) {
    const bool best = std::any_of(results.begin(), results.end(), [&](const auto& result) {
      return result.best().best().reaction == &e_.hypotheses.reactions[r];
    });
    if (best) pass.reactions.push_back(r);
  }
  auto fitted = begin(pass);
  stage(fitted, false, pass);
  stage(fitted, true, pass);
  rank(fitted);
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    HypothesisResult& before = judged[pass.which[i]];
    if (fitted[i].best().rank() < before.best().rank()) before = std::move(fitted[i]);
  }
  std::vector<OtherReading> out;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const VariantResult& now = judged[i].best();
    const VariantResult& then = results[i].best();
    out.push_back({name, now.verdict(), now.consistent() != then.consistent(),
                   now.untested && !then.consistent() && !then.untested});
  }
  return out;
}

}  // namespace horae::explain
