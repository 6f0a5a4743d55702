#include "horae/explain/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <map>
#include <numeric>

#include "earlier.hpp"
#include "horae/core/error.hpp"
#include "infer_parts.hpp"

namespace horae::explain {
namespace {

inference::Space space_of(const lab::JointSpace& space) {
  inference::Space out;
  for (const auto& d : space.dimensions())
    out.push_back({d.name, static_cast<std::uint32_t>(d.choices.size())});
  return out;
}

void sample(lab::Laboratory& laboratory, const InferPlan& plan, const EarlierPoints& earlier,
            Inferred& h) {
  const question::Question& q = laboratory.question();
  h.space = std::make_unique<lab::JointSpace>(q, *h.hypothesis);
  h.dimensions = space_of(*h.space);
  h.runs = std::make_unique<lab::JointRuns>(laboratory, *h.space, h.hypothesis->id.value);
  if (h.runs->stages().empty())
    throw InputError(
        fmt::format("{}: every condition is with a reaction, but {} has no [[reaction]]",
                    q.observations_path, q.hypotheses_path));
  inference::SamplerPlan s;
  s.points = plan.points - plan.descent;
  s.population = plan.population;
  s.accepted = plan.population;
  s.seed = q.seed;
  s.stream = "explain." + h.hypothesis->id.value;
  h.sampled = inference::sample(
      h.dimensions, s, [&](const auto& positions) { return h.runs->distances(positions); });
  if (!h.sampled.reached()) descend(q, plan.descent, earlier.of(*h.space), h);
  h.closest = h.runs->find_closest();
  ask_own_data(q, h);
}

std::vector<std::optional<inference::Marginal>> marginals(const Inferred& h) {
  std::vector<std::optional<inference::Marginal>> out;
  for (std::size_t d = 0; d < h.dimensions.size(); ++d) {
    auto where = h.accepted;
    std::erase_if(where, [&](const auto& w) { return !h.runs->point(w.point).matters[d]; });
    double sum = 0;
    for (const auto& w : where) sum += w.weight;
    for (auto& w : where) w.weight /= sum;
    out.emplace_back();
    if (where.empty()) continue;
    out.back() = inference::marginals(h.dimensions, h.sampled.evaluations, where)[d];
  }
  return out;
}

/// The evidence of points as near as `tolerances` under some reading, times the share of readings
/// that agree there: readings are as likely as each other, and cost no runs.
inference::Evidence over_readings(inference::Evidence e, const lab::JointRuns& runs,
                                  const std::vector<inference::Weighted>& sample,
                                  double tolerances) {
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

/// What follows over the accepted points.
void conclude_accepted(const question::Question& q, Inferred& h) {
  double sum = 0;
  std::map<std::string, double> readings;
  std::vector<std::vector<inference::WeightedValue>> ours(h.predictions.size());
  const auto& all = h.space->readings();
  for (auto& w : h.accepted) {
    const lab::JointOutcome& outcome = h.runs->outcomes()[w.point];
    const double of_reading = w.weight / static_cast<double>(all.size());
    w.weight *= outcome.share_within(1);
    sum += w.weight;
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (outcome.read[r].miss > 1) continue;
      for (const auto& text : question::reading_texts(all[r])) readings[text] += of_reading;
      for (std::size_t o = 0; o < ours.size(); ++o) {
        if (std::isfinite(outcome.read[r].ours[o]))
          ours[o].push_back({outcome.read[r].ours[o], of_reading});
      }
    }
  }
  for (auto& w : h.accepted) w.weight /= sum;
  // Those that are open, in the order of the command line.
  const auto base = question::reading_texts(q.request.readings);
  const auto others = question::flipped(q.request.readings);
  for (std::size_t i = 0; i < base.size(); ++i) {
    const bool open = std::any_of(all.begin(), all.end(), [&](const auto& r) {
      return question::reading_texts(r)[i] != base[i];
    });
    if (!open) continue;
    for (const std::string& text : {base[i], others[i].first})
      h.readings.emplace_back(text, readings[text] / sum);
  }
  h.marginals = marginals(h);
  for (std::size_t o = 0; o < ours.size(); ++o) {
    if (!ours[o].empty()) h.predictions[o] = inference::interval_of(std::move(ours[o]));
  }
}

/// What follows from the points.
void conclude(const question::Question& q, Inferred& h) {
  std::vector<double> distances;
  for (const auto& e : h.sampled.evaluations) distances.push_back(e.distance);
  h.accepted = inference::accepted_sample(h.sampled);
  const auto prior = inference::prior_sample(h.sampled);
  for (std::size_t i = 0; i < tolerance_factors.size(); ++i) {
    const bool declared = i == as_declared;
    const auto e = declared ? inference::evidence_of(h.sampled)
                            : inference::reread(h.sampled, distances, tolerance_factors[i]);
    h.evidence[i] = over_readings(e, *h.runs, declared ? h.accepted : prior, tolerance_factors[i]);
  }
  h.predictions.resize(q.observations.observations.size());
  if (!h.accepted.empty()) conclude_accepted(q, h);
}

/// Those with evidence first, the most of it; then by the closest point; the impossible last.
std::vector<std::size_t> ranked(const std::vector<Inferred>& all) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const Inferred& h = all[i];
    const auto standing = static_cast<int>(h.standing());
    const double within = h.standing() == Standing::consistent ? -h.evidence[as_declared].share
                          : h.has_points()                     ? h.closest_miss()
                                                               : lab::JointRuns::most;
    return std::pair{standing, within};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

}  // namespace

InferPlan InferPlan::of(const question::ExplainRequest& request) {
  InferPlan plan = request.quick ? InferPlan{192, 0, 0, 12} : InferPlan{1000, 0, 0, 32};
  if (request.points != 0) plan.points = request.points;
  // A third is for the attempt to refute an exclusion; where points agree it is left.
  if (plan.points >= 64) plan.descent = plan.points / 3;
  // At least a few levels, each of a power of two points, which fill a space best.
  plan.population =
      std::clamp<std::size_t>(std::bit_floor(plan.points / 6), std::size_t{8}, std::size_t{128});
  return plan;
}

std::string name_of(Standing standing) {
  return standing == Standing::consistent  ? "consistent"
         : standing == Standing::not_found ? "not found"
         : standing == Standing::excluded  ? "excluded"
                                           : "impossible";
}

Standing Inferred::standing(std::size_t factor) const {
  if (!impossible[factor].empty()) return Standing::impossible;
  const double tolerance = tolerance_factors[factor];
  if (!has_points()) return Standing::not_found;
  if (closest_miss() <= tolerance) return Standing::consistent;
  return own_data[factor].excludes() ? Standing::excluded : Standing::not_found;
}

InferredAnswer infer(lab::Laboratory& laboratory) {
  const question::Question& q = laboratory.question();
  InferredAnswer a;
  a.plan = InferPlan::of(q.request);
  const EarlierPoints earlier = q.request.from ? EarlierPoints(*q.request.from) : EarlierPoints();
  for (const auto& hypothesis : q.hypotheses.hypotheses) {
    Inferred& h = a.hypotheses.emplace_back();
    h.hypothesis = &hypothesis;
    h.impossible = impossibilities(q, hypothesis);
    // What no tolerance considered here makes possible is not run.
    if (!h.impossible.back().empty()) continue;
    sample(laboratory, a.plan, earlier, h);
    conclude(q, h);
  }
  std::vector<inference::Evidence> evidences;
  for (const auto& h : a.hypotheses) {
    const bool counts = h.standing() == Standing::consistent;
    evidences.push_back(counts ? h.evidence[as_declared] : inference::Evidence{0, 0, 0, 0});
  }
  const auto posteriors = inference::compare(evidences);
  for (std::size_t i = 0; i < posteriors.size(); ++i) a.hypotheses[i].posterior = posteriors[i];
  a.order = ranked(a.hypotheses);
  a.experiments = infer_experiments(laboratory, a);
  const auto taken = std::chrono::steady_clock::now() - q.asked;
  a.wall_seconds = std::chrono::duration<double>(taken).count();
  return a;
}

}  // namespace horae::explain
