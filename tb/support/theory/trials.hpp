// Numbers of repeated trials of a random process.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace horae::theory {

/// Results of repeated trials.
class Trials {
 public:
  Trials() = default;
  explicit Trials(std::vector<double> values) : values_(std::move(values)) {}

  void add(double value) { values_.push_back(value); }
  std::size_t count() const { return values_.size(); }
  /// 0 without trials.
  double mean() const;
  /// Standard deviation of a trial; 0 with fewer than two.
  double deviation() const;
  /// Standard deviation of the mean.
  double error() const;
  /// The smallest value that at least a share `p` of the trials does not exceed; 0 without trials.
  double quantile(double p) const;

 private:
  std::vector<double> values_;
};

/// By how many of their standard deviations two means lie apart; 0 where neither spreads and they
/// are equal.
double distance(const Trials& a, const Trials& b);

}  // namespace horae::theory
