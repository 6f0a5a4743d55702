#include "horae/inference/interval.hpp"

#include <algorithm>
#include <cmath>

#include "horae/core/error.hpp"

namespace horae::inference {
namespace {

void sort_values(std::vector<WeightedValue>& values) {
  if (values.empty()) throw ModelError("an interval of no values");
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return a.value < b.value; });
}

double sorted_quantile(const std::vector<WeightedValue>& values, double share) {
  double sum = 0;
  for (const auto& v : values) sum += v.weight;
  double below = 0, before = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double middle = (below + values[i].weight / 2) / sum;
    if (share <= middle) {
      if (i == 0) return values[0].value;
      const double part = (share - before) / (middle - before);
      return values[i - 1].value + part * (values[i].value - values[i - 1].value);
    }
    before = middle;
    below += values[i].weight;
  }
  return values.back().value;
}

/// How many equal weights say as much (Kish).
double effective(const std::vector<WeightedValue>& values) {
  double sum = 0, squares = 0;
  for (const auto& v : values) {
    sum += v.weight;
    squares += v.weight * v.weight;
  }
  return sum * sum / squares;
}

Interval sorted_interval(const std::vector<WeightedValue>& values, double share) {
  const double n = effective(values);
  // The k-th of n has k / (n + 1) of the draws to come below it, and (k - 1/2) / n is its middle.
  const auto at = [&](double below) {
    return sorted_quantile(values, (below * (n + 1) - 0.5) / n);
  };
  return {at((1 - share) / 2), at(0.5), at((1 + share) / 2), values.front().value,
          values.back().value};
}

}  // namespace

double quantile(std::vector<WeightedValue> values, double share) {
  sort_values(values);
  return sorted_quantile(values, share);
}

Interval interval_of(std::vector<WeightedValue> values, double share) {
  sort_values(values);
  return sorted_interval(values, share);
}

std::vector<Marginal> marginals(const Space& space, const std::vector<Evaluation>& evaluations,
                                const std::vector<Weighted>& accepted) {
  std::vector<Marginal> out;
  for (std::size_t i = 0; i < space.size(); ++i) {
    Marginal m;
    m.shares.assign(space[i].values, 0.0);
    std::vector<WeightedValue> values;
    for (const auto& a : accepted) {
      const double at = evaluations[a.point].position[i];
      values.push_back({at, a.weight});
      if (space[i].discrete()) m.shares[space[i].index(at)] += a.weight;
    }
    m.interval = interval_of(std::move(values));
    out.push_back(std::move(m));
  }
  return out;
}

Prediction predict(const std::vector<double>& outcomes, const std::vector<Weighted>& accepted,
                   double share) {
  Prediction p;
  std::vector<WeightedValue> values;
  for (const auto& a : accepted) {
    if (std::isfinite(outcomes[a.point])) {
      values.push_back({outcomes[a.point], a.weight});
    } else {
      p.missing += a.weight;
    }
  }
  p.interval = interval_of(std::move(values), share);
  return p;
}

}  // namespace horae::inference
