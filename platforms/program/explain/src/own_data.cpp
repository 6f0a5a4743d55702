// Whether the search that did not find a hypothesis would have found it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parts.hpp"

namespace horae::explain {
namespace {

/// The observations that the first conditions decide.
std::vector<std::size_t> observed_in(const question::Question& q, const lab::JointRuns& runs,
                                     std::size_t stages) {
  std::vector<std::size_t> out;
  for (std::size_t o = 0; o < q.observations.observations.size(); ++o) {
    if (runs.stage_of(q.observations.observations[o]) < stages) out.push_back(o);
  }
  return out;
}

/// Values that points give for some observations.
std::vector<inference::Shown> shown_by(const lab::JointRuns& runs,
                                       const std::vector<std::size_t>& observed) {
  std::vector<inference::Shown> out;
  for (const auto& outcome : runs.outcomes()) {
    out.emplace_back();
    for (const auto& read : outcome.read) {
      out.back().emplace_back();
      for (const std::size_t o : observed) out.back().back().push_back(read.misses[o]);
    }
  }
  return out;
}

/// How near the points come to what was observed there, at least: what has not run misses nothing.
double closest_to(const std::vector<inference::Shown>& points) {
  double closest = std::numeric_limits<double>::infinity();
  for (const auto& shown : points) {
    for (const auto& read : shown) {
      double miss = 0;
      for (const double m : read) miss = std::isnan(m) ? miss : std::max(miss, std::fabs(m));
      closest = std::min(closest, miss);
    }
  }
  return closest;
}

/// The fewest conditions of which the points say enough: no point comes within the margin of what
/// was observed there. 0: not even of all.
std::size_t conditions_that_exclude(const question::Question& q, const lab::JointRuns& runs,
                                    double tolerances) {
  for (std::size_t stages = 1; stages <= runs.stages().size(); ++stages) {
    const auto shown = shown_by(runs, observed_in(q, runs, stages));
    if (closest_to(shown) > search_margin * tolerances) return stages;
  }
  return 0;
}

}  // namespace

void ask_own_data(const question::Question& q, Assessed& h) {
  const SearchPass& pass = h.passes.back();
  const std::size_t asked = pass.sampled.levels.front().states.size();
  std::vector<std::size_t> points(asked);
  std::iota(points.begin(), points.end(), pass.first);
  const auto any = [](const lab::JointOutcome&) { return true; };
  for (std::size_t f = 0; f < tolerance_factors.size(); ++f) {
    OwnData& own = h.own_data[f];
    if (own.excludes()) continue;
    own.conditions = conditions_that_exclude(q, *h.runs, tolerance_factors[f]);
    // Condition by condition: the first may say that too few are found.
    for (std::size_t stages = 1; stages <= own.conditions; ++stages) {
      h.runs->run_on(points, stages, any);
      auto shown = shown_by(*h.runs, observed_in(q, *h.runs, stages));
      // Those that are asked with first.
      const auto first = shown.begin() + static_cast<std::ptrdiff_t>(pass.first);
      std::rotate(shown.begin(), first, first + static_cast<std::ptrdiff_t>(asked));
      own.search =
          inference::OwnSearch::of(inference::own_misses(shown, asked), tolerance_factors[f]);
      if (!own.search.may_find()) break;
    }
  }
}

}  // namespace horae::explain
