// Regions of the unit cube whose volumes are known, as distances.
#pragma once

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "horae/inference/sampler.hpp"

namespace horae::inference {

struct Shape {
  std::string name;
  Space space;
  double volume;  ///< of the positions within distance 1
  std::function<double(const Position&)> distance;
};

/// A cube of that volume, off the middle.
inline Shape box(std::size_t dimensions, double volume) {
  const double half = std::pow(volume, 1.0 / static_cast<double>(dimensions)) / 2;
  return {"box", Space(dimensions), volume, [half](const Position& p) {
            double most = 0;
            for (const double x : p) most = std::max(most, std::fabs(x - 0.9 * half - 0.05) / half);
            return most;
          }};
}

/// A disc of that radius around (0.4, 0.4).
inline Shape disc(double radius) {
  return {"disc", Space(2), std::numbers::pi * radius * radius,
          [radius](const Position& p) { return std::hypot(p[0] - 0.4, p[1] - 0.4) / radius; }};
}

/// The corner where the coordinates' sum is below `sum`, 1 at most.
inline Shape simplex(std::size_t dimensions, double sum) {
  return {"simplex", Space(dimensions),
          std::pow(sum, static_cast<double>(dimensions)) /
              std::tgamma(static_cast<double>(dimensions) + 1),
          [sum](const Position& p) {
            double s = 0;
            for (const double x : p) s += x;
            return s / sum;
          }};
}

/// Two unknowns that trade off: |x - y| below `width`.
inline Shape ridge(double width) {
  return {"ridge", Space(3), (2 - width) * width * width, [width](const Position& p) {
            return std::max(std::fabs(p[0] - p[1]), std::fabs(p[2] - 0.5) * 2) / width;
          }};
}

/// A square of a side in one of 4 times 5 values.
inline Shape cell(double side) {
  return {"cell",
          {{"x", 0}, {"four", 4}, {"five", 5}, {"y", 0}},
          side * side / 20,
          [side](const Position& p) {
            const double square = std::max(std::fabs(p[0] - 0.5), std::fabs(p[3] - 0.5)) * 2 / side;
            const int four = static_cast<int>(p[1] * 4), five = static_cast<int>(p[2] * 5);
            return std::max(square, 1 + 2.0 * std::abs(four - 2) + 3.0 * (five * 2 % 5));
          }};
}

inline Sampled sample(const Shape& shape, const SamplerPlan& plan) {
  return sample(shape.space, plan, [&](const std::vector<Position>& positions) {
    std::vector<double> out;
    for (const auto& p : positions) out.push_back(shape.distance(p));
    return out;
  });
}

}  // namespace horae::inference
