#include "horae/explain/stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "horae/core/error.hpp"
#include "horae/results/progress.hpp"

namespace horae::explain {
namespace {

std::string stage_name(bool reaction) { return reaction ? "with a reaction" : "without reaction"; }

std::vector<std::string> metrics_of(const FitProblem& problem) {
  std::vector<std::string> out;
  for (const auto& t : problem.targets) out.push_back(t.metric);
  return out;
}

}  // namespace

std::function<void(std::size_t, std::size_t)> watch_line(results::Progress& progress,
                                                         const std::string& title) {
  return [&progress, title](std::size_t done, std::size_t of) {
    if (!progress.due() || of == 0) return;
    progress.update(static_cast<double>(done) / static_cast<double>(of),
                    fmt::format("{}: {} of {}", title, done, of));
  };
}

std::vector<RunRequest> seed_requests(const Explanation& e, const std::vector<std::string>& set,
                                      const std::string& title, const Location& where) {
  std::vector<RunRequest> out;
  for (unsigned i = 0; i < e.request.seeds; ++i) out.push_back({{set, e.seed + i}, title, where});
  return out;
}

Sample sample_of(Explanation& e, const std::vector<std::string>& set, const std::string& metric,
                 const std::string& title, const Location& where) {
  std::vector<double> values;
  for (const auto& request : seed_requests(e, set, title, where))
    values.push_back(e.runs.run(request).value(metric));
  return Sample::of(std::move(values));
}

const ExplainBudget& ExplainBudget::of(const ExplainRequest& request) {
  static constexpr ExplainBudget full = {20, 4, 10, 3, 4, 2, 0}, quick = {6, 2, 10, 0, 0, 1, 3};
  return request.quick ? quick : full;
}

std::vector<std::string> impossible(const Explanation& e, const Candidate& candidate,
                                    const Readings& readings) {
  const auto facts = SenderFacts::of(
      e.runs.read({candidate.plain_overrides(e.observations.conditions.front()), e.seed}));
  if (!facts) return {};
  return impossible(*candidate.hypothesis, e.observations, readings, *facts);
}

Assessor::Assessor(Explanation& e) : e_(e) {}

std::vector<HypothesisResult> Assessor::assess() {
  Pass pass{e_.request.readings, "", {}, {}};
  pass.which.resize(e_.hypotheses.hypotheses.size());
  pass.reactions.resize(e_.hypotheses.reactions.size());
  std::iota(pass.which.begin(), pass.which.end(), std::size_t{0});
  std::iota(pass.reactions.begin(), pass.reactions.end(), std::size_t{0});
  auto results = begin(pass);
  stage(results, false, pass);
  stage(results, true, pass);
  return results;
}

bool Assessor::has_reactions() const {
  const auto& conditions = e_.observations.conditions;
  return !e_.hypotheses.reactions.empty() && std::any_of(conditions.begin(), conditions.end(),
                                                         [](const auto& c) { return c.reaction; });
}

std::vector<HypothesisResult> Assessor::begin(const Pass& pass) const {
  std::vector<HypothesisResult> results;
  for (const std::size_t index : pass.which) {
    const HypothesisSpec& h = e_.hypotheses.hypotheses[index];
    HypothesisResult& result = results.emplace_back();
    result.hypothesis = &h;
    for (const auto& variant : e_.hypotheses.variants) {
      VariantResult& at = result.variants.emplace_back();
      at.variant = &variant;
      at.alone.hypothesis = &h;
      at.alone.variant = &variant;
      at.impossible = impossible(e_, at.alone, pass.readings);
    }
  }
  return results;
}

std::vector<std::pair<std::size_t, std::size_t>> Assessor::tested(
    std::vector<HypothesisResult>& results) const {
  std::vector<std::pair<std::size_t, std::size_t>> consistent;
  for (std::size_t h = 0; h < results.size(); ++h) {
    for (std::size_t v = 0; v < results[h].variants.size(); ++v) {
      VariantResult& at = results[h].variants[v];
      at.untested = at.impossible.empty() && at.alone.consistent();
      if (at.untested) consistent.emplace_back(h, v);
    }
  }
  std::stable_sort(consistent.begin(), consistent.end(), [&](const auto& a, const auto& b) {
    return results[a.first].variants[a.second].alone.rms() <
           results[b.first].variants[b.second].alone.rms();
  });
  std::vector<std::pair<std::size_t, std::size_t>> out;
  std::map<std::size_t, std::size_t> variants;
  std::map<std::string, std::size_t> of_family;  // by family, the hypothesis
  for (const auto& [h, v] : consistent) {
    if (variants[h] >= ExplainBudget::of(e_.request).variants) continue;
    if (const std::size_t most = ExplainBudget::of(e_.request).hypotheses; most != 0) {
      const auto& family = results[h].hypothesis->family;
      if (!of_family.contains(family) && of_family.size() >= most) continue;
      if (of_family.emplace(family, h).first->second != h) continue;
    }
    ++variants[h];
    out.emplace_back(h, v);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Assessor::Candidates Assessor::candidates(std::vector<HypothesisResult>& results, bool reaction,
                                          const Pass& pass) const {
  Candidates out;
  if (!reaction) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      for (std::size_t v = 0; v < results[i].variants.size(); ++v)
        out.emplace_back(Key{pass.which[i], v, -1}, &results[i].variants[v].alone);
    }
    return out;
  }
  if (e_.hypotheses.reactions.empty()) return out;
  for (const auto& [i, v] : tested(results)) {
    if (pass.reactions.empty()) continue;
    VariantResult& at = results[i].variants[v];
    at.untested = false;
    at.reacting.assign(pass.reactions.size(), at.alone);
    for (std::size_t r = 0; r < pass.reactions.size(); ++r) {
      at.reacting[r].reaction = &e_.hypotheses.reactions[pass.reactions[r]];
      out.emplace_back(Key{pass.which[i], v, static_cast<int>(pass.reactions[r])}, &at.reacting[r]);
    }
  }
  return out;
}

void Assessor::stage(std::vector<HypothesisResult>& results, bool reaction, const Pass& pass) {
  const auto& conditions = e_.observations.conditions;
  if (std::none_of(conditions.begin(), conditions.end(),
                   [&](const auto& c) { return c.reaction == reaction; })) {
    return;
  }
  const auto all = candidates(results, reaction, pass);
  fit(all, reaction, pass);
  run_seeds(all, reaction, pass);
}

FitProblem Assessor::problem(const Candidate& candidate, bool reaction,
                             const Readings& readings) const {
  FitProblem p;
  p.title = candidate.title();
  p.where = reaction ? candidate.reaction->id.where : candidate.hypothesis->id.where;
  std::map<std::string, std::size_t> setting_of;
  for (const auto& o : e_.observations.observations) {
    const ConditionSpec& condition = *e_.observations.find_condition(o.condition);
    if (o.use != Use::fit || condition.reaction != reaction) continue;
    const auto [it, fresh] = setting_of.emplace(o.condition.value, p.settings.size());
    if (fresh) p.settings.push_back({candidate.overrides(condition), e_.seed});
    p.targets.push_back({it->second, metric_of(o.quantity, readings), o.value, o.allowance()});
  }
  const auto& specs = reaction ? candidate.reaction->parameters : candidate.hypothesis->parameters;
  if (specs.empty()) return p;
  const auto effective = e_.runs.read(p.settings.front()).effective;
  for (const auto& spec : specs) p.parameters.emplace_back(spec, effective);
  return p;
}

FitPlan Assessor::plan(const Known* known, const FitProblem& problem, bool reaction) const {
  const ExplainBudget& budget = ExplainBudget::of(e_.request);
  FitPlan plan;
  plan.evaluations = e_.request.evaluations != 0 ? e_.request.evaluations
                     : reaction                  ? budget.reaction_evaluations
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

void Assessor::fit(const Candidates& all, bool reaction, const Pass& pass) {
  std::vector<FitProblem> problems;
  std::vector<FitPlan> plans;
  std::vector<std::size_t> made;
  std::vector<FitResult> fits(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [key, candidate] = all[i];
    const auto& specs =
        reaction ? candidate->reaction->parameters : candidate->hypothesis->parameters;
    if (specs.empty()) continue;  // nothing to move: the runs over seeds are all
    auto p = problem(*candidate, reaction, pass.readings);
    const auto it = known_.find(key);
    const Known* known = it == known_.end() ? nullptr : &it->second;
    if (known != nullptr && known->settings == p.settings && known->metrics == metrics_of(p)) {
      fits[i] = known->fit;
      continue;
    }
    made.push_back(i);
    plans.push_back(plan(known, p, reaction));
    problems.push_back(std::move(p));
  }
  results::Progress progress(e_.request.show_progress);
  auto results =
      fit_all(problems, plans, e_.runs, e_.request.jobs,
              watch_line(progress, pass.title + stage_name(reaction) + ", evaluations of fits"));
  for (std::size_t i = 0; i < made.size(); ++i) {
    fits[made[i]] = std::move(results[i]);
    known_.emplace(all[made[i]].first,
                   Known{problems[i].settings, metrics_of(problems[i]), fits[made[i]]});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    Candidate& c = *all[i].second;
    Fitted& fitted = reaction ? c.response : c.mechanism;
    for (const auto& spec : reaction ? c.reaction->parameters : c.hypothesis->parameters)
      fitted.parameters.push_back(&spec);
    fitted.fit = std::move(fits[i]);
  }
}

std::vector<RunRequest> Assessor::requests_of(const Candidate& candidate, bool reaction) const {
  std::vector<RunRequest> out;
  for (const auto& o : e_.observations.observations) {
    const ConditionSpec& condition = *e_.observations.find_condition(o.condition);
    if (condition.reaction != reaction) continue;
    const auto more = seed_requests(e_, candidate.overrides(condition), candidate.title(),
                                    candidate.hypothesis->id.where);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

void Assessor::run_seeds(const Candidates& all, bool reaction, const Pass& pass) {
  results::Progress progress(e_.request.show_progress);
  const auto watch = watch_line(progress, pass.title + stage_name(reaction) + ", runs over seeds");
  const auto run = [&](const std::vector<Candidate*>& candidates) {
    std::vector<RunRequest> requests;
    for (const auto* c : candidates) {
      const auto more = requests_of(*c, reaction);
      requests.insert(requests.end(), more.begin(), more.end());
    }
    e_.runs.run_all(requests, e_.request.jobs, watch);
    for (auto* c : candidates) compare(*c, reaction, pass.readings);
  };
  std::vector<Candidate*> first;
  for (const auto& [key, candidate] : all) first.push_back(candidate);
  run(first);
  // A best fit that misses what was to be predicted excludes nothing while other values do not.
  std::vector<std::pair<Candidate*, Candidate>> others;
  for (auto* c : first) {
    if (auto other = reconsidered(*c, reaction, pass.readings)) others.emplace_back(c, *other);
  }
  std::vector<Candidate*> second;
  for (auto& [c, other] : others) second.push_back(&other);
  run(second);
  for (auto& [c, other] : others) {
    if (other.consistent()) *c = std::move(other);
  }
}

std::optional<Candidate> Assessor::reconsidered(const Candidate& c, bool reaction,
                                                const Readings& readings) {
  const Fitted& fitted = reaction ? c.response : c.mechanism;
  if (c.consistent() || fitted.parameters.empty()) return std::nullopt;
  std::optional<Candidate> best;
  double least = 0;
  for (const auto& trial : fitted.fit.trials) {
    Candidate other = c;
    (reaction ? other.response : other.mechanism).fit.best = trial;
    other.also_fitted.clear();
    double sum = 0;
    bool within = true;
    for (const auto& o : e_.observations.observations) {
      const ConditionSpec& condition = *e_.observations.find_condition(o.condition);
      const Setting setting{other.overrides(condition), e_.seed};
      const bool ran =
          condition.reaction == reaction &&
          std::any_of(e_.observations.observations.begin(), e_.observations.observations.end(),
                      [&](const auto& x) {
                        return x.use == Use::fit && x.condition.value == condition.id.value;
                      });
      if (!ran) continue;
      const double value = e_.runs.run({setting, c.title(), c.hypothesis->id.where})
                               .value(metric_of(o.quantity, readings));
      const double residual = (value - o.value) / o.allowance();
      within = within && std::abs(residual) <= 1;
      sum += residual * residual;
      if (o.use == Use::predict) other.also_fitted.push_back(o.id);
    }
    if (!within || other.also_fitted.empty() || (best && sum >= least)) continue;
    least = sum;
    best = std::move(other);
  }
  if (best) {
    // What was compared before this stage stays.
    std::erase_if(best->comparisons, [&](const Compared& x) {
      return e_.observations.find_condition(x.observation->condition)->reaction == reaction;
    });
  }
  return best;
}

void Assessor::compare(Candidate& c, bool reaction, const Readings& readings) {
  for (const auto& o : e_.observations.observations) {
    const ConditionSpec& condition = *e_.observations.find_condition(o.condition);
    if (condition.reaction != reaction) continue;
    Compared comparison;
    comparison.observation = &o;
    comparison.metric = metric_of(o.quantity, readings);
    comparison.ours =
        sample_of(e_, c.overrides(condition), comparison.metric, c.title(), c.hypothesis->id.where);
    const bool chosen_by =
        std::find(c.also_fitted.begin(), c.also_fitted.end(), o.id.value) != c.also_fitted.end();
    comparison.calibrated = (o.use == Use::fit || chosen_by) &&
                            !(reaction ? c.response : c.mechanism).parameters.empty();
    c.comparisons.push_back(std::move(comparison));
  }
}

}  // namespace horae::explain
