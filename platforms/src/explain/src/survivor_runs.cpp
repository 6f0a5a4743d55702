#include "survivor_runs.hpp"

namespace horae::explain {

std::optional<SurvivorRun> SurvivorRun::of(const lab::Candidate& survivor,
                                           const question::ConditionSpec& condition,
                                           const std::vector<Located<std::string>>& set,
                                           const Location& where) {
  if (condition.reaction && survivor.reaction == nullptr) return std::nullopt;
  SurvivorRun out{&survivor, survivor.overrides(condition), where};
  const auto more = question::texts_of(set);
  out.set.insert(out.set.end(), more.begin(), more.end());
  return out;
}

std::vector<lab::SeedSample> SurvivorRun::samples(
    lab::Laboratory& laboratory, const std::vector<Located<std::string>>& quantities) const {
  const auto& readings = laboratory.question().request.readings;
  std::vector<lab::SeedSample> out;
  for (const auto& q : quantities) {
    out.push_back(
        laboratory.sample(set, question::metric_of(q, readings), survivor->title(), where));
  }
  return out;
}

void run_survivors(lab::Laboratory& laboratory, const std::vector<SurvivorRun>& runs,
                   const std::string& what) {
  std::vector<lab::RunRequest> requests;
  for (const auto& run : runs) {
    const auto more =
        laboratory.over_seeds(run.set, run.survivor->title() + ", " + what, run.where);
    requests.insert(requests.end(), more.begin(), more.end());
  }
  laboratory.run_all(requests, "runs of " + what + "s");
}

}  // namespace horae::explain
