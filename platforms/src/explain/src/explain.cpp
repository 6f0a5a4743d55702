#include "horae/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/explain/check.hpp"
#include "horae/explain/compare.hpp"
#include "horae/explain/stages.hpp"
#include "horae/flows/read_platform.hpp"
#include "horae/params/document.hpp"
#include "horae/results/progress.hpp"

namespace horae::explain {
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

void read(Explanation& e) {
  const auto& r = e.request;
  e.runs = RunStore(r.platform, r.overrides);
  const config::PlatformConfig platform =
      flows::read_platform(Document::load(r.platform, r.overrides));
  e.platform_name = platform.about.name;
  e.platform_hash = config::hash_of(platform.effective);
  e.platform_config = platform.effective;
  e.seed = platform.sim.seed;
  e.observations_path =
      path_of(r.observations, platform.explain.observations, "observations", r.platform);
  e.hypotheses_path = path_of(r.hypotheses, platform.explain.hypotheses, "hypotheses", r.platform);
  e.observations = read_observations(e.observations_path);
  e.hypotheses = read_hypotheses(e.hypotheses_path, e.observations);
  select(e.hypotheses.hypotheses, r.only);
  if (r.quick) {
    const auto first = e.hypotheses.variants.front();
    keep_quick(e.hypotheses.variants);
    keep_quick(e.hypotheses.experiments);
    if (e.hypotheses.variants.empty()) e.hypotheses.variants.push_back(first);
  }
}

void choose_survivors(Explanation& e) {
  for (const std::size_t i : e.order) {
    if (e.results[i].best().consistent()) e.survivors.push_back(i);
  }
  // None: the best few, those that arithmetic excludes last, so that experiments say at least what
  // would tell them apart.
  const auto add = [&](bool possible) {
    for (const std::size_t i : e.order) {
      if (e.results[i].best().impossible.empty() == possible) e.survivors.push_back(i);
    }
  };
  if (e.survivors.empty()) add(true);
  if (e.survivors.empty()) add(false);
  if (e.survivors.size() > e.request.survivors) e.survivors.resize(e.request.survivors);
}

/// Means over the seeds of every "senders.idle_CAUSE" that the runs of the best have.
void collect_idle(Explanation& e) {
  constexpr std::string_view prefix = "senders.idle_";
  for (auto& result : e.results) {
    const Candidate& c = result.best().best();
    for (const auto& condition : e.observations.conditions) {
      const auto ran = std::any_of(c.comparisons.begin(), c.comparisons.end(), [&](const auto& x) {
        return x.observation->condition.value == condition.id.value;
      });
      if (!ran) continue;
      IdleShares idle{condition.id, {}};
      const auto requests =
          seed_requests(e, c.overrides(condition), c.title(), c.hypothesis->id.where);
      for (const auto& [name, value] : e.runs.run(requests.front()).results) {
        if (!name.starts_with(prefix)) continue;
        const Sample s =
            sample_of(e, requests.front().setting.set, name, c.title(), c.hypothesis->id.where);
        if (s.there) idle.causes.emplace_back(name.substr(prefix.size()), s.mean);
      }
      result.idle.push_back(std::move(idle));
    }
  }
}

void flip_readings(Explanation& e, Assessor& assessor) {
  for (const auto& [name, readings] : flipped(e.request.readings)) {
    const auto others = assessor.reread(e.results, name, readings);
    for (std::size_t i = 0; i < others.size(); ++i)
      e.results[i].other_readings.push_back(others[i]);
  }
}

}  // namespace

double Explanation::resolution(const std::string& quantity) const {
  double published = 0;
  for (const auto& o : observations.observations) {
    if (o.quantity.value == quantity) published = std::max(published, o.rounding.value);
  }
  if (published > 0) return published;
  const MeasuredQuantity* known = find_quantity(quantity);
  return known != nullptr ? known->resolution : 0;
}

Explanation explain(const ExplainRequest& request) {
  const results::Progress wall(false);
  Explanation e;
  e.request = request;
  read(e);
  check_explanation(e);
  const ConditionSpec& first = e.observations.conditions.front();
  for (const auto& v : e.hypotheses.variants) {
    auto set = plain(first.set);
    const auto more = plain(v.set);
    set.insert(set.end(), more.begin(), more.end());
    e.facts.push_back(SenderFacts::of(e.runs.read({set, e.seed})));
  }
  Assessor assessor(e);
  e.results = assessor.assess();
  e.order = rank(e.results);
  assessor.find_ranges(e.results);
  choose_survivors(e);
  flip_readings(e, assessor);
  collect_idle(e);
  run_experiments(e);
  run_curves(e);
  e.wall_seconds = wall.elapsed_seconds();
  return e;
}

}  // namespace horae::explain
