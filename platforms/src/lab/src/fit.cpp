#include "horae/lab/fit.hpp"

#include <algorithm>

#include "objective.hpp"
#include "plausible_range.hpp"
#include "search.hpp"

namespace horae::lab {
namespace {

using nlohmann::ordered_json;

ordered_json trial_json(const Trial& t) {
  return {{"values", t.values}, {"objective", t.objective}};
}
Trial trial_from(const ordered_json& json) {
  return {json.at("values").get<std::vector<std::string>>(), json.at("objective").get<double>()};
}

}  // namespace

std::size_t FitPlan::most(const FitProblem& problem) const {
  const std::size_t n = problem.parameters.size();
  if (around) return known.size() + n * 2 * (range_steps + 1);
  return known.size() + (n == 0 ? 1 : n * evaluations);
}

FitResult fit(const FitProblem& problem, const FitPlan& plan, RunStore& store,
              std::atomic<std::uint64_t>& count) {
  Objective objective(problem, store, count);
  const std::size_t n = problem.parameters.size();
  FitResult result;
  for (const auto& values : plan.known) objective.at(values);
  const std::size_t start = objective.made();
  const std::size_t budget = n * plan.evaluations;
  if (plan.around) {
    result.best = objective.at(*plan.around);
    // Around what misses by more than the allowances there is nothing plausible.
    const bool near = result.best.objective <= static_cast<double>(problem.targets.size());
    for (std::size_t i = 0; near && i < n; ++i) {
      RangeEnd end(objective, result.best, i, plan.range_steps);
      const auto low = end.find(0.0);
      const auto high = end.find(1.0);
      result.ranges.push_back({low.first, high.first, low.second, high.second});
    }
  } else {
    if (n == 0) objective.at(std::vector<std::string>{});
    if (n > 0 && plan.known.empty()) {
      constexpr std::size_t global_percent = 60;
      Search(objective, NLOPT_GN_DIRECT_L, n,
             std::max<std::size_t>(1, budget * global_percent / 100))
          .from(std::vector<double>(n, 0.5));
    }
    const std::size_t spent = objective.made() - start;
    if (n > 0 && objective.best().objective > perfect_objective) {
      result.converged = spent < budget && Search(objective, NLOPT_LN_SBPLX, n, budget - spent)
                                               .from(objective.positions(objective.best().values));
    }
    result.best = objective.best();
  }
  result.evaluations = objective.made() - start;
  result.trials.assign(objective.trials().begin(), objective.trials().end());
  return result;
}

ordered_json FitResult::to_json() const {
  ordered_json out = {{"best", trial_json(best)},
                      {"trials", ordered_json::array()},
                      {"ranges", ordered_json::array()},
                      {"evaluations", evaluations},
                      {"converged", converged}};
  for (const auto& t : trials) out["trials"].push_back(trial_json(t));
  for (const auto& r : ranges) {
    out["ranges"].push_back(
        {{"low", r.low}, {"high", r.high}, {"low_open", r.low_open}, {"high_open", r.high_open}});
  }
  return out;
}

FitResult FitResult::from_json(const ordered_json& json) {
  FitResult out;
  out.best = trial_from(json.at("best"));
  for (const auto& t : json.at("trials")) out.trials.push_back(trial_from(t));
  for (const auto& r : json.at("ranges"))
    out.ranges.push_back({r.at("low"), r.at("high"), r.at("low_open"), r.at("high_open")});
  out.evaluations = json.at("evaluations");
  out.converged = json.at("converged");
  return out;
}

std::vector<FitResult> fit_all(const std::vector<FitProblem>& problems,
                               const std::vector<FitPlan>& plans, RunStore& store, unsigned jobs,
                               const std::function<void(std::size_t, std::size_t)>& watch) {
  results::SharedCounter count;
  std::size_t most = 0;
  std::vector<results::Task> tasks;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    most += plans[i].most(problems[i]);
    tasks.push_back({problems[i].title, problems[i].where, [&, i]() -> ordered_json {
                       const std::size_t before = store.records().size();
                       const FitResult result = fit(problems[i], plans[i], store, count.value());
                       ordered_json runs = ordered_json::array();
                       for (std::size_t r = before; r < store.records().size(); ++r)
                         runs.push_back(store.records()[r].to_json());
                       return {{"fit", result.to_json()}, {"runs", runs}};
                     }});
  }
  std::vector<FitResult> out;
  const auto results = results::in_children(tasks, jobs, [&](std::size_t) {
    if (watch) watch(count.value(), most);
  });
  for (const auto& result : results) {
    for (const auto& run : result.at("runs")) store.adopt(RunRecord::from_json(run));
    out.push_back(FitResult::from_json(result.at("fit")));
  }
  return out;
}

}  // namespace horae::lab
