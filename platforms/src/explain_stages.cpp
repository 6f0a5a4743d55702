#include "explain_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "horae/core/error.hpp"
#include "progress.hpp"

namespace horae::platforms {
namespace {

/// What a fit may spend per parameter, and what is tested with reactions at all: runs with
/// congestion control are long.
struct Budget {
  unsigned evaluations, range_steps;                    ///< without reaction
  unsigned reaction_evaluations, reaction_range_steps;  ///< with one
  std::size_t variants;                                 ///< of a hypothesis, with reactions
  std::size_t hypotheses;                               ///< likewise, one of each family; 0: all
};
constexpr Budget full = {20, 4, 10, 3, 2, 0}, quick = {6, 2, 7, 0, 1, 4};

const Budget& budget(const ExplainRequest& r) { return r.quick ? quick : full; }

std::vector<std::string> metrics_of(const FitProblem& problem) {
  std::vector<std::string> out;
  for (const auto& t : problem.targets) out.push_back(t.metric);
  return out;
}

}  // namespace

std::function<void(std::size_t, std::size_t)> watch_line(Progress& progress,
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

std::vector<HypothesisResult> Assessor::assess(const Readings& readings, const std::string& title) {
  auto results = begin(readings);
  stage(results, false, readings, title);
  stage(results, true, readings, title);
  return results;
}

std::vector<HypothesisResult> Assessor::begin(const Readings& readings) const {
  std::vector<HypothesisResult> results;
  for (const auto& h : e_.hypotheses.hypotheses) {
    HypothesisResult& result = results.emplace_back();
    result.hypothesis = &h;
    for (std::size_t v = 0; v < e_.hypotheses.variants.size(); ++v) {
      VariantResult& at = result.variants.emplace_back();
      at.variant = &e_.hypotheses.variants[v];
      at.alone.hypothesis = &h;
      at.alone.variant = at.variant;
      // With the hypothesis's own overrides: it may say how long packets are.
      const auto facts = SenderFacts::of(
          e_.runs.read({at.alone.plain_overrides(e_.observations.conditions.front()), e_.seed}));
      if (facts) at.impossible = impossible(h, e_.observations, readings, *facts);
    }
  }
  return results;
}

Assessor::Assessor(Explanation& e) : e_(e), reactions_(e.hypotheses.reactions.size()) {
  std::iota(reactions_.begin(), reactions_.end(), std::size_t{0});
}

void Assessor::keep_best_reactions(const std::vector<HypothesisResult>& results) {
  std::erase_if(reactions_, [&](std::size_t r) {
    return std::none_of(results.begin(), results.end(), [&](const HypothesisResult& result) {
      return result.best().best().reaction == &e_.hypotheses.reactions[r];
    });
  });
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
    if (variants[h] >= budget(e_.request).variants) continue;
    if (const std::size_t most = budget(e_.request).hypotheses; most != 0) {
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

std::vector<std::pair<Assessor::Key, Candidate*>> Assessor::candidates(
    std::vector<HypothesisResult>& results, bool reaction) const {
  std::vector<std::pair<Key, Candidate*>> out;
  if (!reaction) {
    for (std::size_t h = 0; h < results.size(); ++h) {
      for (std::size_t v = 0; v < results[h].variants.size(); ++v)
        out.emplace_back(Key{h, v, -1}, &results[h].variants[v].alone);
    }
    return out;
  }
  if (reactions_.empty()) return out;
  for (const auto& [h, v] : tested(results)) {
    VariantResult& at = results[h].variants[v];
    at.untested = false;
    at.reacting.assign(reactions_.size(), at.alone);
    for (std::size_t i = 0; i < reactions_.size(); ++i) {
      at.reacting[i].reaction = &e_.hypotheses.reactions[reactions_[i]];
      out.emplace_back(Key{h, v, static_cast<int>(reactions_[i])}, &at.reacting[i]);
    }
  }
  return out;
}

void Assessor::stage(std::vector<HypothesisResult>& results, bool reaction,
                     const Readings& readings, const std::string& title) {
  const auto& conditions = e_.observations.conditions;
  if (std::none_of(conditions.begin(), conditions.end(),
                   [&](const auto& c) { return c.reaction == reaction; })) {
    return;
  }
  const auto all = candidates(results, reaction);
  const std::string name = title + (reaction ? "with a reaction" : "without reaction");
  fit(all, reaction, readings, name + ", evaluations of fits");
  run_seeds(all, reaction, readings, name + ", runs over seeds");
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
  const Budget& b = budget(e_.request);
  FitPlan plan;
  plan.evaluations = e_.request.evaluations != 0 ? e_.request.evaluations
                     : reaction                  ? b.reaction_evaluations
                                                 : b.evaluations;
  plan.range_steps = reaction ? b.reaction_range_steps : b.range_steps;
  if (known == nullptr) return plan;
  if (known->settings == problem.settings) {
    for (const auto& t : known->fit.trials) plan.known.push_back(t.values);
  } else {
    plan.known.push_back(known->fit.best.values);
  }
  // Another reading: without reaction every run is known and costs nothing more.
  plan.evaluations = 0;
  plan.range_steps = 0;
  return plan;
}

void Assessor::fit(const std::vector<std::pair<Key, Candidate*>>& all, bool reaction,
                   const Readings& readings, const std::string& title) {
  std::vector<FitProblem> problems;
  std::vector<FitPlan> plans;
  std::vector<std::size_t> made;
  std::vector<FitResult> fits(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& [key, candidate] = all[i];
    const auto& specs =
        reaction ? candidate->reaction->parameters : candidate->hypothesis->parameters;
    if (specs.empty()) continue;  // nothing to move: the runs over seeds are all
    auto p = problem(*candidate, reaction, readings);
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
  Progress progress(e_.request.show_progress);
  auto results = fit_all(problems, plans, e_.runs, e_.request.jobs, watch_line(progress, title));
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

void Assessor::run_seeds(const std::vector<std::pair<Key, Candidate*>>& all, bool reaction,
                         const Readings& readings, const std::string& title) {
  std::vector<RunRequest> requests;
  const auto for_each = [&](auto&& f) {
    for (const auto& [key, candidate] : all) {
      for (const auto& o : e_.observations.observations) {
        const ConditionSpec& condition = *e_.observations.find_condition(o.condition);
        if (condition.reaction == reaction) f(*candidate, o, candidate->overrides(condition));
      }
    }
  };
  for_each([&](const Candidate& c, const ObservationSpec&, const std::vector<std::string>& set) {
    const auto more = seed_requests(e_, set, c.title(), c.hypothesis->id.where);
    requests.insert(requests.end(), more.begin(), more.end());
  });
  Progress progress(e_.request.show_progress);
  e_.runs.run_all(requests, e_.request.jobs, watch_line(progress, title));
  for_each([&](Candidate& c, const ObservationSpec& o, const std::vector<std::string>& set) {
    Compared comparison;
    comparison.observation = &o;
    comparison.metric = metric_of(o.quantity, readings);
    comparison.ours = sample_of(e_, set, comparison.metric, c.title(), c.hypothesis->id.where);
    comparison.calibrated =
        o.use == Use::fit && !(reaction ? c.response : c.mechanism).parameters.empty();
    c.comparisons.push_back(std::move(comparison));
  });
}

}  // namespace horae::platforms
