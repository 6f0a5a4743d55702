#include "levels.hpp"

#include <algorithm>
#include <cmath>

namespace horae::inference {
namespace {

/// Whether states are within the next level, by chain and in a chain's order. Chains of a level are
/// equally long.
std::vector<std::vector<bool>> by_chain(const Level& level,
                                        const std::vector<Evaluation>& evaluations) {
  std::vector<std::vector<bool>> chains;
  for (const State& s : level.states) {
    if (s.chain >= chains.size()) chains.resize(s.chain + 1);
    chains[s.chain].push_back(evaluations[s.point].distance <= level.next);
  }
  return chains;
}

/// Twice the sum of the chains' autocorrelations, weighted by how often each lag is there (Au and
/// Beck 2001); no less than none.
double correlation(const std::vector<std::vector<bool>>& chains, double share) {
  const auto count = static_cast<double>(chains.size());
  const std::size_t length = chains.front().size();
  const double variance = share * (1 - share);
  double sum = 0;
  for (std::size_t lag = 1; lag < length; ++lag) {
    double together = 0;
    for (const auto& c : chains) {
      for (std::size_t i = 0; i + lag < length; ++i) together += c[i] && c[i + lag];
    }
    const auto left = static_cast<double>(length - lag);
    const double covariance = together / (count * left) - share * share;
    sum += left / static_cast<double>(length) * covariance / variance;
  }
  return std::max(0.0, 2 * sum);
}

}  // namespace

void measure(Level& level, const std::vector<Evaluation>& evaluations, double next) {
  level.next = next;
  const auto chains = by_chain(level, evaluations);
  std::size_t within = 0;
  for (const auto& c : chains)
    within += static_cast<std::size_t>(std::count(c.begin(), c.end(), true));
  const auto n = static_cast<double>(level.states.size());
  level.share = static_cast<double>(within) / n;
  if (within == 0 || within == level.states.size()) {
    level.variation = 0;
    return;
  }
  level.variation =
      std::sqrt((1 - level.share) / (level.share * n) * (1 + correlation(chains, level.share)));
}

bool choose_next(Level& level, const std::vector<Evaluation>& evaluations, double level_share,
                 double target) {
  std::vector<double> distances;
  for (const State& s : level.states) distances.push_back(evaluations[s.point].distance);
  std::sort(distances.begin(), distances.end());
  const std::size_t n = distances.size();
  const auto wanted = std::max<std::size_t>(
      2, static_cast<std::size_t>(std::ceil(level_share * static_cast<double>(n))));
  double next = distances[wanted - 1];
  const auto end = std::upper_bound(distances.begin(), distances.end(), next);
  if (static_cast<std::size_t>(end - distances.begin()) > n / 2) {
    // Ties: a level of nearly all states leads nowhere.
    const auto nearer = std::lower_bound(distances.begin(), distances.end(), next);
    if (nearer != distances.begin()) {
      next = *(nearer - 1);
    } else if (end == distances.end() && next > target) {
      measure(level, evaluations, target);
      return false;
    }
  }
  measure(level, evaluations, std::max(next, target));
  return true;
}

}  // namespace horae::inference
