#include "horae/explain/infer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <numeric>

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

void sample(lab::Laboratory& laboratory, const InferPlan& plan, Inferred& h) {
  const question::Question& q = laboratory.question();
  h.space = std::make_unique<lab::JointSpace>(q, *h.hypothesis);
  h.dimensions = space_of(*h.space);
  h.runs = std::make_unique<lab::JointRuns>(laboratory, *h.space, h.hypothesis->id.value);
  if (h.runs->stages().empty())
    throw InputError(
        fmt::format("{}: every condition is with a reaction, but {} has no [[reaction]]",
                    q.observations_path, q.hypotheses_path));
  inference::SamplerPlan s;
  s.points = plan.points;
  s.population = plan.population;
  s.accepted = plan.population;
  s.seed = q.seed;
  s.stream = "explain." + h.hypothesis->id.value;
  h.sampled = inference::sample(
      h.dimensions, s, [&](const auto& positions) { return h.runs->distances(positions); });
  h.closest = h.runs->find_closest();
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

/// What follows from the points.
void conclude(const question::Question& q, Inferred& h) {
  std::vector<double> distances;
  for (const auto& e : h.sampled.evaluations) distances.push_back(e.distance);
  for (std::size_t i = 0; i < tolerance_factors.size(); ++i) {
    h.evidence[i] = i == as_declared
                        ? inference::evidence_of(h.sampled)
                        : inference::reread(h.sampled, distances, tolerance_factors[i]);
  }
  h.accepted = inference::accepted_sample(h.sampled);
  h.predictions.resize(q.observations.observations.size());
  if (h.accepted.empty()) return;
  h.marginals = marginals(h);
  for (std::size_t o = 0; o < h.predictions.size(); ++o) {
    std::vector<double> ours;
    for (const auto& outcome : h.runs->outcomes()) ours.push_back(outcome.ours[o]);
    if (std::isfinite(ours[h.accepted.front().point]))
      h.predictions[o] = inference::predict(ours, h.accepted);
  }
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
  InferPlan plan = request.quick ? InferPlan{192, 0, 12} : InferPlan{1000, 0, 32};
  if (request.points != 0) plan.points = request.points;
  // At least a few levels, each of a power of two points, which fill a space best.
  plan.population =
      std::clamp<std::size_t>(std::bit_floor(plan.points / 6), std::size_t{8}, std::size_t{128});
  return plan;
}

std::string name_of(Standing standing) {
  return standing == Standing::consistent ? "consistent"
         : standing == Standing::excluded ? "excluded"
                                          : "impossible";
}

Standing Inferred::standing(std::size_t factor) const {
  if (!impossible[factor].empty()) return Standing::impossible;
  const double tolerance = tolerance_factors[factor];
  return has_points() && closest_miss() <= tolerance ? Standing::consistent : Standing::excluded;
}

InferredAnswer infer(lab::Laboratory& laboratory) {
  const question::Question& q = laboratory.question();
  InferredAnswer a;
  a.plan = InferPlan::of(q.request);
  for (const auto& hypothesis : q.hypotheses.hypotheses) {
    Inferred& h = a.hypotheses.emplace_back();
    h.hypothesis = &hypothesis;
    h.impossible = impossibilities(q, hypothesis);
    // What no tolerance considered here makes possible is not run.
    if (!h.impossible.back().empty()) continue;
    sample(laboratory, a.plan, h);
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
