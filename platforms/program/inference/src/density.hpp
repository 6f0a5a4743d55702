// Prediction of a hypothesis as a smooth density.
#pragma once

#include <vector>

#include "horae/inference/information.hpp"

namespace horae::inference {

/// Normal kernels around the outcomes. Their width in each quantity is the noise and, beside it,
/// what Silverman's rule says for as many points.
class Density {
 public:
  Density(const Outcomes& outcomes, const std::vector<double>& noise);

  /// The logarithm of the density.
  double log_at(const std::vector<double>& outcome) const;
  /// An outcome of it: `numbers` in [0, 1), one for the point and one for each quantity.
  std::vector<double> outcome(const std::vector<double>& numbers) const;

 private:
  std::vector<std::vector<double>> values_;
  std::vector<double> log_weights_;
  std::vector<double> up_to_;  ///< sums of the weights, the last is 1
  std::vector<double> width_;  ///< by quantity
  double log_scale_ = 0;
};

}  // namespace horae::inference
