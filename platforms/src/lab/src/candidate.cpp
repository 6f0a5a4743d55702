#include "horae/lab/candidate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "horae/question/setting.hpp"

namespace horae::lab {
namespace {

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

SeedSample SeedSample::of(std::vector<double> values) {
  SeedSample s;
  s.values = std::move(values);
  s.there = !s.values.empty() &&
            std::none_of(s.values.begin(), s.values.end(), [](double v) { return std::isnan(v); });
  if (!s.there) return s;
  const auto n = static_cast<double>(s.values.size());
  s.mean = std::accumulate(s.values.begin(), s.values.end(), 0.0) / n;
  if (s.values.size() < 2) return s;
  double sum = 0;
  for (const double v : s.values) sum += (v - s.mean) * (v - s.mean);
  s.spread = std::sqrt(sum / (n - 1));
  return s;
}

double Compared::allowances() const {
  constexpr double missing = 1000;
  return ours.there ? residual() / observation->allowance() : missing;
}

bool Compared::within() const {
  return ours.there && std::abs(residual()) <= observation->allowance() + 2 * ours.spread;
}

std::vector<std::string> Fitted::overrides() const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    append(out, parameters[i]->overrides(fit.best.values[i]));
  return out;
}

std::vector<std::string> Candidate::unfitted_overrides(
    const question::ConditionSpec& condition) const {
  auto out = question::texts_of(condition.set);
  append(out, question::texts_of(variant->set));
  append(out, question::texts_of(hypothesis->set));
  return out;
}

std::vector<std::string> Candidate::overrides(const question::ConditionSpec& condition) const {
  auto out = unfitted_overrides(condition);
  append(out, mechanism.overrides());
  if (condition.reaction && reaction != nullptr) {
    append(out, question::texts_of(reaction->set));
    append(out, response.overrides());
  }
  return out;
}

bool Candidate::consistent() const { return worst() == nullptr; }

double Candidate::rms() const {
  if (comparisons.empty()) return 0;
  double sum = 0;
  for (const auto& c : comparisons) sum += c.allowances() * c.allowances();
  return std::sqrt(sum / static_cast<double>(comparisons.size()));
}

const Compared* Candidate::worst() const {
  const Compared* worst = nullptr;
  for (const auto& c : comparisons) {
    if (c.within()) continue;
    if (worst == nullptr || std::abs(c.allowances()) > std::abs(worst->allowances())) worst = &c;
  }
  return worst;
}

std::size_t Candidate::parameters() const {
  return mechanism.parameters.size() + response.parameters.size();
}

std::size_t Candidate::calibrated() const {
  return static_cast<std::size_t>(std::count_if(comparisons.begin(), comparisons.end(),
                                                [](const Compared& x) { return x.calibrated; }));
}

std::string Candidate::title() const {
  std::string out = fmt::format("hypothesis '{}', {}", hypothesis->id.value, variant->label.value);
  if (reaction != nullptr) out += ", " + reaction->id.value;
  return out;
}

}  // namespace horae::lab
