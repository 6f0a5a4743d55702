#include "theory/recycled.hpp"

#include <algorithm>
#include <cmath>

namespace horae::theory {

double recycling_threshold(std::uint32_t bins) { return 4 * std::log(bins); }

RecycledBins::RecycledBins(std::uint32_t bins, double threshold, std::uint32_t every,
                           RandomStream random)
    : threshold_(threshold), every_(every), queues_(bins), next_(bins), random_(random) {}

void RecycledBins::round() {
  const auto bins = static_cast<std::uint32_t>(queues_.size());
  const bool recycles = ++done_ % every_ == 0;
  std::uint32_t random_balls = bins;
  for (std::uint32_t bin = 0; bin < bins; ++bin) {
    const std::uint32_t held = queues_[bin];
    next_[bin] = held > 0 ? held - 1 : 0;
    if (!recycles || held == 0 || held > threshold_) continue;
    ++next_[bin];
    --random_balls;
  }
  if (random_balls > 0) last_random_ = done_;
  for (; random_balls > 0; --random_balls) ++next_[random_.below(bins)];
  queues_.swap(next_);
}

std::uint32_t RecycledBins::longest() const {
  return *std::max_element(queues_.begin(), queues_.end());
}

void RecycledBins::rounds(std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) round();
}

ColouredBins::ColouredBins(std::uint32_t bins, double threshold, std::uint32_t colours,
                           RandomStream random)
    : threshold_(threshold),
      bins_(bins),
      remembered_(std::size_t{colours} * bins),
      random_(random) {}

void ColouredBins::round() {
  const auto bins = static_cast<std::uint32_t>(bins_.size());
  ++done_;
  for (std::uint32_t bin = 0; bin < bins; ++bin) {
    auto& held = bins_[bin];
    if (held.empty()) continue;
    auto& remembered = remembered_[held.front()];
    if (static_cast<double>(held.size()) > threshold_) {
      remembered.reset();
    } else if (!remembered) {
      remembered = bin;
    }
    held.pop_front();
  }
  for (std::uint32_t ball = 0; ball < bins; ++ball) {
    const std::uint32_t colour = next_colour_;
    next_colour_ = colour + 1 == remembered_.size() ? 0 : colour + 1;
    const auto& remembered = remembered_[colour];
    if (!remembered) last_random_ = done_;
    bins_[remembered ? *remembered : random_.below(bins)].push_back(colour);
  }
}

std::uint32_t ColouredBins::longest() const {
  std::size_t most = 0;
  for (const auto& held : bins_) most = std::max(most, held.size());
  return static_cast<std::uint32_t>(most);
}

void ColouredBins::rounds(std::uint32_t n) {
  for (std::uint32_t i = 0; i < n; ++i) round();
}

}  // namespace horae::theory
