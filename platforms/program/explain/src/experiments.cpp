// Experiments that would tell the compared hypotheses apart, and curves that these predict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parts.hpp"

namespace horae::explain {
namespace {

using inference::Weighted;

/// At most `most` of the accepted points, drawn by weight at equal steps; how often each was drawn
/// is its weight.
std::vector<Weighted> drawn(const std::vector<Weighted>& accepted, std::size_t most) {
  std::map<std::size_t, double> times;
  double sum = 0;
  std::size_t next = 0;
  for (const auto& w : accepted) {
    sum += w.weight;
    while (next < most && (static_cast<double>(next) + 0.5) / static_cast<double>(most) < sum) {
      times[w.point] += 1 / static_cast<double>(most);
      ++next;
    }
  }
  std::vector<Weighted> out;
  for (const auto& [point, weight] : times) out.push_back({point, weight});
  return out;
}

/// Points that represent a hypothesis: accepted ones, or the closest one alone.
std::vector<Weighted> points_of(const Assessed& h, std::size_t most) {
  if (h.agrees() && !h.accepted.empty()) return drawn(h.accepted, most);
  return {{h.closest, 1.0}};
}

bool can_run(const question::Question& q, const std::string& condition) {
  return !q.condition(condition).reaction || !q.hypotheses.reactions.empty();
}

/// The runs of one experiment for one hypothesis.
struct Trial {
  std::size_t experiment = 0, hypothesis = 0;
  std::vector<Weighted> points;
};

lab::RunRequest request_of(const question::Question& q, const Assessed& h,
                           const question::ExperimentSpec& x, std::size_t point) {
  auto request = h.runs->request(point, q.condition(x.condition), question::texts_of(x.set));
  request.title =
      fmt::format("experiment '{}', hypothesis '{}'", x.id.value, h.hypothesis->id.value);
  request.where = x.id.where;
  return request;
}

/// Predictions of its points; those that lack some quantity are left out.
inference::Outcomes outcomes_of(lab::Laboratory& laboratory, const Assessed& h,
                                const question::ExperimentSpec& x, const Trial& trial) {
  const question::Question& q = laboratory.question();
  inference::Outcomes out;
  for (const auto& w : trial.points) {
    const lab::RunRecord& run = laboratory.run(request_of(q, h, x, w.point));
    std::vector<double> values;
    for (const auto& quantity : x.quantities)
      values.push_back(run.value(question::metric_of(quantity, q.request.readings)));
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
      continue;
    out.values.push_back(std::move(values));
    out.weights.push_back(w.weight);
  }
  return out;
}

ExperimentPrediction prediction_of(std::size_t hypothesis, const inference::Outcomes& outcomes) {
  ExperimentPrediction out{hypothesis, outcomes.values.size(), {}};
  for (std::size_t k = 0; k < outcomes.values.front().size(); ++k) {
    std::vector<inference::WeightedValue> of_quantity;
    for (std::size_t p = 0; p < outcomes.values.size(); ++p)
      of_quantity.push_back({outcomes.values[p][k], outcomes.weights[p]});
    out.quantities.push_back({inference::interval_of(std::move(of_quantity)), 0});
  }
  return out;
}

bool apart(const ExperimentPrediction& a, const ExperimentPrediction& b,
           const std::vector<double>& noise) {
  for (std::size_t k = 0; k < noise.size(); ++k) {
    const inference::Interval &x = a.quantities[k].interval, &y = b.quantities[k].interval;
    if (std::max(x.low, y.low) - std::min(x.high, y.high) > noise[k]) return true;
  }
  return false;
}

/// Conclusion of the experiment for the hypotheses. Those are told apart that are as likely as each
/// other: evidence is a matter of how wide a space was declared.
void compare(const question::Question& q, const std::vector<inference::Outcomes>& outcomes,
             ComparedExperiment& x) {
  std::vector<double> noise;
  for (const auto& quantity : x.experiment->quantities) noise.push_back(noise_of(q, quantity));
  const std::vector<double> equal(outcomes.size(), 1.0 / static_cast<double>(outcomes.size()));
  inference::GainPlan plan;
  plan.seed = q.seed;
  x.gain = inference::expected_gain(outcomes, equal, noise, plan);
  for (std::size_t a = 0; a < x.predictions.size(); ++a) {
    for (std::size_t b = a + 1; b < x.predictions.size(); ++b) {
      ++x.pairs;
      x.told_apart += apart(x.predictions[a], x.predictions[b], noise) ? 1 : 0;
    }
  }
}

}  // namespace

double noise_of(const question::Question& q, const std::string& quantity) {
  double noise = 0;
  for (const auto& o : q.observations.observations) {
    if (o.quantity.value == quantity && !o.relative_to) noise = std::max(noise, o.allowance());
  }
  if (noise > 0) return noise;
  constexpr double otherwise = 1e-3;
  const double digit = q.resolution(quantity);
  return digit > 0 ? digit : otherwise;
}

std::vector<ComparedExperiment> run_experiments(lab::Laboratory& laboratory, const Answer& answer) {
  const question::Question& q = laboratory.question();
  const auto& specs = q.hypotheses.experiments;
  std::vector<lab::RunRequest> requests;
  std::vector<Trial> trials;
  for (std::size_t x = 0; x < specs.size(); ++x) {
    if (!can_run(q, specs[x].condition)) continue;
    for (const std::size_t i : answer.compared) {
      const Assessed& h = answer.hypotheses[i];
      trials.push_back({x, i, points_of(h, answer.plan.experiments)});
      for (const auto& w : trials.back().points)
        requests.push_back(request_of(q, h, specs[x], w.point));
    }
  }
  laboratory.run_all(requests, "experiments");

  std::vector<ComparedExperiment> out;
  for (const auto& spec : specs) out.push_back({&spec, {}, {}, 0, 0});
  std::vector<std::vector<inference::Outcomes>> outcomes(specs.size());
  for (const auto& trial : trials) {
    const auto& spec = specs[trial.experiment];
    auto shown = outcomes_of(laboratory, answer.hypotheses[trial.hypothesis], spec, trial);
    if (shown.values.empty()) continue;
    out[trial.experiment].predictions.push_back(prediction_of(trial.hypothesis, shown));
    outcomes[trial.experiment].push_back(std::move(shown));
  }
  for (std::size_t x = 0; x < specs.size(); ++x) {
    if (outcomes[x].size() > 1) compare(q, outcomes[x], out[x]);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    if (a.experiment->effort != b.experiment->effort)
      return a.experiment->effort < b.experiment->effort;
    return a.gain.hypothesis > b.gain.hypothesis;
  });
  return out;
}

std::vector<PredictedCurve> run_curves(lab::Laboratory& laboratory, const Answer& answer) {
  const question::Question& q = laboratory.question();
  struct Place {
    std::size_t line, point;
    lab::RunRequest request;
  };
  std::vector<PredictedCurve> out;
  std::vector<Place> places;
  std::vector<lab::RunRequest> requests;
  for (const auto& curve : q.hypotheses.curves) {
    for (const std::size_t i : answer.compared) {
      const Assessed& h = answer.hypotheses[i];
      out.push_back({&curve, i, std::vector<std::vector<double>>(curve.points.size())});
      for (std::size_t p = 0; p < curve.points.size(); ++p) {
        const auto& point = curve.points[p];
        const std::string& condition = point.condition.value_or(curve.condition);
        if (!can_run(q, condition)) continue;
        auto request =
            h.runs->request(h.closest, q.condition(condition), question::texts_of(point.set));
        request.title =
            fmt::format("curve '{}', hypothesis '{}'", curve.id.value, h.hypothesis->id.value);
        request.where = point.x.where;
        requests.push_back(request);
        places.push_back({out.size() - 1, p, std::move(request)});
      }
    }
  }
  laboratory.run_all(requests, "curves");
  for (const auto& place : places) {
    PredictedCurve& line = out[place.line];
    const Assessed& h = answer.hypotheses[line.hypothesis];
    const auto& reading = h.space->readings()[h.runs->outcomes()[h.closest].reading];
    const lab::RunRecord& run = laboratory.run(place.request);
    for (const auto& quantity : line.curve->quantities)
      line.points[place.point].push_back(run.value(question::metric_of(quantity, reading)));
  }
  return out;
}

}  // namespace horae::explain
