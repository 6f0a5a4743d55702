// Experiments that would tell the survivors apart.
#include <algorithm>
#include <cmath>

#include "survivor_runs.hpp"

namespace horae::explain {
namespace {

void compare_pairs(const question::Question& q, ComparedExperiment& r) {
  for (std::size_t a = 0; a < r.outcomes.size(); ++a) {
    for (std::size_t b = a + 1; b < r.outcomes.size(); ++b) {
      if (r.outcomes[a].empty() || r.outcomes[b].empty()) continue;
      ComparedExperiment::Pair pair{a, b, 0, 0};
      for (std::size_t i = 0; i < r.outcomes[a].size(); ++i) {
        const std::string& name = r.experiment->quantities[i].value;
        const double s = separation(r.outcomes[a][i], r.outcomes[b][i], q.resolution(name));
        if (s > pair.separation) pair = {a, b, i, s};
      }
      r.pairs.push_back(pair);
    }
  }
  if (r.pairs.empty()) return;
  r.least = r.pairs.front().separation;
  for (const auto& p : r.pairs) {
    r.least = std::min(r.least, p.separation);
    r.separated += p.separation >= ComparedExperiment::clear ? 1 : 0;
  }
}

}  // namespace

double separation(const lab::SeedSample& a, const lab::SeedSample& b, double resolution) {
  if (!a.there || !b.there) return 0;
  const double difference = std::abs(a.mean - b.mean);
  if (!(difference > 0)) return 0;
  const double pooled = std::sqrt((a.spread * a.spread + b.spread * b.spread) / 2);
  constexpr double otherwise = 0.005;
  const double floor =
      resolution > 0 ? resolution : otherwise * std::max(std::abs(a.mean), std::abs(b.mean));
  return difference / std::max(pooled, floor);
}

std::vector<ComparedExperiment> run_experiments(lab::Laboratory& laboratory,
                                                const Survivors& survivors) {
  const question::Question& q = laboratory.question();
  std::vector<SurvivorRun> runs;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // experiment, survivor
  const auto& specs = q.hypotheses.experiments;
  for (std::size_t x = 0; x < specs.size(); ++x) {
    for (std::size_t i = 0; i < survivors.size(); ++i) {
      const auto run = SurvivorRun::of(*survivors[i], q.condition(specs[x].condition), specs[x].set,
                                       specs[x].id.where);
      if (!run) continue;
      runs.push_back(*run);
      places.emplace_back(x, i);
    }
  }
  run_survivors(laboratory, runs, "experiment");
  std::vector<ComparedExperiment> out;
  for (const auto& spec : specs) {
    out.push_back({&spec, {}, {}, 0, 0});
    out.back().outcomes.resize(survivors.size());
  }
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const auto [x, i] = places[k];
    out[x].outcomes[i] = runs[k].samples(laboratory, specs[x].quantities);
  }
  for (auto& r : out) compare_pairs(q, r);
  // One that not all survivors could run says less than one that they could.
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    if (a.pairs.size() != b.pairs.size()) return a.pairs.size() > b.pairs.size();
    if (a.least != b.least) return a.least > b.least;
    return a.separated > b.separated;
  });
  return out;
}

}  // namespace horae::explain
