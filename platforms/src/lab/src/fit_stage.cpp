// Fits the parameters of candidates to the observations of a stage.
#include <map>

#include "horae/lab/laboratory.hpp"
#include "watch_line.hpp"

namespace horae::lab {
namespace {

std::vector<std::string> metrics_of(const FitProblem& problem) {
  std::vector<std::string> out;
  for (const auto& t : problem.targets) out.push_back(t.metric);
  return out;
}

}  // namespace

FitProblem Laboratory::problem(const Candidate& candidate, const Stage& stage) const {
  FitProblem p;
  p.title = candidate.title();
  p.where = stage.reaction ? candidate.reaction->id.where : candidate.hypothesis->id.where;
  std::map<std::string, std::size_t> setting_of;
  for (const auto& o : question_.observations.observations) {
    const question::ConditionSpec& condition = question_.condition(o.condition);
    if (o.use != question::Use::fit || condition.reaction != stage.reaction) continue;
    const auto [it, fresh] = setting_of.emplace(o.condition.value, p.settings.size());
    if (fresh) p.settings.push_back({candidate.overrides(condition), question_.seed});
    p.targets.push_back(
        {it->second, question::metric_of(o.quantity, stage.readings), o.value, o.allowance()});
  }
  const auto& specs = candidate.fittable(stage.reaction);
  if (specs.empty()) return p;
  const auto effective = question_.platform.read(p.settings.front()).effective;
  for (const auto& spec : specs) p.parameters.emplace_back(spec, effective);
  return p;
}

FitPlan Laboratory::plan(const KnownFit* known, const FitProblem& problem, bool reaction) const {
  const FitBudget& budget = FitBudget::of(question_.request);
  FitPlan plan;
  plan.evaluations = question_.request.evaluations != 0 ? question_.request.evaluations
                     : reaction                         ? budget.reaction_evaluations
                                                        : budget.evaluations;
  if (known == nullptr) return plan;
  if (known->settings == problem.settings) {
    for (const auto& t : known->fit.trials) plan.known.push_back(t.values);
  } else {
    plan.known.push_back(known->fit.best.values);
  }
  plan.evaluations = reaction ? 0 : budget.other_reading;
  return plan;
}

std::vector<FitResult> Laboratory::fit_problems(const std::vector<FitProblem>& problems,
                                                const std::vector<FitPlan>& plans,
                                                const std::string& title) {
  results::Progress progress(question_.request.show_progress);
  return fit_all(problems, plans, runs_, question_.request.jobs, watch_line(progress, title));
}

void Laboratory::fit(const std::vector<Candidate*>& candidates, const Stage& stage) {
  std::vector<FitProblem> problems;
  std::vector<FitPlan> plans;
  std::vector<std::size_t> made;
  std::vector<FitResult> fits(candidates.size());
  const auto mechanism_of = [](const Candidate& c) {
    return Mechanism(c.hypothesis, c.variant, c.reaction);
  };
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& candidate = *candidates[i];
    // Nothing to move: the runs over seeds are all.
    if (candidate.fittable(stage.reaction).empty()) continue;
    auto p = problem(candidate, stage);
    const auto it = known_.find(mechanism_of(candidate));
    const KnownFit* known = it == known_.end() ? nullptr : &it->second;
    if (known != nullptr && known->settings == p.settings && known->metrics == metrics_of(p)) {
      fits[i] = known->fit;
      continue;
    }
    made.push_back(i);
    plans.push_back(plan(known, p, stage.reaction));
    problems.push_back(std::move(p));
  }
  auto results = fit_problems(problems, plans, stage.title + ", evaluations of fits");
  for (std::size_t i = 0; i < made.size(); ++i) {
    fits[made[i]] = std::move(results[i]);
    known_.emplace(mechanism_of(*candidates[made[i]]),
                   KnownFit{problems[i].settings, metrics_of(problems[i]), fits[made[i]]});
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Fitted& fitted = candidates[i]->fitted(stage.reaction);
    for (const auto& spec : candidates[i]->fittable(stage.reaction))
      fitted.parameters.push_back(&spec);
    fitted.fit = std::move(fits[i]);
  }
}

void Laboratory::find_ranges(const std::vector<Candidate*>& candidates) {
  std::vector<FitProblem> problems;
  std::vector<FitPlan> plans;
  std::vector<Fitted*> of;
  const FitBudget& budget = FitBudget::of(question_.request);
  const auto add = [&](Candidate& c, bool reaction) {
    Fitted& fitted = c.fitted(reaction);
    FitPlan plan;
    plan.range_steps = reaction ? budget.reaction_range_steps : budget.range_steps;
    if (fitted.parameters.empty() || plan.range_steps == 0) return;
    for (const auto& t : fitted.fit.trials) plan.known.push_back(t.values);
    plan.around = fitted.fit.best.values;
    problems.push_back(problem(c, {reaction, question_.request.readings, {}}));
    plans.push_back(std::move(plan));
    of.push_back(&fitted);
  };
  for (Candidate* c : candidates) {
    add(*c, false);
    if (c->reaction != nullptr) add(*c, true);
  }
  const auto fits = fit_problems(problems, plans, "plausible ranges, evaluations");
  for (std::size_t i = 0; i < of.size(); ++i) of[i]->fit.ranges = fits[i].ranges;
}

}  // namespace horae::lab
