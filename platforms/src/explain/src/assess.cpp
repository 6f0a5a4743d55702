#include "horae/explain/assess.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "horae/explain/arithmetic.hpp"

namespace horae::explain {
namespace {

using Place = std::pair<std::size_t, std::size_t>;  ///< hypothesis, variant

/// What is tested with reactions at all: runs with congestion control are long.
struct ReactionLimits {
  std::size_t variants;    ///< of a hypothesis
  std::size_t hypotheses;  ///< one of each family; 0: all

  static ReactionLimits of(const question::ExplainRequest& request) {
    return request.quick ? ReactionLimits{1, 3} : ReactionLimits{2, 0};
  }
};

std::vector<HypothesisVerdict> begin_verdicts(const question::Question& q, const Pass& pass) {
  std::vector<HypothesisVerdict> all;
  for (const std::size_t index : pass.which) {
    const question::HypothesisSpec& h = q.hypotheses.hypotheses[index];
    HypothesisVerdict& verdict = all.emplace_back();
    verdict.hypothesis = &h;
    for (const auto& variant : q.hypotheses.variants) {
      VariantVerdict& at = verdict.variants.emplace_back();
      at.variant = &variant;
      at.alone.hypothesis = &h;
      at.alone.variant = &variant;
      at.a_priori = exclusions_of(q, at.alone, pass.readings);
    }
  }
  return all;
}

/// Those variants that are consistent without reaction and are to be tested with one.
std::vector<Place> tested(std::vector<HypothesisVerdict>& all, const ReactionLimits& limits) {
  std::vector<Place> consistent;
  for (std::size_t h = 0; h < all.size(); ++h) {
    for (std::size_t v = 0; v < all[h].variants.size(); ++v) {
      VariantVerdict& at = all[h].variants[v];
      at.untested = at.a_priori.empty() && at.alone.consistent();
      if (at.untested) consistent.emplace_back(h, v);
    }
  }
  const auto rms = [&](const Place& p) { return all[p.first].variants[p.second].alone.rms(); };
  std::stable_sort(consistent.begin(), consistent.end(),
                   [&](const Place& a, const Place& b) { return rms(a) < rms(b); });
  std::vector<Place> out;
  std::map<std::size_t, std::size_t> variants;
  std::map<std::string, std::size_t> of_family;  // by family, the hypothesis
  for (const auto& [h, v] : consistent) {
    if (variants[h] >= limits.variants) continue;
    if (limits.hypotheses != 0) {
      const auto& family = all[h].hypothesis->family;
      if (!of_family.contains(family) && of_family.size() >= limits.hypotheses) continue;
      if (of_family.emplace(family, h).first->second != h) continue;
    }
    ++variants[h];
    out.emplace_back(h, v);
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::vector<lab::Candidate*> without_reaction(std::vector<HypothesisVerdict>& all) {
  std::vector<lab::Candidate*> out;
  for (auto& h : all) {
    for (auto& v : h.variants) out.push_back(&v.alone);
  }
  return out;
}

std::vector<lab::Candidate*> with_reactions(std::vector<HypothesisVerdict>& all,
                                            const question::Question& q, const Pass& pass) {
  std::vector<lab::Candidate*> out;
  if (q.hypotheses.reactions.empty()) return out;
  for (const auto& [h, v] : tested(all, ReactionLimits::of(q.request))) {
    if (pass.reactions.empty()) continue;
    VariantVerdict& at = all[h].variants[v];
    at.untested = false;
    at.reacting.assign(pass.reactions.size(), at.alone);
    for (std::size_t r = 0; r < pass.reactions.size(); ++r) {
      at.reacting[r].reaction = &q.hypotheses.reactions[pass.reactions[r]];
      out.push_back(&at.reacting[r]);
    }
  }
  return out;
}

}  // namespace

Pass Pass::all(const question::Question& q) {
  Pass pass{q.request.readings, "", {}, {}};
  pass.which.resize(q.hypotheses.hypotheses.size());
  pass.reactions.resize(q.hypotheses.reactions.size());
  std::iota(pass.which.begin(), pass.which.end(), std::size_t{0});
  std::iota(pass.reactions.begin(), pass.reactions.end(), std::size_t{0});
  return pass;
}

std::vector<std::string> exclusions_of(const question::Question& q, const lab::Candidate& candidate,
                                       const question::Readings& readings) {
  const auto set = candidate.unfitted_overrides(q.observations.conditions.front());
  const auto facts = SenderFacts::of(q.platform.read({set, q.seed}));
  if (!facts) return {};
  return arithmetic_exclusions(*candidate.hypothesis, {q.observations, readings, *facts});
}

std::vector<HypothesisVerdict> assess(lab::Laboratory& laboratory, const Pass& pass) {
  const question::Question& q = laboratory.question();
  auto all = begin_verdicts(q, pass);
  if (q.has_conditions(false)) laboratory.run_stage(without_reaction(all), pass.stage(false));
  if (q.has_conditions(true)) laboratory.run_stage(with_reactions(all, q, pass), pass.stage(true));
  choose_best_variants(all);
  return all;
}

}  // namespace horae::explain
