#include "horae/inference/information.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "density.hpp"
#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/inference/sobol.hpp"

namespace horae::inference {
namespace {

struct Predicted {
  Outcomes outcomes;
  double probability;
};

std::vector<Predicted> predicted_of(const std::vector<Outcomes>& hypotheses,
                                    const std::vector<double>& prior,
                                    const std::vector<double>& noise) {
  if (hypotheses.size() != prior.size())
    throw ModelError("information needs a probability for each hypothesis");
  for (const double n : noise) {
    if (!(n > 0)) throw ModelError("information needs a noise above zero");
  }
  std::vector<Predicted> parts;
  double sum = 0;
  for (std::size_t h = 0; h < prior.size(); ++h) {
    const Outcomes& o = hypotheses[h];
    if (o.values.size() != o.weights.size())
      throw ModelError("information needs a weight for each outcome");
    if (prior[h] <= 0 || o.values.empty()) continue;
    sum += prior[h];
    parts.push_back({o, prior[h]});
  }
  for (auto& p : parts) p.probability /= sum;
  return parts;
}

/// Mutual informations with the outcome, of the hypothesis and of everything.
struct Informations {
  double hypothesis = 0, all = 0;
};

Informations informations(const std::vector<Predicted>& parts, const std::vector<double>& noise,
                          const std::vector<Position>& numbers) {
  std::vector<Density> densities;
  for (const auto& p : parts) densities.emplace_back(p.outcomes, noise);
  Informations out;
  std::vector<double> logs(parts.size());
  for (std::size_t h = 0; h < parts.size(); ++h) {
    for (const auto& n : numbers) {
      const auto outcome = densities[h].outcome(n);
      for (std::size_t k = 0; k < parts.size(); ++k) logs[k] = densities[k].log_at(outcome);
      const double most = *std::max_element(logs.begin(), logs.end());
      double mixture = 0;
      for (std::size_t k = 0; k < parts.size(); ++k)
        mixture += parts[k].probability * std::exp(logs[k] - most);
      const double log_mixture = most + std::log(mixture);
      const double share = parts[h].probability / static_cast<double>(numbers.size());
      out.hypothesis += share * (logs[h] - log_mixture);
      out.all -= share * log_mixture;
    }
  }
  // Less the entropy of the noise, which tells nothing.
  for (const double n : noise)
    out.all -= std::log(n * std::sqrt(2 * std::numbers::pi * std::numbers::e));
  return out;
}

/// The same points, dealt to the hypotheses at random.
std::vector<Predicted> shuffled(const std::vector<Predicted>& parts, RandomStream& random) {
  std::vector<std::pair<std::vector<double>, double>> points;
  for (const auto& p : parts) {
    double sum = 0;
    for (const double w : p.outcomes.weights) sum += w;
    for (std::size_t i = 0; i < p.outcomes.values.size(); ++i)
      points.emplace_back(p.outcomes.values[i], p.outcomes.weights[i] / sum);
  }
  for (std::size_t i = points.size(); i > 1; --i)
    std::swap(points[i - 1], points[random.below(static_cast<std::uint32_t>(i))]);
  std::vector<Predicted> out = parts;
  auto next = points.begin();
  for (auto& p : out) {
    for (std::size_t i = 0; i < p.outcomes.values.size(); ++i, ++next) {
      p.outcomes.values[i] = next->first;
      p.outcomes.weights[i] = next->second;
    }
  }
  return out;
}

}  // namespace

Gain expected_gain(const std::vector<Outcomes>& hypotheses, const std::vector<double>& prior,
                   const std::vector<double>& noise, const GainPlan& plan) {
  const auto parts = predicted_of(hypotheses, prior, noise);
  Gain gain;
  if (parts.empty() || noise.empty()) return gain;
  for (const auto& p : parts) gain.most -= p.probability * std::log(p.probability);
  const Space numbers_of(noise.size() + 1);
  const auto numbers =
      sobol_design(numbers_of, plan.outcomes, plan.seed, plan.stream + ".outcomes");
  const auto within = [&](double nats) { return std::clamp(nats, 0.0, gain.most); };
  const auto found = informations(parts, noise, numbers);
  gain.hypothesis = within(found.hypothesis);
  gain.all = std::max(gain.hypothesis, found.all);
  RandomStream random(plan.seed, plan.stream + ".shuffles");
  for (unsigned i = 0; i < plan.shuffles; ++i)
    gain.by_chance +=
        within(informations(shuffled(parts, random), noise, numbers).hypothesis) / plan.shuffles;
  return gain;
}

}  // namespace horae::inference
