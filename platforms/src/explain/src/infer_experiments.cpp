// What experiments would show, over accepted points.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "infer_parts.hpp"

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

/// What a measurement of a quantity is taken to be off by: as much as an observation of it, else
/// its last digit.
double noise_of(const question::Question& q, const std::string& quantity) {
  double noise = 0;
  for (const auto& o : q.observations.observations) {
    if (o.quantity.value == quantity) noise = std::max(noise, o.allowance());
  }
  if (noise > 0) return noise;
  constexpr double otherwise = 1e-3;
  const double digit = q.resolution(quantity);
  return digit > 0 ? digit : otherwise;
}

/// The runs of one experiment for one hypothesis.
struct Trial {
  std::size_t experiment = 0, hypothesis = 0;
  std::vector<Weighted> points;
};

lab::RunRequest request_of(const question::Question& q, const Inferred& h,
                           const question::ExperimentSpec& x, std::size_t point) {
  return {h.runs->point(point).setting(q.condition(x.condition), question::texts_of(x.set)),
          fmt::format("experiment '{}', hypothesis '{}'", x.id.value, h.hypothesis->id.value),
          x.id.where};
}

}  // namespace

std::vector<InferredExperiment> infer_experiments(lab::Laboratory& laboratory,
                                                  const InferredAnswer& answer) {
  const question::Question& q = laboratory.question();
  const auto& specs = q.hypotheses.experiments;
  std::vector<std::size_t> consistent;
  for (const std::size_t i : answer.order) {
    if (!answer.hypotheses[i].accepted.empty()) consistent.push_back(i);
  }
  std::vector<lab::RunRequest> requests;
  std::vector<Trial> trials;
  for (std::size_t x = 0; x < specs.size(); ++x) {
    if (q.condition(specs[x].condition).reaction && q.hypotheses.reactions.empty()) continue;
    for (const std::size_t i : consistent) {
      const Inferred& h = answer.hypotheses[i];
      trials.push_back({x, i, drawn(h.accepted, answer.plan.experiments)});
      for (const auto& w : trials.back().points)
        requests.push_back(request_of(q, h, specs[x], w.point));
    }
  }
  laboratory.run_all(requests, "experiments");

  std::vector<InferredExperiment> out;
  for (const auto& spec : specs) out.push_back({&spec, {}, {}});
  std::vector<std::vector<inference::Outcomes>> outcomes(specs.size());
  for (const auto& trial : trials) {
    const Inferred& h = answer.hypotheses[trial.hypothesis];
    const question::ExperimentSpec& x = specs[trial.experiment];
    inference::Outcomes values;
    for (const auto& w : trial.points) {
      const lab::RunRecord& run = laboratory.run(request_of(q, h, x, w.point));
      std::vector<double> of_point;
      for (const auto& quantity : x.quantities)
        of_point.push_back(run.value(question::metric_of(quantity, q.request.readings)));
      if (!std::all_of(of_point.begin(), of_point.end(), [](double v) { return std::isfinite(v); }))
        continue;
      values.values.push_back(std::move(of_point));
      values.weights.push_back(w.weight);
    }
    ExperimentPrediction prediction{trial.hypothesis, values.values.size(), {}};
    for (std::size_t k = 0; k < x.quantities.size(); ++k) {
      std::vector<inference::WeightedValue> of_quantity;
      for (std::size_t p = 0; p < values.values.size(); ++p)
        of_quantity.push_back({values.values[p][k], values.weights[p]});
      if (of_quantity.empty()) continue;
      prediction.quantities.push_back({inference::interval_of(std::move(of_quantity)), 0});
    }
    if (values.values.empty()) continue;
    out[trial.experiment].predictions.push_back(std::move(prediction));
    outcomes[trial.experiment].push_back(std::move(values));
  }
  for (std::size_t x = 0; x < specs.size(); ++x) {
    if (outcomes[x].size() < 2) continue;
    std::vector<double> noise;
    for (const auto& quantity : specs[x].quantities) noise.push_back(noise_of(q, quantity));
    // What is to be told apart are hypotheses as likely as each other: evidence is a matter of how
    // wide a space was declared.
    const std::vector<double> equal(outcomes[x].size(),
                                    1.0 / static_cast<double>(outcomes[x].size()));
    inference::GainPlan plan;
    plan.seed = q.seed;
    out[x].gain = inference::expected_gain(outcomes[x], equal, noise, plan);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    if (a.experiment->effort != b.experiment->effort)
      return a.experiment->effort < b.experiment->effort;
    return a.gain.hypothesis > b.gain.hypothesis;
  });
  return out;
}

}  // namespace horae::explain
