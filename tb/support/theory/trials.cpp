#include "theory/trials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace horae::theory {

double Trials::mean() const {
  if (values_.empty()) return 0;
  return std::accumulate(values_.begin(), values_.end(), 0.0) / static_cast<double>(count());
}

double Trials::deviation() const {
  if (count() < 2) return 0;
  const double centre = mean();
  double squares = 0;
  for (const double v : values_) squares += (v - centre) * (v - centre);
  return std::sqrt(squares / static_cast<double>(count() - 1));
}

double Trials::error() const {
  return values_.empty() ? 0 : deviation() / std::sqrt(static_cast<double>(count()));
}

double Trials::quantile(double p) const {
  if (values_.empty()) return 0;
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  const double rank = std::ceil(p * static_cast<double>(count()));
  const auto last = static_cast<double>(count() - 1);
  return sorted[static_cast<std::size_t>(std::clamp(rank - 1, 0.0, last))];
}

double distance(const Trials& a, const Trials& b) {
  const double apart = std::abs(a.mean() - b.mean());
  const double error = std::hypot(a.error(), b.error());
  if (error > 0) return apart / error;
  return apart > 0 ? std::numeric_limits<double>::infinity() : 0;
}

}  // namespace horae::theory
