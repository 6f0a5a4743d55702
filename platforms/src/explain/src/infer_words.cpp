// Verdicts and points of inference in words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "horae/explain/infer.hpp"
#include "infer_parts.hpp"

namespace horae::explain {

std::string closest_text(const question::Question& q, const Inferred& h) {
  const lab::JointPoint& point = h.runs->point(h.closest);
  const lab::JointOutcome& outcome = h.runs->outcomes()[h.closest];
  std::vector<std::string> values;
  const auto& dimensions = h.space->dimensions();
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    if (!point.matters[d] || dimensions[d].unknown == lab::Unknown::seed) continue;
    values.push_back(fmt::format("{} = {}", dimensions[d].name, point.values[d]));
  }
  for (const auto& text : question::reading_texts(h.space->readings()[outcome.reading]))
    values.push_back(text);
  const lab::ReadOutcome& best = outcome.best();
  const auto& o = q.observations.observations[best.worst];
  const double ours = best.ours[best.worst];
  return fmt::format("{}, ours {}; closest at {}", o.id.value,
                     std::isfinite(ours) ? fmt::format("{:.4g}", ours) : "none",
                     fmt::join(values, ", "));
}

std::string miss_text(const Inferred& h, const std::string& what) {
  const std::size_t n = h.runs->outcomes().size();
  return h.standing() == Standing::excluded
             ? fmt::format("excluded: no point of {} closer than {:.2f} tolerances ({})", n,
                           h.closest_miss(), what)
             : fmt::format("not found in {} points, closest {:.2f} tolerances ({})", n,
                           h.closest_miss(), what);
}

namespace {

/// Whether the search finds what the hypothesis itself made, where that decides.
std::string own_data_text(const Inferred& h) {
  const OwnData& own = h.own_data[as_declared];
  if (own.conditions == 0) return "";
  if (own.search.asked < inference::OwnSearch::least_asked) {
    return fmt::format("; {} first points are too few to exclude it, expected {}", own.search.asked,
                       inference::OwnSearch::least_asked);
  }
  std::vector<std::string> conditions;
  for (std::size_t s = 0; s < own.conditions; ++s)
    conditions.push_back(h.runs->stages()[s]->id.value);
  const std::string of = fmt::format("; of {} data of its own in {} the search", own.search.asked,
                                     fmt::join(conditions, ", "));
  if (own.search.finds()) return fmt::format("{} finds {}", of, own.search.at_least);
  return own.search.may_find()
             ? fmt::format("{} is known to find {}, too few to exclude it", of, own.search.at_least)
             : fmt::format("{} finds {} at most, too few to exclude it", of, own.search.at_most);
}

}  // namespace

std::string verdict_text(const question::Question& q, const Inferred& h) {
  switch (h.standing()) {
    case Standing::consistent:
      return "consistent";
    case Standing::impossible:
      return "impossible: " + h.impossible[as_declared];
    case Standing::not_found:
    case Standing::excluded:
      break;
  }
  return miss_text(h, closest_text(q, h)) + own_data_text(h);
}

}  // namespace horae::explain
