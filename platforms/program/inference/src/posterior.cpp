#include <algorithm>
#include <cmath>
#include <limits>

#include "horae/inference/evidence.hpp"

namespace horae::inference {

std::vector<Posterior> compare(const std::vector<Evidence>& all) {
  double sum = 0;
  const Evidence* best = nullptr;
  for (const auto& e : all) {
    sum += e.share;
    if (best == nullptr || e.share > best->share) best = &e;
  }
  double squares = 0;  // of the errors of all shares, in units of their sum
  for (const auto& e : all) squares += sum > 0 ? e.error() * e.error() / (sum * sum) : 0;
  std::vector<Posterior> out;
  for (const auto& e : all) {
    Posterior p;
    const double others = sum - e.share;
    p.at_most = others + e.at_most > 0 ? e.at_most / (others + e.at_most) : 0;
    p.log_odds = -std::numeric_limits<double>::infinity();
    if (e.share > 0) {
      const double own = e.error() / sum;
      p.probability = e.share / sum;
      // To first order: d p_i = (1 - p_i) d s_i - p_i sum of the others' d s_j.
      const double q = p.probability;
      p.error =
          std::sqrt((1 - q) * (1 - q) * own * own + q * q * std::max(0.0, squares - own * own));
      p.log_odds = std::log(e.share / best->share);
      p.log_odds_error = &e == best ? 0 : std::hypot(e.variation, best->variation);
    }
    out.push_back(p);
  }
  return out;
}

}  // namespace horae::inference
