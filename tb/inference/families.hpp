// Mechanisms of a few lines with parameters and nuisances, each measured within tolerances. Their
// truth is drawn as a user's prior would have it.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "horae/core/random.hpp"
#include "horae/inference/space.hpp"

namespace horae::inference::test {

inline constexpr double tolerance = 0.03;
/// A server's throughput against load: a delay per job, a lock under contention, or a cap.
struct Family {
  std::string name;
  /// At a load of (0, 2], with two parameters of the family, two nuisances, and one of two
  /// readings.
  double (*throughput)(double load, const Position& p);
};

/// Common to all: an unpublished loss, and whether headers count.
inline double seen(double y, const Position& p) {
  return y * (1 - 0.1 * p[2]) * (p[4] < 0.5 ? 1.0 : 0.94) + 0.03 * p[3];
}

inline const std::vector<Family> families = {
    {"delay",
     [](double x, const Position& p) {
       return seen(x / (1 + (0.2 + 2 * p[0]) * x) + 0.1 * p[1], p);
     }},
    {"lock",
     [](double x, const Position& p) {
       return seen(x * std::exp(-(0.2 + 1.5 * p[0]) * x) + 0.1 * p[1] * x, p);
     }},
    {"cap",
     [](double x, const Position& p) {
       return seen(std::min(x * (0.8 + 0.2 * p[1]), 0.2 + 0.8 * p[0]), p);
     }},
};

inline const Space space = {{"one", 0}, {"two", 0}, {"loss", 0}, {"offset", 0}, {"headers", 2}};
inline const std::vector<double> measured_at = {0.25, 0.5, 1.0, 1.6};
inline const std::vector<double> predicted_at = {0.75, 2.0};

struct Question {
  std::size_t family;
  Position truth;
  std::vector<double> measured;

  double distance(const Family& f, const Position& p) const {
    double most = 0;
    for (std::size_t i = 0; i < measured.size(); ++i)
      most = std::max(most, std::fabs(f.throughput(measured_at[i], p) - measured[i]) / tolerance);
    return most;
  }
};

/// Measurements are anywhere within the tolerance of what they measure.
inline std::vector<Question> drawn(int count) {
  RandomStream random(1, "questions");
  std::vector<Question> out;
  for (int n = 0; n < count; ++n) {
    Question q;
    q.family = random.below(3);
    for (std::size_t i = 0; i < space.size(); ++i) q.truth.push_back(random.unit());
    q.truth = canonical(space, q.truth);
    for (const double x : measured_at) {
      q.measured.push_back(families[q.family].throughput(x, q.truth) +
                           tolerance * (2 * random.unit() - 1));
    }
    out.push_back(q);
  }
  return out;
}

}  // namespace horae::inference::test
