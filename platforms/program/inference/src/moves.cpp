#include "moves.hpp"

#include <algorithm>
#include <cmath>

namespace horae::inference {
namespace {

/// Size of a component-wise move: so many continuous dimensions on average, since more at once are
/// seldom accepted, and so many discrete ones, since a new value seldom goes with the other
/// numbers.
constexpr double continuous_moved = 10;
constexpr double discrete_moved = 0.7;
/// Moves along a difference. They are what unknowns that trade off need, and leave the space, or go
/// where chains have been, more often than others. This share and the numbers above were the best
/// of those tried on boxes, balls, simplices and a ridge in 2 to 10 dimensions.
constexpr double along_share = 1.0 / 3;
/// Target share of accepted moves: near the best of random walks in few dimensions (Roberts and
/// Rosenthal 2001, Statistical Science 16(4), 351-367), and what Papaioannou et al. 2015 aim at.
constexpr double accepted_aim = 0.44;
/// First width of a chain that starts at one point; any later spread is found from it.
constexpr double least_spread = 1e-6;

/// Folds a number back into [0, 1) at both ends, which keeps moves symmetric.
double folded(double x) {
  x = std::fabs(x);
  x -= 2 * std::floor(x / 2);
  if (x > 1) x = 2 - x;
  return x < 1 ? x : 0x1.fffffffffffffp-1;
}

double adapted(double factor, const Moves::Tally& t) {
  if (t.tried == 0) return factor;
  const double share = static_cast<double>(t.accepted) / t.tried;
  return std::clamp(factor * (1 + share - accepted_aim), 1e-6, 4.0);
}

}  // namespace

Moves::Moves(const Space& space, const std::vector<Position>& seeds)
    : space_(space), different_(seeds) {
  const auto discrete = static_cast<double>(
      std::count_if(space.begin(), space.end(), [](const auto& d) { return d.discrete(); }));
  discrete_chance_ = discrete_moved / std::max(1.0, discrete);
  continuous_chance_ =
      continuous_moved / std::max(continuous_moved, static_cast<double>(space.size()) - discrete);
  std::sort(different_.begin(), different_.end());
  different_.erase(std::unique(different_.begin(), different_.end()), different_.end());
  const auto n = static_cast<double>(different_.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    double sum = 0, squares = 0;
    for (const auto& p : different_) sum += p[i];
    for (const auto& p : different_) squares += (p[i] - sum / n) * (p[i] - sum / n);
    // A uniform number of width w has the variance w^2 / 12.
    const double width = n < 2 ? 1.0 : std::sqrt(12 * squares / (n - 1));
    spread_.push_back(std::clamp(width, least_spread, 1.0));
  }
}

Moves::Proposal Moves::propose(const Position& from, RandomStream& random) const {
  Proposal p;
  p.along = different_.size() > 2 && random.chance(along_share);
  p.position = p.along ? difference(from, random) : some(from, random);
  p.asks = p.position != from && std::all_of(p.position.begin(), p.position.end(),
                                             [](double x) { return x >= 0 && x < 1; });
  return p;
}

Position Moves::some(const Position& from, RandomStream& random) const {
  Position to = from;
  const auto dimensions = static_cast<std::uint32_t>(space_.size());
  const std::uint32_t surely = random.below(dimensions);
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    const bool discrete = space_[i].discrete();
    if (!random.chance(discrete ? discrete_chance_ : continuous_chance_) && i != surely) continue;
    if (discrete) {
      to[i] = space_[i].number(random.below(space_[i].values));
    } else {
      to[i] = folded(from[i] + (random.unit() - 0.5) * spread_[i] * each_);
    }
  }
  return to;
}

// Not folded: along a slope that would not be symmetric. What leaves the space is not accepted.
Position Moves::difference(const Position& from, RandomStream& random) const {
  Position to = from;
  const auto n = static_cast<std::uint32_t>(different_.size());
  const std::uint32_t a = random.below(n);
  const std::uint32_t b = (a + 1 + random.below(n - 1)) % n;
  const double step = along_ * random.unit();
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (!space_[i].discrete()) to[i] += step * (different_[a][i] - different_[b][i]);
  }
  return to;
}

void Moves::adapt(const Tally& each, const Tally& along) {
  each_ = adapted(each_, each);
  along_ = adapted(along_, along);
}

}  // namespace horae::inference
