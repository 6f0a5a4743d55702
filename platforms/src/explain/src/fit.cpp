#include "horae/explain/fit.hpp"

#include <fmt/format.h>
#include <nlopt.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <optional>

#include "horae/core/error.hpp"

namespace horae::explain {
namespace {

using nlohmann::ordered_json;

/// The residual, in allowances, of what a run does not give: worse than any number.
constexpr double missing = 1000;
/// Good enough: a residual of one per cent of the allowance.
constexpr double perfect = 1e-4;

/// Evaluations of one problem.
class Objective {
 public:
  Objective(const FitProblem& problem, RunStore& store, std::atomic<std::uint64_t>& count)
      : problem_(problem), store_(store), count_(count) {}

  /// The trial with these values, made at most once.
  const Trial& at(const std::vector<std::string>& values) {
    for (const auto& t : trials_) {
      if (t.values == values) return t;
    }
    std::vector<std::string> overrides;
    for (std::size_t i = 0; i < values.size(); ++i)
      overrides.push_back(problem_.parameters[i].key() + "=" + values[i]);
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
  const Trial& at(const std::vector<double>& positions) { return at(texts(positions)); }

  std::vector<std::string> texts(const std::vector<double>& positions) const {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < positions.size(); ++i)
      values.push_back(problem_.parameters[i].text(positions[i]));
    return values;
  }
  std::vector<double> positions(const std::vector<std::string>& values) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < values.size(); ++i)
      out.push_back(problem_.parameters[i].position(values[i]));
    return out;
  }

  const Trial& best() const { return trials_[best_]; }
  std::size_t made() const { return trials_.size(); }
  const std::deque<Trial>& trials() const { return trials_; }

 private:
  const FitProblem& problem_;
  RunStore& store_;
  std::atomic<std::uint64_t>& count_;
  std::deque<Trial> trials_;
  std::size_t best_ = 0;
};

/// One search of NLopt over the positions, within a number of new evaluations.
class Search {
 public:
  Search(Objective& objective, nlopt_algorithm algorithm, std::size_t dimensions,
         std::size_t budget)
      : objective_(objective),
        until_(objective.made() + budget),
        calls_left_(20 * budget + 20),
        opt_(nlopt_create(algorithm, static_cast<unsigned>(dimensions)), nlopt_destroy) {
    constexpr double first_step = 0.1, finest = 2e-3, flat = 1e-3;
    if (!opt_) throw ModelError("no memory for an optimiser");
    nlopt_set_min_objective(opt_.get(), &Search::evaluate, this);
    nlopt_set_lower_bounds1(opt_.get(), 0.0);
    nlopt_set_upper_bounds1(opt_.get(), 1.0);
    nlopt_set_initial_step1(opt_.get(), first_step);
    nlopt_set_xtol_abs1(opt_.get(), finest);
    nlopt_set_ftol_abs(opt_.get(), flat);
    nlopt_set_stopval(opt_.get(), perfect);
  }

  /// Whether it came to an end by itself.
  bool from(std::vector<double> start) {
    double value = 0;
    const nlopt_result result = nlopt_optimize(opt_.get(), start.data(), &value);
    if (failure_) std::rethrow_exception(failure_);
    return result != NLOPT_FORCED_STOP;
  }

 private:
  static double evaluate(unsigned n, const double* x, double*, void* self) {
    return static_cast<Search*>(self)->evaluate({x, x + n});
  }
  /// No exception may pass through NLopt.
  double evaluate(const std::vector<double>& positions) {
    if (objective_.made() >= until_ || calls_left_-- == 0 || failure_) {
      nlopt_force_stop(opt_.get());
      return objective_.best().objective;
    }
    try {
      return objective_.at(positions).objective;
    } catch (...) {
      failure_ = std::current_exception();
      nlopt_force_stop(opt_.get());
      return 0;
    }
  }

  Objective& objective_;
  std::size_t until_;
  std::size_t calls_left_;
  std::unique_ptr<nlopt_opt_s, void (*)(nlopt_opt)> opt_;
  std::exception_ptr failure_;
};

/// One end of a plausible range: bisection between the best and where it is surely left.
class RangeEnd {
 public:
  RangeEnd(Objective& objective, const Trial& around, std::size_t axis, unsigned steps)
      : objective_(objective),
        axis_(axis),
        steps_(steps),
        best_(around.values),
        threshold_(around.objective + 1) {}

  /// `bound`: position of the parameter's bound on this side.
  std::pair<std::string, bool> find(double bound) {
    const double at = objective_.positions(best_)[axis_];
    // Nothing lies beyond: what was tried on the other side says nothing of this one.
    if (value(at) == value(bound)) return {value(bound), true};
    double inside = at, outside = bound;
    bool left = false;
    for (const auto& [position, within] : known(at, bound)) {
      if (within) {
        inside = position;
      } else {
        outside = position;
        left = true;
        break;
      }
    }
    if (!left && within(bound)) return {value(bound), true};
    for (unsigned i = 0; i < steps_; ++i) {
      const double middle = (inside + outside) / 2;
      if (value(middle) == value(inside) || value(middle) == value(outside)) break;
      (within(middle) ? inside : outside) = middle;
    }
    return {value(inside), false};
  }

 private:
  std::string value(double position) const {
    auto positions = objective_.positions(best_);
    positions[axis_] = position;
    return objective_.texts(positions)[axis_];
  }
  bool within(double position) {
    auto values = best_;
    values[axis_] = value(position);
    return objective_.at(values).objective <= threshold_;
  }
  /// What was tried along the axis already, from the best outwards.
  std::vector<std::pair<double, bool>> known(double at, double bound) const {
    std::vector<std::pair<double, bool>> out;
    for (const auto& t : objective_.trials()) {
      auto values = t.values;
      values[axis_] = best_[axis_];
      if (values != best_) continue;
      const double position = objective_.positions(t.values)[axis_];
      if ((bound > at ? position > at : position < at))
        out.emplace_back(position, t.objective <= threshold_);
    }
    std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) {
      return std::abs(a.first - at) < std::abs(b.first - at);
    });
    return out;
  }

  Objective& objective_;
  std::size_t axis_;
  unsigned steps_;
  std::vector<std::string> best_;
  double threshold_;
};

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
    if (n > 0 && objective.best().objective > perfect) {
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

}  // namespace horae::explain
