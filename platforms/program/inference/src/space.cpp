#include "horae/inference/space.hpp"

#include <algorithm>
#include <limits>

namespace horae::inference {

std::uint32_t Dimension::index(double at) const {
  const auto i = static_cast<std::uint32_t>(at * values);
  return std::min(i, values - 1);
}

double Dimension::number(std::uint32_t at) const { return (at + 0.5) / values; }

Position canonical(const Space& space, Position position) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space[i].discrete()) position[i] = space[i].number(space[i].index(position[i]));
  }
  return position;
}

// JSON has no infinity: null.
nlohmann::ordered_json to_json(const Evaluation& e) {
  return {{"position", e.position}, {"distance", e.distance}};
}

Evaluation evaluation_from(const nlohmann::ordered_json& json) {
  const auto& distance = json.at("distance");
  return {json.at("position").get<Position>(),
          distance.is_null() ? std::numeric_limits<double>::infinity() : distance.get<double>()};
}

}  // namespace horae::inference
