// What would tell the survivors apart, as text.
#include <fmt/format.h>

#include <algorithm>

#include "text.hpp"

namespace horae::explain {
namespace {

std::string experiment_text(const Answer& answer, const ComparedExperiment& r) {
  std::string out = fmt::format("  {}: {}\n", r.experiment->id.value, r.experiment->title);
  std::vector<Row> rows(1);
  rows[0].push_back("predicted");
  for (const auto& q : r.experiment->quantities) rows[0].push_back(q);
  for (std::size_t i = 0; i < r.outcomes.size(); ++i) {
    Row row = {answer.survivor_name(i)};
    for (const auto& s : r.outcomes[i]) {
      row.push_back(s.there ? fmt::format("{} ({:.2g})", number_text(s.mean), s.spread)
                            : "nothing");
    }
    if (r.outcomes[i].empty()) row.push_back("not run: it has no reaction");
    rows.push_back(std::move(row));
  }
  out += aligned(rows, {false}, "    ");
  if (r.pairs.empty()) return out;
  const auto weakest =
      std::min_element(r.pairs.begin(), r.pairs.end(),
                       [](const auto& a, const auto& b) { return a.separation < b.separation; });
  return out +
         fmt::format("    {} of {} pairs separated by {:g} or more; least {:.1f} ({} and {})\n",
                     r.separated, r.pairs.size(), ComparedExperiment::clear, r.least,
                     answer.survivor_name(weakest->a), answer.survivor_name(weakest->b));
}

}  // namespace

std::string experiments_text(const Answer& answer) {
  if (answer.experiments.empty()) return "";
  const bool consistent = answer.hypotheses[answer.survivors.front()].best().consistent();
  std::string out =
      fmt::format("\nExperiments that would tell {} apart\n",
                  consistent ? "the consistent ones" : "the nearest ones (none is consistent)");
  out +=
      "  separation: difference of means over the pooled spread of seeds, at least half the last\n"
      "  digit published of the quantity; in brackets the spread\n";
  if (answer.survivors.size() < 2)
    out += "  one hypothesis: nothing to tell apart, only what it predicts\n";
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < std::min(shown, answer.experiments.size()); ++i)
    out += experiment_text(answer, answer.experiments[i]);
  for (std::size_t i = shown; i < answer.experiments.size(); ++i) {
    const auto& r = answer.experiments[i];
    out += fmt::format("  {}: least separation {:.1f}, {} of {} pairs\n", r.experiment->id.value,
                       r.least, r.separated, r.pairs.size());
  }
  return out;
}

}  // namespace horae::explain
