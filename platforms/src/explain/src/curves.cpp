// Curves that the survivors predict.
#include "survivor_runs.hpp"

namespace horae::explain {

std::vector<PredictedCurve> run_curves(lab::Laboratory& laboratory, const Survivors& survivors) {
  const question::Question& q = laboratory.question();
  std::vector<PredictedCurve> out;
  std::vector<SurvivorRun> runs;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // curve of `out`, point
  for (const auto& curve : q.hypotheses.curves) {
    for (std::size_t i = 0; i < survivors.size(); ++i) {
      bool begun = false;
      for (std::size_t p = 0; p < curve.points.size(); ++p) {
        const auto& point = curve.points[p];
        const auto& condition = q.condition(point.condition.value_or(curve.condition));
        const auto run = SurvivorRun::of(*survivors[i], condition, point.set, point.x.where);
        if (!run) continue;
        if (!begun) {
          out.push_back(
              {&curve, i, std::vector<std::vector<lab::SeedSample>>(curve.points.size())});
        }
        begun = true;
        runs.push_back(*run);
        places.emplace_back(out.size() - 1, p);
      }
    }
  }
  run_survivors(laboratory, runs, "curve");
  for (std::size_t k = 0; k < runs.size(); ++k) {
    PredictedCurve& line = out[places[k].first];
    line.points[places[k].second] = runs[k].samples(laboratory, line.curve->quantities);
  }
  return out;
}

}  // namespace horae::explain
