// Closest points of an earlier answer, from which a search goes on.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "horae/lab/joint_space.hpp"

namespace horae::explain {

/// The nearest points of an answer of `horae explain`, by hypothesis.
class EarlierPoints {
 public:
  /// None.
  EarlierPoints() = default;
  /// Reads `folder`/summary.json. InputError where it is not there or not such an answer.
  explicit EarlierPoints(const std::string& folder);

  /// Numbers of [0, 1) of its nearest points in a hypothesis' space, the nearest first. Unknowns
  /// that were not there have their middle. InputError for values that are none.
  std::vector<std::vector<double>> of(const lab::JointSpace& space) const;

 private:
  using Values = std::map<std::string, std::string>;

  std::string path_;
  std::map<std::string, std::vector<Values>> by_hypothesis_;
};

}  // namespace horae::explain
