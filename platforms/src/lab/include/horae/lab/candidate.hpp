// A mechanism with values for its parameters, and how its runs compare with the observations.
#pragma once

#include <string>
#include <vector>

#include "horae/lab/fit.hpp"
#include "horae/question/files.hpp"

namespace horae::lab {

/// A result over the seeds of a setting: mean and sample standard deviation.
struct SeedSample {
  std::vector<double> values;
  double mean = 0;
  double spread = 0;
  bool there = false;  ///< every run gave a value

  static SeedSample of(std::vector<double> values);
};

/// A published number beside ours.
struct Compared {
  const question::ObservationSpec* observation = nullptr;
  std::string metric;
  SeedSample ours;
  bool calibrated = false;  ///< a parameter was fitted to it

  double residual() const { return ours.mean - observation->value; }
  /// The residual in units of rounding + tolerance; without a value, as good as infinite.
  double allowances() const;
  /// Within rounding + tolerance + twice the spread over seeds.
  bool within() const;
};

/// Values of fitted parameters.
struct Fitted {
  std::vector<const question::ParameterSpec*> parameters;
  FitResult fit;

  std::vector<std::string> overrides() const;
};

/// A mechanism under one variant, with or without a reaction.
struct Candidate {
  const question::HypothesisSpec* hypothesis = nullptr;
  const question::VariantSpec* variant = nullptr;
  const question::ReactionSpec* reaction = nullptr;  ///< null: conditions without reaction only
  Fitted mechanism;
  Fitted response;
  std::vector<Compared> comparisons;
  /// Observations to be predicted that its values were chosen by, where the best fit misses them
  /// and other values of the search do not.
  std::vector<std::string> also_fitted;

  /// The values fitted in conditions with or without reaction.
  Fitted& fitted(bool in_reaction) { return in_reaction ? response : mechanism; }
  const Fitted& fitted(bool in_reaction) const { return in_reaction ? response : mechanism; }
  /// The parameters that may be fitted there.
  const std::vector<question::ParameterSpec>& fittable(bool in_reaction) const {
    return in_reaction ? reaction->parameters : hypothesis->parameters;
  }

  /// Overrides in a condition; the reaction's only where one applies.
  std::vector<std::string> overrides(const question::ConditionSpec& condition) const;
  /// Those of condition, variant and hypothesis alone, without fitted values.
  std::vector<std::string> unfitted_overrides(const question::ConditionSpec& condition) const;
  bool consistent() const;
  /// Root mean square of the residuals in allowances.
  double rms() const;
  /// The comparison that misses most, of those not within; null when consistent.
  const Compared* worst() const;
  std::size_t parameters() const;
  /// Comparisons with numbers that a parameter was fitted to.
  std::size_t calibrated() const;
  /// "hypothesis 'H1', MTU 1024, C3"
  std::string title() const;
};

}  // namespace horae::lab
