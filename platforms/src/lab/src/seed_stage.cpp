// Runs candidates over the seeds and compares them with the observations of a stage.
#include <algorithm>
#include <cmath>

#include "horae/lab/laboratory.hpp"

namespace horae::lab {

void Laboratory::compare(Candidate& c, const Stage& stage) {
  for (const auto& o : question_.observations.observations) {
    const question::ConditionSpec& condition = question_.condition(o.condition);
    if (condition.reaction != stage.reaction) continue;
    Compared comparison;
    comparison.observation = &o;
    comparison.metric = question::metric_of(o.quantity, stage.readings);
    comparison.ours =
        sample(c.overrides(condition), comparison.metric, c.title(), c.hypothesis->id.where);
    const bool chosen_by =
        std::find(c.also_fitted.begin(), c.also_fitted.end(), o.id.value) != c.also_fitted.end();
    comparison.calibrated =
        (o.use == question::Use::fit || chosen_by) && !c.fitted(stage.reaction).parameters.empty();
    c.comparisons.push_back(std::move(comparison));
  }
}

void Laboratory::run_and_compare(const std::vector<Candidate*>& candidates, const Stage& stage) {
  std::vector<RunRequest> requests;
  for (const auto* c : candidates) {
    for (const auto& o : question_.observations.observations) {
      const question::ConditionSpec& condition = question_.condition(o.condition);
      if (condition.reaction != stage.reaction) continue;
      const auto more = over_seeds(c->overrides(condition), c->title(), c->hypothesis->id.where);
      requests.insert(requests.end(), more.begin(), more.end());
    }
  }
  run_all(requests, stage.title + ", runs over seeds");
  for (auto* c : candidates) compare(*c, stage);
}

void Laboratory::run_seeds(const std::vector<Candidate*>& candidates, const Stage& stage) {
  run_and_compare(candidates, stage);
  // A best fit that misses what was to be predicted excludes nothing while other values do not.
  std::vector<std::pair<Candidate*, Candidate>> others;
  for (auto* c : candidates) {
    if (auto other = reconsidered(*c, stage)) others.emplace_back(c, *other);
  }
  std::vector<Candidate*> second;
  for (auto& [c, other] : others) second.push_back(&other);
  run_and_compare(second, stage);
  for (auto& [c, other] : others) {
    if (other.consistent()) *c = std::move(other);
  }
}

std::optional<std::pair<double, Candidate>> Laboratory::with_trial(const Candidate& c,
                                                                   const Trial& trial,
                                                                   const Stage& stage) {
  const auto& observations = question_.observations.observations;
  Candidate other = c;
  other.fitted(stage.reaction).fit.best = trial;
  other.also_fitted.clear();
  double sum = 0;
  bool within = true;
  for (const auto& o : observations) {
    const question::ConditionSpec& condition = question_.condition(o.condition);
    const question::Setting setting{other.overrides(condition), question_.seed};
    const bool ran =
        condition.reaction == stage.reaction &&
        std::any_of(observations.begin(), observations.end(), [&](const auto& x) {
          return x.use == question::Use::fit && x.condition.value == condition.id.value;
        });
    if (!ran) continue;
    const double value = runs_.run({setting, c.title(), c.hypothesis->id.where})
                             .value(question::metric_of(o.quantity, stage.readings));
    const double residual = (value - o.value) / o.allowance();
    within = within && std::abs(residual) <= 1;
    sum += residual * residual;
    if (o.use == question::Use::predict) other.also_fitted.push_back(o.id);
  }
  if (!within || other.also_fitted.empty()) return std::nullopt;
  return std::pair{sum, std::move(other)};
}

std::optional<Candidate> Laboratory::reconsidered(const Candidate& c, const Stage& stage) {
  if (c.consistent() || c.fitted(stage.reaction).parameters.empty()) return std::nullopt;
  std::optional<std::pair<double, Candidate>> best;
  for (const auto& trial : c.fitted(stage.reaction).fit.trials) {
    auto other = with_trial(c, trial, stage);
    if (other && (!best || other->first < best->first)) best = std::move(other);
  }
  if (!best) return std::nullopt;
  // What was compared before this stage stays.
  std::erase_if(best->second.comparisons, [&](const Compared& x) {
    return question_.condition(x.observation->condition).reaction == stage.reaction;
  });
  return std::move(best->second);
}

}  // namespace horae::lab
