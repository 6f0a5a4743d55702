// Evidence: the share of a space that agrees with what was observed, with its Monte Carlo error.
#pragma once

#include <cstddef>
#include <vector>

#include "horae/inference/sampler.hpp"

namespace horae::inference {

/// A point that stands for a share of something.
struct Weighted {
  std::size_t point = 0;  ///< index of Sampled::evaluations
  double weight = 0;
};

/// The share of the prior that is consistent. Unbiased only as far as chains found every part of
/// it: a part that no point of the first population leads to is missed without notice.
struct Evidence {
  double share = 0;
  double variation = 0;    ///< coefficient of variation; 0 where the share is 0
  double at_most = 1;      ///< upper end of the one-sided 95 % interval
  std::size_t points = 0;  ///< different points that agree
  bool reached() const { return points > 0; }
  double error() const { return share * variation; }
};

/// The share within the target. Its variation is the sum of the levels', each with the correlation
/// within chains: the upper bound of Au and Beck 2001, which takes levels as fully correlated.
/// Their other estimate, the root of the sum of squares, is up to twice too small where chains are
/// as short as here, since a level inherits much of the one before. Where nothing is within the
/// target, `at_most` is the share of the last level times what no state of so many chains excludes
/// at 95 %.
Evidence evidence_of(const Sampled& sampled);

/// The prior as weighted points: every state of a level that is not within the next stands for what
/// lies between the two. The weights' sum is 1.
std::vector<Weighted> prior_sample(const Sampled& sampled);

/// The points within the target as samples of the prior restricted to it. The weights' sum is 1;
/// empty when it was not reached.
std::vector<Weighted> accepted_sample(const Sampled& sampled);

/// The share within `target` where each point's distance is read anew, without new points: other
/// tolerances, or one observation less. `distances` has one for each evaluation; by `prior_sample`,
/// so whatever the new distances are. Where few points agree the variation says so.
Evidence reread(const Sampled& sampled, const std::vector<double>& distances, double target = 1);

/// A hypothesis among others that were equally likely before.
struct Posterior {
  double probability = 0;
  double error = 0;     ///< Monte Carlo standard error
  double at_most = 1;   ///< with its evidence at `at_most`, the others' as found
  double log_odds = 0;  ///< natural logarithm of its evidence over the greatest; -infinity for none
  double log_odds_error = 0;
};

/// Posterior probabilities in the order given. All zero where no hypothesis has evidence.
std::vector<Posterior> compare(const std::vector<Evidence>& evidences);

}  // namespace horae::inference
