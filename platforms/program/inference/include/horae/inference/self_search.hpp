// Whether a search would find what it did not find: asked with data of its own points.
//
// A hypothesis that no point of a search agrees with is excluded by the search alone if the search
// finds, of the same hypothesis, data that the hypothesis made. What a point shows is such data,
// and the other points are the search. Points that were led towards the data by others lie beside
// those, so only the first, space-filling points are asked with.
#pragma once

#include <cstddef>
#include <vector>

namespace horae::inference {

/// Misses of a point: by reading, then observation, in tolerances; NaN where it has not run.
using Shown = std::vector<std::vector<double>>;

/// How near the others come to what a point shows, in tolerances, under whichever reading they come
/// nearest; of the reading under which they stay farthest.
struct OwnMiss {
  double at_least = 0;  ///< if everything that has not run agreed
  double at_most = 0;   ///< of points that ran to the end; infinite where there is none
};

/// One for each of the first `asked` points. All have the same readings and observations.
std::vector<OwnMiss> own_misses(const std::vector<Shown>& points, std::size_t asked);

/// How many of a hypothesis' own data were found within some tolerances.
struct OwnSearch {
  static constexpr std::size_t least_asked = 20;
  std::size_t asked = 0;
  std::size_t at_least = 0;  ///< those that were
  std::size_t at_most = 0;   ///< and those of which it is not known

  static OwnSearch of(const std::vector<OwnMiss>& misses, double tolerances);
  /// At least 19 of 20 of those asked, and 20 or more asked: fewer say nothing of 1 in 20.
  bool finds() const { return enough(at_least); }
  bool may_find() const { return enough(at_most); }

 private:
  bool enough(std::size_t found) const { return asked >= least_asked && 20 * found >= 19 * asked; }
};

}  // namespace horae::inference
