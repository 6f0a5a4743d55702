#include "horae/inference/self_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "horae/core/error.hpp"

namespace horae::inference {
namespace {

constexpr double far = std::numeric_limits<double>::infinity();

/// The greatest difference between two points, each under a reading.
OwnMiss between(const std::vector<double>& a, const std::vector<double>& b) {
  OwnMiss m;
  for (std::size_t o = 0; o < a.size(); ++o) {
    const double difference = std::fabs(a[o] - b[o]);
    if (std::isnan(difference)) {
      m.at_most = far;
      continue;
    }
    m.at_least = std::max(m.at_least, difference);
    m.at_most = std::max(m.at_most, difference);
  }
  return m;
}

/// The nearest of the other points, under any reading, to what point `i` shows under one.
OwnMiss nearest(const std::vector<Shown>& points, std::size_t i, std::size_t reading) {
  OwnMiss nearest{far, far};
  for (std::size_t j = 0; j < points.size(); ++j) {
    if (j == i) continue;
    for (const auto& other : points[j]) {
      const OwnMiss m = between(points[i][reading], other);
      nearest.at_least = std::min(nearest.at_least, m.at_least);
      nearest.at_most = std::min(nearest.at_most, m.at_most);
    }
  }
  return nearest;
}

}  // namespace

std::vector<OwnMiss> own_misses(const std::vector<Shown>& points, std::size_t asked) {
  if (asked > points.size()) throw ModelError("more data of its own than points of a search");
  std::vector<OwnMiss> out;
  for (std::size_t i = 0; i < asked; ++i) {
    OwnMiss most;
    for (std::size_t r = 0; r < points[i].size(); ++r) {
      const OwnMiss m = nearest(points, i, r);
      most.at_least = std::max(most.at_least, m.at_least);
      most.at_most = std::max(most.at_most, m.at_most);
    }
    out.push_back(most);
  }
  return out;
}

OwnSearch OwnSearch::of(const std::vector<OwnMiss>& misses, double tolerances) {
  OwnSearch out{misses.size(), 0, 0};
  for (const OwnMiss& m : misses) {
    out.at_least += m.at_most <= tolerances;
    out.at_most += m.at_least <= tolerances;
  }
  return out;
}

}  // namespace horae::inference
