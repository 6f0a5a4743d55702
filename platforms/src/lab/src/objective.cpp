#include "objective.hpp"

#include <cmath>

namespace horae::lab {
namespace {

/// The residual, in allowances, of what a run does not give: worse than any number.
constexpr double missing = 1000;

}  // namespace

const Trial& Objective::at(const std::vector<std::string>& values) {
  for (const auto& t : trials_) {
    if (t.values == values) return t;
  }
  std::vector<std::string> overrides;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto more = problem_.parameters[i].spec().overrides(values[i]);
    overrides.insert(overrides.end(), more.begin(), more.end());
  }
  std::vector<const RunRecord*> runs;
  for (const auto& setting : problem_.settings)
    runs.push_back(&store_.run({setting.with(overrides), problem_.title, problem_.where}));
  double sum = 0;
  for (const auto& t : problem_.targets) {
    const double value = runs[t.setting]->value(t.metric);
    const double residual = std::isnan(value) ? missing : (value - t.value) / t.allowance;
    sum += residual * residual;
  }
  ++count_;
  trials_.push_back({values, sum});
  if (sum < trials_[best_].objective) best_ = trials_.size() - 1;
  return trials_.back();
}

std::vector<std::string> Objective::texts(const std::vector<double>& positions) const {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < positions.size(); ++i)
    values.push_back(problem_.parameters[i].text(positions[i]));
  return values;
}

std::vector<double> Objective::positions(const std::vector<std::string>& values) const {
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out.push_back(problem_.parameters[i].position(values[i]));
  return out;
}

}  // namespace horae::lab
