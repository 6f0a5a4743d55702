// Oblivious spraying as balls into bins: where queues go when every packet takes a random uplink.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/random.hpp"

namespace horae::theory {

/// How a load below 1 is made of a ball per bin and round.
enum class Thinning : std::uint8_t {
  balls,   ///< each of them comes with that probability
  weight,  ///< all come and weigh so much (the artifact of the REPS paper, Figure 13)
};

/// Queues of uplinks. In each round as many balls as there are bins go to random bins; then every
/// bin loses one, or what it has if that is less. At a load of 1 the longest queue grows without
/// bound, as the square root of the rounds (REPS paper, 5.1).
class SprayedBins {
 public:
  /// `load` above 0, at most 1.
  SprayedBins(std::uint32_t bins, double load, Thinning thinning, RandomStream random);

  void round();
  /// So many rounds.
  void rounds(std::uint32_t n);
  /// After the last removal.
  const std::vector<double>& queues() const { return queues_; }
  double longest() const;

 private:
  double chance_;  ///< that a ball comes
  double weight_;
  std::vector<double> queues_;
  RandomStream random_;
};

}  // namespace horae::theory
