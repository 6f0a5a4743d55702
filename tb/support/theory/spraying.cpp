#include "theory/spraying.hpp"

#include <algorithm>

namespace horae::theory {

SprayedBins::SprayedBins(std::uint32_t bins, double load, Thinning thinning, RandomStream random)
    : chance_(thinning == Thinning::balls ? load : 1),
      weight_(thinning == Thinning::weight ? load : 1),
      queues_(bins),
      random_(random) {}

void SprayedBins::round() {
  const auto bins = static_cast<std::uint32_t>(queues_.size());
  for (std::uint32_t ball = 0; ball < bins; ++ball) {
    if (random_.chance(chance_)) queues_[random_.below(bins)] += weight_;
  }
  for (double& queue : queues_) queue = std::max(queue - 1, 0.0);
}

void SprayedBins::rounds(std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) round();
}

double SprayedBins::longest() const { return *std::max_element(queues_.begin(), queues_.end()); }

}  // namespace horae::theory
