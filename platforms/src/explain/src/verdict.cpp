#include "horae/explain/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace horae::explain {
namespace {

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// Consistent, so if fitted to more, not.
int standing(const Candidate& c) { return !c.consistent() ? 2 : c.also_fitted.empty() ? 0 : 1; }

bool better(const Candidate& a, const Candidate& b) {
  return std::pair(standing(a), a.rms()) < std::pair(standing(b), b.rms());
}

}  // namespace

Sample Sample::of(std::vector<double> values) {
  Sample s;
  s.values = std::move(values);
  s.there = !s.values.empty() &&
            std::none_of(s.values.begin(), s.values.end(), [](double v) { return std::isnan(v); });
  if (!s.there) return s;
  const auto n = static_cast<double>(s.values.size());
  s.mean = std::accumulate(s.values.begin(), s.values.end(), 0.0) / n;
  if (s.values.size() < 2) return s;
  double sum = 0;
  for (const double v : s.values) sum += (v - s.mean) * (v - s.mean);
  s.spread = std::sqrt(sum / (n - 1));
  return s;
}

double Compared::allowances() const {
  constexpr double missing = 1000;
  return ours.there ? residual() / observation->allowance() : missing;
}

bool Compared::within() const {
  return ours.there && std::abs(residual()) <= observation->allowance() + 2 * ours.spread;
}

std::vector<std::string> Fitted::overrides() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    out.push_back(parameters[i]->key.value + "=" + fit.best.values[i]);
  return out;
}

std::vector<std::string> plain(const std::vector<Located<std::string>>& located) {
  return {located.begin(), located.end()};
}

std::vector<std::string> Candidate::plain_overrides(const ConditionSpec& condition) const {
  auto out = plain(condition.set);
  append(out, plain(variant->set));
  append(out, plain(hypothesis->set));
  return out;
}

std::vector<std::string> Candidate::overrides(const ConditionSpec& condition) const {
  auto out = plain_overrides(condition);
  append(out, mechanism.overrides());
  if (condition.reaction && reaction != nullptr) {
    append(out, plain(reaction->set));
    append(out, response.overrides());
  }
  return out;
}

bool Candidate::consistent() const { return worst() == nullptr; }

double Candidate::rms() const {
  if (comparisons.empty()) return 0;
  double sum = 0;
  for (const auto& c : comparisons) sum += c.allowances() * c.allowances();
  return std::sqrt(sum / static_cast<double>(comparisons.size()));
}

const Compared* Candidate::worst() const {
  const Compared* worst = nullptr;
  for (const auto& c : comparisons) {
    if (c.within()) continue;
    if (worst == nullptr || std::abs(c.allowances()) > std::abs(worst->allowances())) worst = &c;
  }
  return worst;
}

std::size_t Candidate::parameters() const {
  return mechanism.parameters.size() + response.parameters.size();
}

std::string Candidate::title() const {
  std::string out = fmt::format("hypothesis '{}', {}", hypothesis->id.value, variant->label.value);
  if (reaction != nullptr) out += ", " + reaction->id.value;
  return out;
}

const Candidate& VariantResult::best() const {
  const Candidate* best = &alone;
  for (const auto& c : reacting) {
    if (best == &alone || better(c, *best)) best = &c;
  }
  return *best;
}

std::pair<int, double> VariantResult::rank() const {
  const Candidate& c = best();
  const int stage = !impossible.empty()     ? 5
                    : untested              ? 3
                    : c.consistent()        ? standing(c)
                    : c.reaction != nullptr ? 2
                                            : 4;
  return {stage, c.rms()};
}

std::string VariantResult::verdict() const {
  if (!impossible.empty()) return fmt::format("excluded a priori because {}", impossible.front());
  const Candidate& c = best();
  const Compared* worst = c.worst();
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

std::vector<std::size_t> rank(std::vector<HypothesisResult>& results) {
  for (auto& r : results) {
    r.best_variant = 0;
    for (std::size_t v = 1; v < r.variants.size(); ++v) {
      if (r.variants[v].rank() < r.best().rank()) r.best_variant = v;
    }
  }
  std::vector<std::size_t> order(results.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return results[a].best().rank() < results[b].best().rank();
  });
  return order;
}

}  // namespace horae::explain
