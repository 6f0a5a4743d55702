#include "horae/question/question.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/question/check.hpp"
#include "repeated.hpp"

namespace horae::question {
namespace {

/// The file to read: the command line's, or the platform's, which is beside the platform.
std::string path_of(const std::optional<std::string>& given,
                    const std::optional<Located<std::string>>& of_platform, std::string_view flag,
                    const std::string& platform) {
  if (given) return *given;
  if (!of_platform) {
    throw InputError(
        fmt::format("{}: no {} to hold against: expected [explain] {} = \"FILE\", or "
                    "--{} FILE",
                    platform, flag, flag, flag));
  }
  return (std::filesystem::path(platform).parent_path() / of_platform->value).string();
}

void select(std::vector<HypothesisSpec>& hypotheses, const std::vector<std::string>& only) {
  if (only.empty()) return;
  std::vector<std::string> names;
  for (const auto& h : hypotheses) {
    names.push_back(h.id);
    if (std::find(names.begin(), names.end(), h.family) == names.end() && !h.family.empty())
      names.push_back(h.family);
  }
  for (const auto& name : only) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError(fmt::format("--only: no hypothesis '{}'{}", name, suggestion(name, names)));
  }
  const auto wanted = [&](const std::string& name) {
    return std::find(only.begin(), only.end(), name) != only.end();
  };
  std::erase_if(hypotheses,
                [&](const auto& h) { return !wanted(h.id.value) && !wanted(h.family); });
}

template <class T>
void keep_quick(std::vector<T>& all) {
  std::erase_if(all, [](const T& t) { return !t.quick; });
}

}  // namespace

bool Question::has_conditions(bool reaction) const {
  return std::any_of(observations.conditions.begin(), observations.conditions.end(),
                     [&](const auto& c) { return c.reaction == reaction; });
}

std::vector<std::pair<std::string, Readings>> Question::open_readings() const {
  std::vector<std::string> quantities;
  for (const auto& o : observations.observations) quantities.push_back(o.quantity);
  return question::open_readings(request.readings, quantities);
}

double Question::resolution(const std::string& quantity) const {
  double published = 0;
  for (const auto& o : observations.observations) {
    if (o.quantity.value == quantity && !o.relative_to)
      published = std::max(published, o.rounding.value);
  }
  if (published > 0) return published;
  const MeasuredQuantity* known = find_quantity(quantity);
  return known != nullptr ? known->resolution : 0;
}

Question read_question(const ExplainRequest& request) {
  Question q;
  q.request = request;
  q.platform = BasePlatform(request.platform, request.overrides);
  const config::PlatformConfig platform = q.platform.read();
  q.platform_name = platform.about.name;
  q.platform_hash = config::hash_of(platform.effective);
  q.platform_config = platform.effective;
  q.seed = platform.sim.seed;
  q.observations_path = path_of(request.observations, platform.explain.observations, "observations",
                                request.platform);
  q.hypotheses_path =
      path_of(request.hypotheses, platform.explain.hypotheses, "hypotheses", request.platform);
  q.observations = read_observations(q.observations_path);
  q.hypotheses = read_hypotheses(q.hypotheses_path, q.observations);
  select(q.hypotheses.hypotheses, request.only);
  if (request.quick) {
    const auto first = q.hypotheses.variants.front();
    keep_quick(q.hypotheses.variants);
    keep_quick(q.hypotheses.experiments);
    if (q.hypotheses.variants.empty()) q.hypotheses.variants.push_back(first);
  }
  check_question(q);
  take_out_repeated(q);
  return q;
}

}  // namespace horae::question
