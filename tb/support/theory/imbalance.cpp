#include "theory/imbalance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace horae::theory {

double imbalance_of(const std::vector<std::uint64_t>& loads) {
  const auto total =
      static_cast<double>(std::accumulate(loads.begin(), loads.end(), std::uint64_t{0}));
  if (total == 0) return 0;
  const auto largest = static_cast<double>(*std::max_element(loads.begin(), loads.end()));
  return largest * static_cast<double>(loads.size()) / total - 1;
}

double largest_normal(std::uint32_t n) {
  // The integral of x n phi(x) Phi(x)^(n-1), by the trapezium rule: outside nothing is left, and
  // the integrand is smooth.
  constexpr double from = -9, to = 9;
  constexpr int steps = 4096;
  constexpr double width = (to - from) / steps;
  const double scale = 1 / std::sqrt(2 * std::acos(-1.0));
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double x = from + width * i;
    const double density = scale * std::exp(-x * x / 2);
    const double below = std::erfc(-x / std::sqrt(2.0)) / 2;
    sum += x * n * density * std::pow(below, n - 1.0);
  }
  return sum * width;
}

double expected_imbalance(std::uint32_t bins, double balls) {
  return largest_normal(bins) * std::sqrt((bins - 1.0) / balls);
}

double thrown_imbalance(std::uint32_t bins, std::uint64_t balls, RandomStream& random) {
  std::vector<std::uint64_t> loads(bins);
  for (std::uint64_t i = 0; i < balls; ++i) ++loads[random.below(bins)];
  return imbalance_of(loads);
}

Trials thrown_imbalances(std::uint32_t bins, std::uint64_t balls, std::uint32_t trials,
                         RandomStream& random) {
  Trials out;
  for (std::uint32_t i = 0; i < trials; ++i) out.add(thrown_imbalance(bins, balls, random));
  return out;
}

}  // namespace horae::theory
