#include "density.hpp"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>

#include "horae/inference/interval.hpp"

namespace horae::inference {
namespace {

/// Boost would work in long doubles, which differ between machines, and which valgrind has not.
using InDoubles = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

/// Silverman 1986: the smaller of standard deviation and interquartile range as of a normal
/// distribution (3.30), times the factor for that distribution (4.14) less a tenth to either side
/// of which it loses little (3.31).
double smoothing(const std::vector<WeightedValue>& values, double quantities) {
  constexpr double normal_quartiles = 1.34;  // their distance in standard deviations
  constexpr double cautious = 0.9 / 1.06;
  double sum = 0, squares = 0, mean = 0, variance = 0;
  for (const auto& v : values) {
    sum += v.weight;
    squares += v.weight * v.weight;
    mean += v.weight * v.value;
  }
  mean /= sum;
  for (const auto& v : values) variance += v.weight * (v.value - mean) * (v.value - mean) / sum;
  const double quartiles = quantile(values, 0.75) - quantile(values, 0.25);
  const double spread = std::min(std::sqrt(variance), quartiles / normal_quartiles);
  const double points = sum * sum / squares;
  return cautious * spread * std::pow(4 / ((quantities + 2) * points), 1 / (quantities + 4));
}

/// The standard normal number below which a share lies.
double normal_quantile(double share) {
  constexpr double least = 0x1.0p-53;
  return -std::numbers::sqrt2 *
         boost::math::erfc_inv(2 * std::clamp(share, least, 1 - least), InDoubles());
}

}  // namespace

Density::Density(const Outcomes& o, const std::vector<double>& noise) : values_(o.values) {
  double sum = 0, below = 0;
  for (const double w : o.weights) sum += w;
  for (const double w : o.weights) {
    log_weights_.push_back(std::log(w / sum));
    up_to_.push_back((below += w) / sum);
  }
  for (std::size_t q = 0; q < noise.size(); ++q) {
    std::vector<WeightedValue> values;
    for (std::size_t i = 0; i < values_.size(); ++i)
      values.push_back({values_[i][q], o.weights[i]});
    width_.push_back(std::hypot(noise[q], smoothing(values, static_cast<double>(noise.size()))));
    log_scale_ += std::log(width_.back() * std::sqrt(2 * std::numbers::pi));
  }
}

double Density::log_at(const std::vector<double>& outcome) const {
  std::vector<double> logs(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    double squares = 0;
    for (std::size_t q = 0; q < width_.size(); ++q) {
      const double z = (outcome[q] - values_[i][q]) / width_[q];
      squares += z * z;
    }
    logs[i] = log_weights_[i] - squares / 2;
  }
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double l : logs) sum += std::exp(l - most);
  return most + std::log(sum) - log_scale_;
}

std::vector<double> Density::outcome(const std::vector<double>& numbers) const {
  const auto point = std::min<std::size_t>(
      static_cast<std::size_t>(std::upper_bound(up_to_.begin(), up_to_.end(), numbers[0]) -
                               up_to_.begin()),
      values_.size() - 1);
  std::vector<double> out = values_[point];
  for (std::size_t q = 0; q < width_.size(); ++q)
    out[q] += width_[q] * normal_quantile(numbers[q + 1]);
  return out;
}

}  // namespace horae::inference
