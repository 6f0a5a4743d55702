// A box of named unknowns, and positions in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace horae::inference {

/// An unknown. Its prior is uniform over [0, 1); what a number there means is the caller's.
struct Dimension {
  std::string name;
  std::uint32_t values = 0;  ///< equally likely values; 0: continuous

  bool discrete() const { return values > 0; }
  /// The value (0 to values - 1) that a number of [0, 1) stands for. Discrete dimensions only.
  std::uint32_t index(double number) const;
  /// The number that stands for a value: the middle of its share of [0, 1).
  double number(std::uint32_t index) const;
};

using Space = std::vector<Dimension>;

/// A number in [0, 1) for each dimension of a space.
using Position = std::vector<double>;

/// The position with every discrete number in the middle of its share, so that positions which mean
/// the same are equal.
Position canonical(const Space& space, Position position);

/// Distance of a position from the observations, in tolerances. Infinite
/// where nothing can be said (a run that was stuck).
struct Evaluation {
  Position position;
  double distance = 0;
};

nlohmann::ordered_json to_json(const Evaluation& evaluation);
Evaluation evaluation_from(const nlohmann::ordered_json& json);

}  // namespace horae::inference
