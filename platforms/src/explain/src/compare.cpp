#include "horae/explain/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "horae/explain/stages.hpp"
#include "horae/results/progress.hpp"

namespace horae::explain {
namespace {

using Texts = std::vector<std::string>;

const Candidate& survivor(const Explanation& e, std::size_t i) {
  return e.results[e.survivors[i]].best().best();
}

/// Whether the survivor has what the condition needs.
bool can_run(const Candidate& c, const ConditionSpec& condition) {
  return !condition.reaction || c.reaction != nullptr;
}

Texts overrides(const Candidate& c, const ConditionSpec& condition,
                const std::vector<Located<std::string>>& set) {
  Texts out = c.overrides(condition);
  const Texts more = plain(set);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

/// Every quantity of one setting.
std::vector<Sample> samples(Explanation& e, const Candidate& c, const Texts& set,
                            const std::vector<Located<std::string>>& quantities,
                            const Location& where) {
  std::vector<Sample> out;
  for (const auto& q : quantities)
    out.push_back(sample_of(e, set, metric_of(q, e.request.readings), c.title(), where));
  return out;
}

void compare_pairs(const Explanation& e, ExperimentResult& r) {
  for (std::size_t a = 0; a < r.outcomes.size(); ++a) {
    for (std::size_t b = a + 1; b < r.outcomes.size(); ++b) {
      if (r.outcomes[a].empty() || r.outcomes[b].empty()) continue;
      ExperimentResult::Pair pair{a, b, 0, 0};
      for (std::size_t q = 0; q < r.outcomes[a].size(); ++q) {
        const std::string& name = r.experiment->quantities[q].value;
        const double s = separation(r.outcomes[a][q], r.outcomes[b][q], e.resolution(name));
        if (s > pair.separation) pair = {a, b, q, s};
      }
      r.pairs.push_back(pair);
    }
  }
  if (r.pairs.empty()) return;
  r.least = r.pairs.front().separation;
  for (const auto& p : r.pairs) {
    r.least = std::min(r.least, p.separation);
    r.separated += p.separation >= ExperimentResult::clear ? 1 : 0;
  }
}

}  // namespace

double separation(const Sample& a, const Sample& b, double resolution) {
  if (!a.there || !b.there) return 0;
  const double difference = std::abs(a.mean - b.mean);
  if (!(difference > 0)) return 0;
  const double pooled = std::sqrt((a.spread * a.spread + b.spread * b.spread) / 2);
  constexpr double otherwise = 0.005;
  const double floor =
      resolution > 0 ? resolution : otherwise * std::max(std::abs(a.mean), std::abs(b.mean));
  return difference / std::max(pooled, floor);
}

void run_experiments(Explanation& e) {
  const auto each = [&](const std::function<void(const ExperimentSpec&, const Candidate&,
                                                 std::size_t, const Texts&)>& f) {
    for (const auto& x : e.hypotheses.experiments) {
      const ConditionSpec& condition = *e.observations.find_condition(x.condition);
      for (std::size_t i = 0; i < e.survivors.size(); ++i) {
        const Candidate& c = survivor(e, i);
        if (can_run(c, condition)) f(x, c, i, overrides(c, condition, x.set));
      }
    }
  };
  std::vector<RunRequest> requests;
  each([&](const ExperimentSpec& x, const Candidate& c, std::size_t, const Texts& set) {
    const auto more = seed_requests(e, set, c.title() + ", experiment", x.id.where);
    requests.insert(requests.end(), more.begin(), more.end());
  });
  results::Progress progress(e.request.show_progress);
  e.runs.run_all(requests, e.request.jobs, watch_line(progress, "runs of experiments"));
  for (const auto& x : e.hypotheses.experiments) {
    e.experiments.push_back({&x, {}, {}, 0, 0});
    e.experiments.back().outcomes.resize(e.survivors.size());
  }
  each([&](const ExperimentSpec& x, const Candidate& c, std::size_t i, const Texts& set) {
    const auto at = static_cast<std::size_t>(&x - e.hypotheses.experiments.data());
    e.experiments[at].outcomes[i] = samples(e, c, set, x.quantities, x.id.where);
  });
  for (auto& r : e.experiments) compare_pairs(e, r);
  // One that not all survivors could run says less than one that they could.
  std::stable_sort(e.experiments.begin(), e.experiments.end(), [](const auto& a, const auto& b) {
    if (a.pairs.size() != b.pairs.size()) return a.pairs.size() > b.pairs.size();
    if (a.least != b.least) return a.least > b.least;
    return a.separated > b.separated;
  });
}

void run_curves(Explanation& e) {
  std::vector<RunRequest> requests;
  const auto each = [&](const std::function<void(const CurveSpec&, const CurvePointSpec&,
                                                 const Candidate&, std::size_t, const Texts&)>& f) {
    for (const auto& curve : e.hypotheses.curves) {
      for (std::size_t i = 0; i < e.survivors.size(); ++i) {
        const Candidate& c = survivor(e, i);
        for (const auto& p : curve.points) {
          const ConditionSpec& condition =
              *e.observations.find_condition(p.condition.value_or(curve.condition));
          if (can_run(c, condition)) f(curve, p, c, i, overrides(c, condition, p.set));
        }
      }
    }
  };
  each([&](const CurveSpec&, const CurvePointSpec& p, const Candidate& c, std::size_t,
           const Texts& set) {
    const auto more = seed_requests(e, set, c.title() + ", curve", p.x.where);
    requests.insert(requests.end(), more.begin(), more.end());
  });
  results::Progress progress(e.request.show_progress);
  e.runs.run_all(requests, e.request.jobs, watch_line(progress, "runs of curves"));
  each([&](const CurveSpec& curve, const CurvePointSpec& p, const Candidate& c, std::size_t i,
           const Texts& set) {
    if (e.curves.empty() || e.curves.back().curve != &curve || e.curves.back().survivor != i)
      e.curves.push_back({&curve, i, std::vector<std::vector<Sample>>(curve.points.size())});
    const auto at = static_cast<std::size_t>(&p - curve.points.data());
    e.curves.back().points[at] = samples(e, c, set, curve.quantities, p.x.where);
  });
}

}  // namespace horae::explain
