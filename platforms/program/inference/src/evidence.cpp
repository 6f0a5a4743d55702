#include "horae/inference/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "horae/core/error.hpp"

namespace horae::inference {
namespace {

constexpr double z95 = 1.6448536269514722;  // one-sided 95 % of the normal distribution

/// Upper end of a positive estimate with a coefficient of variation, as a log-normal one.
double upper(double share, double variation) {
  return std::min(1.0, share * std::exp(z95 * std::sqrt(std::log1p(variation * variation))));
}

/// The largest probability under which none of `n` independent trials succeeds in 1 of 20 cases.
double none_of(std::size_t n) { return 1 - std::pow(0.05, 1 / static_cast<double>(n)); }

std::size_t chains_of(const Level& level) {
  std::size_t n = 0;
  for (const State& s : level.states) n = std::max(n, s.chain + 1);
  return n;
}

/// Estimate from one level's population: its share of the prior, and that share's coefficient
/// of variation.
struct Part {
  const Level* level;
  double share;
  double variation;
};

std::vector<Part> parts_of(const Sampled& s) {
  std::vector<Part> parts;
  double share = 1, variation = 0;
  for (const auto& level : s.levels) {
    parts.push_back({&level, share, variation});
    share *= level.share;
    variation += level.variation;
  }
  return parts;
}

/// Whether a state stands for its part: the rest is the next level's.
bool stands(const Sampled& s, const Part& part, const State& state) {
  return part.level == &s.levels.back() || s.evaluations[state.point].distance > part.level->next;
}

std::vector<Weighted> merged(const std::map<std::size_t, double>& weights) {
  std::vector<Weighted> out;
  for (const auto& [point, weight] : weights) out.push_back({point, weight});
  return out;
}

/// Share of a part's states that are in its own part and within `target`, and the variance of that,
/// from the differences between chains.
struct Found {
  double share = 0, variance = 0;
};

Found found_in(const Sampled& s, const Part& part, const std::vector<double>& distances,
               double target) {
  const std::size_t chains = chains_of(*part.level);
  std::vector<double> means(chains, 0.0);
  const double length =
      static_cast<double>(part.level->states.size()) / static_cast<double>(chains);
  for (const State& state : part.level->states) {
    if (stands(s, part, state) && distances[state.point] <= target)
      means[state.chain] += 1 / length;
  }
  Found f;
  for (const double m : means) f.share += m / static_cast<double>(chains);
  for (const double m : means) f.variance += (m - f.share) * (m - f.share);
  f.variance /=
      static_cast<double>(chains) * static_cast<double>(std::max<std::size_t>(1, chains - 1));
  return f;
}

/// Whether nothing is nearer than it was: the new target is inside the old one.
bool only_farther(const Sampled& s, const std::vector<double>& distances, double target) {
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] <= target && s.evaluations[i].distance > s.target) return false;
  }
  return true;
}

}  // namespace

Evidence evidence_of(const Sampled& s) {
  Evidence e;
  const auto parts = parts_of(s);
  const auto accepted = accepted_sample(s);
  e.points = accepted.size();
  const Part& last = parts.back();
  if (e.points == 0) {
    e.at_most = upper(last.share, last.variation) * none_of(chains_of(*last.level));
    return e;
  }
  // A population within the target was only added for more points.
  const bool inside = last.level->within <= s.target;
  e.share = inside ? last.share : last.share * last.level->share;
  e.variation = last.variation + (inside ? 0 : last.level->variation);
  e.at_most = upper(e.share, e.variation);
  return e;
}

std::vector<Weighted> prior_sample(const Sampled& s) {
  std::map<std::size_t, double> weights;
  for (const auto& part : parts_of(s)) {
    for (const State& state : part.level->states) {
      if (stands(s, part, state))
        weights[state.point] += part.share / static_cast<double>(part.level->states.size());
    }
  }
  return merged(weights);
}

std::vector<Weighted> accepted_sample(const Sampled& s) {
  std::map<std::size_t, double> weights;
  double sum = 0;
  for (const State& state : s.levels.back().states) {
    if (s.evaluations[state.point].distance > s.target) continue;
    weights[state.point] += 1;
    sum += 1;
  }
  for (auto& [point, weight] : weights) weight /= sum;
  return merged(weights);
}

Evidence reread(const Sampled& s, const std::vector<double>& distances, double target) {
  if (distances.size() != s.evaluations.size())
    throw ModelError("a reading needs one distance for each evaluation");
  Evidence e;
  double variance = 0, common = 0;
  std::set<std::size_t> points;
  const auto parts = parts_of(s);
  for (const auto& part : parts) {
    const Found f = found_in(s, part, distances, target);
    e.share += part.share * f.share;
    variance += part.share * part.share * f.variance;
    common += part.share * f.share * part.variation;
    for (const State& state : part.level->states) {
      if (stands(s, part, state) && distances[state.point] <= target) points.insert(state.point);
    }
  }
  e.points = points.size();
  if (e.points > 0) {
    e.variation = std::sqrt(variance + common * common) / e.share;
    e.at_most = upper(e.share, e.variation);
    return e;
  }
  const bool inside = only_farther(s, distances, target);
  e.at_most = 0;
  for (const auto& part : parts) {
    if (inside && &part != &parts.back()) continue;
    e.at_most =
        std::max(e.at_most, upper(part.share, part.variation) * none_of(chains_of(*part.level)));
  }
  return e;
}

}  // namespace horae::inference
