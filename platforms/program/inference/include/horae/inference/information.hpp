// Expected information gain of an experiment (Lindley 1956, Annals of Mathematical
// Statistics 27(4), 986-1005).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace horae::inference {

/// Predicted outcome of an experiment at each accepted point of a hypothesis.
struct Outcomes {
  std::vector<std::vector<double>> values;  ///< by point, then quantity; finite
  std::vector<double> weights;              ///< by point; above zero
};

struct GainPlan {
  std::size_t outcomes = 256;  ///< imagined per hypothesis
  unsigned shuffles = 4;       ///< for `by_chance`
  std::uint64_t seed = 1;
  std::string stream = "information";
};

/// In nats.
struct Gain {
  double hypothesis = 0;  ///< mutual information of hypothesis and outcome, 0 to `most`
  double most = 0;        ///< entropy of the hypotheses' probabilities: what is not known
  double by_chance = 0;   ///< what finite samples show where nothing is to tell: points shuffled
  double all = 0;         ///< mutual information of hypothesis with unknowns, and outcome
};

/// The gain of measuring all quantities together, each with a normal error of standard deviation
/// `noise` (above zero, by quantity). `prior` is the hypotheses' probability before; its sum is not
/// zero, hypotheses of zero or without points take no part.
///
/// What a hypothesis predicts is a smooth density: each accepted point with the noise and, beside
/// it, a width that falls with the number of points (Silverman 1986, Density Estimation, 3.4), so
/// that two finite samples of one distribution are not taken for two. Imagined outcomes are Sobol
/// points of that density.
Gain expected_gain(const std::vector<Outcomes>& hypotheses, const std::vector<double>& prior,
                   const std::vector<double>& noise, const GainPlan& plan = {});

}  // namespace horae::inference
