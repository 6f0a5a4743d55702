// What was assessed, under another reading.
#include <algorithm>

#include "horae/explain/assess.hpp"

namespace horae::explain {
namespace {

bool has_reactions(const question::Question& q) {
  return !q.hypotheses.reactions.empty() && q.has_conditions(true);
}

/// The same values, read otherwise.
std::vector<HypothesisVerdict> judge_again(lab::Laboratory& laboratory,
                                           std::vector<HypothesisVerdict> hypotheses,
                                           const question::Readings& readings) {
  const question::Question& q = laboratory.question();
  const lab::Stage without{false, readings, {}}, with{true, readings, {}};
  for (auto& h : hypotheses) {
    for (auto& v : h.variants) {
      v.a_priori = exclusions_of(q, v.alone, readings);
      v.alone.comparisons.clear();
      laboratory.compare(v.alone, without);
      if (!v.alone.consistent()) v.reacting.clear();
      v.untested =
          has_reactions(q) && v.a_priori.empty() && v.alone.consistent() && v.reacting.empty();
      for (auto& c : v.reacting) {
        c.comparisons = v.alone.comparisons;
        laboratory.compare(c, with);
      }
    }
  }
  choose_best_variants(hypotheses);
  return hypotheses;
}

}  // namespace

std::vector<OtherReading> reread(lab::Laboratory& laboratory,
                                 const std::vector<HypothesisVerdict>& hypotheses,
                                 const std::string& name, const question::Readings& readings) {
  const auto& reactions = laboratory.question().hypotheses.reactions;
  auto judged = judge_again(laboratory, hypotheses, readings);
  Pass pass{readings, "reading " + name + ": ", {}, {}};
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (!judged[i].best().consistent()) pass.which.push_back(i);
  }
  for (std::size_t r = 0; r < reactions.size(); ++r) {
    const bool best = std::any_of(hypotheses.begin(), hypotheses.end(), [&](const auto& h) {
      return h.best().best().reaction == &reactions[r];
    });
    if (best) pass.reactions.push_back(r);
  }
  auto fitted = assess(laboratory, pass);
  for (std::size_t i = 0; i < fitted.size(); ++i) {
    HypothesisVerdict& before = judged[pass.which[i]];
    if (fitted[i].best().standing() < before.best().standing()) before = std::move(fitted[i]);
  }
  std::vector<OtherReading> out;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const VariantVerdict& now = judged[i].best();
    const VariantVerdict& then = hypotheses[i].best();
    out.push_back({name, now.verdict(), now.consistent() != then.consistent(),
                   now.untested && !then.consistent() && !then.untested});
  }
  return out;
}

}  // namespace horae::explain
