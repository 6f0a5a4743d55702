// Runs of a survivor in a condition with something set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "horae/explain/compare.hpp"

namespace horae::explain {

/// One setting to look at for one survivor.
struct SurvivorRun {
  const lab::Candidate* survivor = nullptr;
  std::vector<std::string> set;
  Location where;

  /// Of a survivor in a condition; nothing where the condition needs a reaction that it lacks.
  static std::optional<SurvivorRun> of(const lab::Candidate& survivor,
                                       const question::ConditionSpec& condition,
                                       const std::vector<Located<std::string>>& set,
                                       const Location& where);
  /// Every quantity of it, over the seeds.
  std::vector<lab::SeedSample> samples(lab::Laboratory& laboratory,
                                       const std::vector<Located<std::string>>& quantities) const;
};

/// Makes the runs of all; messages call each "<survivor>, <what>".
void run_survivors(lab::Laboratory& laboratory, const std::vector<SurvivorRun>& runs,
                   const std::string& what);

}  // namespace horae::explain
