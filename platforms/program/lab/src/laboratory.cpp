#include "horae/lab/laboratory.hpp"

#include <fmt/format.h>

#include <set>

#include "horae/results/progress.hpp"

namespace horae::lab {
namespace {

/// Every quantity that the question looks at, under any reading.
std::set<std::string> metrics_of(const question::Question& q) {
  std::vector<question::Readings> readings = {question::both_ways().begin(),
                                              question::both_ways().end()};
  std::set<std::string> out;
  const auto add = [&](const std::string& quantity) {
    for (const auto& r : readings) out.insert(question::metric_of(quantity, r));
  };
  for (const auto& o : q.observations.observations) add(o.quantity);
  for (const auto& x : q.hypotheses.experiments) {
    for (const auto& quantity : x.quantities) add(quantity);
  }
  for (const auto& c : q.hypotheses.curves) {
    for (const auto& quantity : c.quantities) add(quantity);
  }
  return out;
}

}  // namespace

Laboratory::Laboratory(const question::Question& question)
    : question_(question), runs_(question.platform) {
  if (question.request.store) runs_.keep_in(RunFolder(*question.request.store));
  runs_.remember_only([metrics = metrics_of(question)](const std::string& name) {
    return name.starts_with(idle_prefix) || metrics.contains(name);
  });
}

void Laboratory::run_all(const std::vector<RunRequest>& requests, const std::string& title) {
  results::Progress progress(question_.request.show_progress);
  runs_.run_all(requests, question_.request.jobs, [&](std::size_t done, std::size_t of) {
    if (!progress.due()) return;
    progress.update(static_cast<double>(done) / static_cast<double>(of),
                    fmt::format("{}: {} of {}", title, done, of));
  });
}

}  // namespace horae::lab
