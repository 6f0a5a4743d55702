#include "horae/explain/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace horae::explain {
namespace {

/// Consistent, so if fitted to more, not.
int candidate_standing(const lab::Candidate& c) {
  return !c.consistent() ? 2 : c.also_fitted.empty() ? 0 : 1;
}

bool better(const lab::Candidate& a, const lab::Candidate& b) {
  return std::pair(candidate_standing(a), a.rms()) < std::pair(candidate_standing(b), b.rms());
}

}  // namespace

const lab::Candidate& VariantVerdict::best() const {
  const lab::Candidate* best = &alone;
  for (const auto& c : reacting) {
    if (best == &alone || better(c, *best)) best = &c;
  }
  return *best;
}

std::pair<int, double> VariantVerdict::standing() const {
  const lab::Candidate& c = best();
  const int stage = !a_priori.empty()       ? 5
                    : untested              ? 3
                    : c.consistent()        ? candidate_standing(c)
                    : c.reaction != nullptr ? 2
                                            : 4;
  return {stage, c.rms()};
}

std::string VariantVerdict::verdict() const {
  if (!a_priori.empty()) return fmt::format("excluded a priori because {}", a_priori.front());
  const lab::Candidate& c = best();
  const lab::Compared* worst = c.worst();
  if (untested) return "consistent without reaction, not tested with one";
  if (worst == nullptr && c.also_fitted.empty()) return "consistent";
  if (worst == nullptr)
    return fmt::format("consistent if fitted to {} too", fmt::join(c.also_fitted, ", "));
  const auto& o = *worst->observation;
  std::string out = fmt::format("excluded by {}", o.id.value);
  if (c.reaction != nullptr) {
    out += fmt::format(" (with {}, {} reaction)", c.reaction->id.value,
                       reacting.size() > 1 ? "the best" : "the only");
  }
  if (!worst->ours.there) return out + ": a run got stuck or gave no value";
  out += fmt::format(" (ours {:.4g}, published {:g}, {:.1f} tolerances)", worst->ours.mean, o.value,
                     std::abs(worst->allowances()));
  return c.mechanism.fit.converged && c.response.fit.converged ? out : out + "; search cut short";
}

void choose_best_variants(std::vector<HypothesisVerdict>& hypotheses) {
  for (auto& h : hypotheses) {
    h.best_variant = 0;
    for (std::size_t v = 1; v < h.variants.size(); ++v) {
      if (h.variants[v].standing() < h.best().standing()) h.best_variant = v;
    }
  }
}

std::vector<std::size_t> order_hypotheses(const std::vector<HypothesisVerdict>& hypotheses) {
  std::vector<std::size_t> order(hypotheses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return hypotheses[a].best().standing() < hypotheses[b].best().standing();
  });
  return order;
}

}  // namespace horae::explain
