#include "earlier.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "horae/core/error.hpp"

namespace horae::explain {

EarlierPoints::EarlierPoints(const std::string& folder)
    : path_((std::filesystem::path(folder) / "summary.json").string()) {
  std::ifstream file(path_);
  if (!file) throw InputError(fmt::format("--from: {}: cannot be read", path_));
  try {
    const auto answer = nlohmann::json::parse(file);
    for (const auto& h : answer.at("infer").at("hypotheses")) {
      std::vector<Values>& points = by_hypothesis_[h.at("id").get<std::string>()];
      if (!h.contains("nearest")) continue;  // it has no points
      for (const auto& point : h["nearest"]) points.push_back(point.at("values").get<Values>());
    }
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format(
        "--from: {}: expected the answer of horae explain, found otherwise: {}", path_, e.what()));
  }
}

std::vector<std::vector<double>> EarlierPoints::of(const lab::JointSpace& space) const {
  std::vector<std::vector<double>> out;
  const auto points = by_hypothesis_.find(space.hypothesis().id.value);
  if (points == by_hypothesis_.end()) return out;
  try {
    for (const Values& values : points->second) out.push_back(space.numbers_of(values));
  } catch (const InputError& e) {
    throw InputError(fmt::format("--from: {}: {}: {}", path_, points->first, e.what()));
  }
  return out;
}

}  // namespace horae::explain
