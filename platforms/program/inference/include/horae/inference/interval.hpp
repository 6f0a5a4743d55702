// Ranges over weighted points: of an unknown, or of what is predicted.
#pragma once

#include <vector>

#include "horae/inference/evidence.hpp"
#include "horae/inference/space.hpp"

namespace horae::inference {

/// A value with its weight.
struct WeightedValue {
  double value = 0;
  double weight = 0;
};

/// Where values lie: 5, 50 and 95 %, and all of them.
struct Interval {
  double low = 0, median = 0, high = 0;
  double least = 0, most = 0;  ///< the hull

  bool holds(double value) const { return low <= value && value <= high; }
};

/// The value below which a share (0 to 1) of the weight lies. Each value is at the middle of its
/// weight, values between are by straight lines (Hyndman and Fan 1996, definition 5, with weights);
/// beyond the first and last middle it is the hull's end. Values are finite, at least one.
double quantile(std::vector<WeightedValue> values, double share);

/// The interval that holds `share` of what is to come, with equal parts left out below and above:
/// definition 6 of Hyndman and Fan, for as many values as the weights are worth (Kish 1965, Survey
/// Sampling, 11.7: the square of their sum over the sum of their squares). Few points reach as far
/// as they go.
Interval interval_of(std::vector<WeightedValue> values, double share = 0.9);

/// Range of one unknown over the accepted points.
struct Marginal {
  Interval interval;           ///< of the numbers in [0, 1)
  std::vector<double> shares;  ///< of a discrete one: the weight of each value, in sum 1
};

/// One for each dimension. `accepted` is not empty.
std::vector<Marginal> marginals(const Space& space, const std::vector<Evaluation>& evaluations,
                                const std::vector<Weighted>& accepted);

/// The interval of an outcome over accepted points. `outcomes` has one for each evaluation; those
/// that are not finite are left out. `missing` is their weight.
struct Prediction {
  Interval interval;
  double missing = 0;
};
Prediction predict(const std::vector<double>& outcomes, const std::vector<Weighted>& accepted,
                   double share = 0.9);

}  // namespace horae::inference
