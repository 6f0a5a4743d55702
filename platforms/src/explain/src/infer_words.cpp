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
  return fmt::format("{}: no point of {} closer than {:.2f} tolerances ({})", name_of(h.standing()),
                     h.runs->outcomes().size(), h.closest_miss(), what);
}

std::string verdict_text(const question::Question& q, const Inferred& h) {
  switch (h.standing()) {
    case Standing::consistent:
      return "consistent";
    case Standing::impossible:
      return "impossible: " + h.impossible[as_declared];
    case Standing::open:
    case Standing::excluded:
      break;
  }
  return miss_text(h, closest_text(q, h));
}

}  // namespace horae::explain
