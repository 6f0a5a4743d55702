// Sequential Monte Carlo by levels: what share of a space lies within a distance, and points there.
//
// Subset simulation (Au and Beck 2001, Probabilistic Engineering Mechanics 16(4), 263-277), which
// is approximate Bayesian computation where the distance is one from observations (Del Moral,
// Doucet and Jasra 2012, Statistics and Computing 22(5), 1009-1020; Chiachio et al. 2014, SIAM J.
// Sci. Comput. 36(3), A1339-A1358). The first population fills the space. The nearest points of a
// population, a fixed share, set the next level and begin the chains that sample the space within
// it, until the target is such a level. A small share is so a product of shares that are not small.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/inference/space.hpp"

namespace horae::inference {

/// The distances at positions, in their order. May look at them in parallel. Not finite: as far as
/// can be. Positions of discrete dimensions are canonical.
using Distances = std::function<std::vector<double>(const std::vector<Position>&)>;

struct SamplerPlan {
  std::size_t points = 1000;     ///< positions asked for at most; at least 8
  std::size_t population = 128;  ///< states per level, 8 or more; a power of two fills best
  double level_share = 0.2;      ///< of a population that goes on: 0.05 to 0.5
  double target = 1;             ///< the distance to come within
  std::size_t accepted = 128;    ///< once there, goes on to so many states within the target
  std::uint64_t seed = 1;
  std::string stream = "sampler";  ///< the name of its random numbers

  /// ModelError for values out of range.
  void check() const;
};

/// A state of a population: a point and the chain that came to it. A chain that stays counts its
/// point again.
struct State {
  std::size_t point = 0;  ///< index of Sampled::evaluations
  std::size_t chain = 0;
};

/// A population: uniform over the positions within a distance.
struct Level {
  double within = std::numeric_limits<double>::infinity();  ///< distances of its states
  double next = 0;       ///< the next level's distance, or the target
  double share = 0;      ///< of its states within `next`
  double variation = 0;  ///< of that share: coefficient of variation, correlated chains included
  double moved = 1;      ///< share of its chains' moves that were accepted
  std::vector<State> states;
};

enum class Stop {
  reached,    ///< the target is a level, or some states are within it
  points,     ///< no position was left to ask for
  no_nearer,  ///< all states are equally far
};

/// Result of sampling.
struct Sampled {
  std::vector<Evaluation> evaluations;  ///< in the order asked for
  std::vector<Level> levels;            ///< the last may be within the target
  Stop stop = Stop::points;
  double target = 1;

  bool reached() const { return stop == Stop::reached; }
  /// Index of the nearest point, the first of equals. There is one.
  std::size_t closest() const;

  nlohmann::ordered_json to_json() const;
  static Sampled from_json(const nlohmann::ordered_json& json);
};

/// Samples a space. Moves are of two kinds, both symmetric and folded back at the bounds: some
/// dimensions each within a width that follows the chains' spread (component-wise, Au and Beck), a
/// discrete one to any of its values; or all continuous dimensions along the difference of two
/// points of the level (ter Braak 2006, Statistics and Computing 16, 239-249), which follows
/// unknowns that trade off. Widths follow the share of moves accepted (Papaioannou et al. 2015,
/// Probabilistic Engineering Mechanics 41, 89-103). Depends on nothing but its arguments: the same
/// positions are asked for in the same order and batches, so a caller that remembers distances
/// resumes without cost. Raising `points` asks for more behind the same beginning until the budget
/// of the lower one ends.
Sampled sample(const Space& space, const SamplerPlan& plan, const Distances& distances);

}  // namespace horae::inference
