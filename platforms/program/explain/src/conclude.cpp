// Conclusions from the points of a hypothesis.
#include <algorithm>
#include <cmath>
#include <map>

#include "parts.hpp"

namespace horae::explain {
namespace {

using inference::Weighted;

/// Weighted points of the chosen pass, by their index among all points.
std::vector<Weighted> of_all(const Assessed& h, std::vector<Weighted> of_pass) {
  for (auto& w : of_pass) w.point += h.passes[h.chosen].first;
  return of_pass;
}

std::vector<std::optional<inference::Marginal>> marginals(const Assessed& h) {
  std::vector<std::optional<inference::Marginal>> out;
  for (std::size_t d = 0; d < h.dimensions.size(); ++d) {
    auto where = h.accepted;
    std::erase_if(where, [&](const auto& w) { return !h.runs->point(w.point).matters[d]; });
    double sum = 0;
    for (const auto& w : where) sum += w.weight;
    for (auto& w : where) w.weight /= sum;
    out.emplace_back();
    if (where.empty()) continue;
    out.back() = inference::marginals(h.dimensions, h.evaluated, where)[d];
  }
  return out;
}

/// The evidence of points as near as `tolerances` under some reading, times the share of readings
/// that agree there: readings are as likely as each other, and cost no runs.
inference::Evidence over_readings(inference::Evidence e, const lab::JointRuns& runs,
                                  const std::vector<Weighted>& sample, double tolerances) {
  double sum = 0, mean = 0, square = 0, n = 0;
  for (const auto& w : sample) {
    const double share =
        runs.whole(w.point) ? runs.outcomes()[w.point].share_within(tolerances) : 0;
    if (!(share > 0)) continue;
    sum += w.weight;
    mean += w.weight * share;
    square += w.weight * share * share;
    n += 1;
  }
  if (!(sum > 0)) return e;
  mean /= sum;
  const double variance = std::max(0.0, square / sum - mean * mean) / n;
  e.share *= mean;
  e.at_most *= mean;
  e.variation = std::sqrt(e.variation * e.variation + variance / (mean * mean));
  return e;
}

/// The share of readings under which the accepted points agree.
void share_readings(const question::Question& q, const std::map<std::string, double>& shares,
                    Assessed& h) {
  // Those that are open, in the order of the command line.
  const auto& all = h.space->readings();
  const auto base = question::reading_texts(q.request.readings);
  const auto others = question::flipped(q.request.readings);
  for (std::size_t i = 0; i < base.size(); ++i) {
    const bool open = std::any_of(all.begin(), all.end(), [&](const auto& r) {
      return question::reading_texts(r)[i] != base[i];
    });
    if (!open) continue;
    for (const std::string& text : {base[i], others[i].first}) {
      const auto share = shares.find(text);
      h.readings.emplace_back(text, share == shares.end() ? 0 : share->second);
    }
  }
}

using Values = std::vector<std::vector<inference::WeightedValue>>;

void add_values(const lab::ReadOutcome& read, double weight, Values& ours) {
  for (std::size_t o = 0; o < ours.size(); ++o) {
    if (std::isfinite(read.ours[o])) ours[o].push_back({read.ours[o], weight});
  }
}

/// Conclusions over the accepted points.
void conclude_accepted(const question::Question& q, Assessed& h) {
  double sum = 0;
  std::map<std::string, double> readings;
  Values ours(h.predictions.size());
  const auto& all = h.space->readings();
  for (auto& w : h.accepted) {
    const lab::JointOutcome& outcome = h.runs->outcomes()[w.point];
    const double of_reading = w.weight / static_cast<double>(all.size());
    w.weight *= outcome.share_within(1);
    sum += w.weight;
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (outcome.read[r].miss > 1) continue;
      for (const auto& text : question::reading_texts(all[r])) readings[text] += of_reading;
      add_values(outcome.read[r], of_reading, ours);
    }
  }
  for (auto& w : h.accepted) w.weight /= sum;
  for (auto& [text, share] : readings) share /= sum;
  share_readings(q, readings, h);
  h.marginals = marginals(h);
  for (std::size_t o = 0; o < ours.size(); ++o) {
    if (!ours[o].empty()) h.predictions[o] = inference::interval_of(std::move(ours[o]));
  }
}

/// The greatest miss of the numbers that points are chosen by; what has not run misses nothing.
double miss_of_chosen(const lab::ReadOutcome& read, const std::vector<bool>& predicted) {
  double miss = 0;
  for (std::size_t o = 0; o < predicted.size(); ++o) {
    if (!predicted[o] && !std::isnan(read.misses[o]))
      miss = std::max(miss, std::abs(read.misses[o]));
  }
  return miss;
}

/// Predicts the numbers with use = "predict" from the points that agree with the others, whatever
/// they miss of these.
void predict(const question::Question& q, Assessed& h) {
  std::vector<bool> predicted;
  for (const auto& o : q.observations.observations)
    predicted.push_back(o.use == question::Use::predict);
  const auto count = std::count(predicted.begin(), predicted.end(), true);
  // Where no number is to be chosen by, all are.
  if (count == 0 || count == static_cast<std::ptrdiff_t>(predicted.size())) return;
  const auto sample = of_all(h, inference::prior_sample(h.sampled()));
  std::vector<std::size_t> points;
  for (const auto& w : sample) points.push_back(w.point);
  h.runs->run_on(points, h.runs->stages().size(), [&](const lab::JointOutcome& outcome) {
    return std::any_of(outcome.read.begin(), outcome.read.end(),
                       [&](const auto& read) { return miss_of_chosen(read, predicted) <= 1; });
  });
  double chosen = 0, all = 0;
  Values ours(predicted.size());
  for (const auto& w : sample) {
    if (!h.runs->whole(w.point)) continue;
    for (const auto& read : h.runs->outcomes()[w.point].read) {
      if (miss_of_chosen(read, predicted) > 1) continue;
      chosen += w.weight;
      all += read.miss <= 1 ? w.weight : 0;
      add_values(read, w.weight, ours);
    }
  }
  h.predicted = predicted;
  h.predicted_share = all / chosen;
  for (std::size_t o = 0; o < ours.size(); ++o) {
    if (predicted[o] && !ours[o].empty())
      h.predictions[o] = inference::interval_of(std::move(ours[o]));
  }
}

/// Why senders were idle at the closest point, in each condition that it ran.
void find_idle(lab::Laboratory& laboratory, Assessed& h) {
  for (std::size_t s = 0; s < h.runs->outcomes()[h.closest].stages; ++s) {
    const question::ConditionSpec& condition = *h.runs->stages()[s];
    IdleShares idle{condition.id, {}};
    const lab::RunRecord& run = laboratory.run(h.runs->request(h.closest, condition));
    for (const auto& [name, value] : run.results) {
      if (name.starts_with(lab::idle_prefix))
        idle.causes.emplace_back(name.substr(lab::idle_prefix.size()), value);
    }
    h.idle.push_back(std::move(idle));
  }
}

}  // namespace

void conclude(lab::Laboratory& laboratory, Assessed& h) {
  const question::Question& q = laboratory.question();
  const inference::Sampled& sampled = h.sampled();
  std::vector<double> distances;
  for (const auto& e : sampled.evaluations) distances.push_back(e.distance);
  h.accepted = of_all(h, inference::accepted_sample(sampled));
  const auto prior = of_all(h, inference::prior_sample(sampled));
  for (std::size_t i = 0; i < tolerance_factors.size(); ++i) {
    const bool declared = i == as_declared;
    const auto e = declared ? inference::evidence_of(sampled)
                            : inference::reread(sampled, distances, tolerance_factors[i]);
    h.evidence[i] = over_readings(e, *h.runs, declared ? h.accepted : prior, tolerance_factors[i]);
  }
  h.predictions.resize(q.observations.observations.size());
  h.predicted.resize(h.predictions.size());
  // Where nothing is open no number chooses anything.
  for (std::size_t o = 0; o < h.predicted.size() && !h.anything_open(); ++o)
    h.predicted[o] = q.observations.observations[o].use == question::Use::predict;
  if (!h.accepted.empty()) {
    conclude_accepted(q, h);
    predict(q, h);
  }
  find_idle(laboratory, h);
}

}  // namespace horae::explain
