#include "horae/lab/laboratory.hpp"

#include <fmt/format.h>

#include "watch_line.hpp"

namespace horae::lab {

std::function<void(std::size_t, std::size_t)> watch_line(results::Progress& progress,
                                                         const std::string& title) {
  return [&progress, title](std::size_t done, std::size_t of) {
    if (!progress.due() || of == 0) return;
    progress.update(static_cast<double>(done) / static_cast<double>(of),
                    fmt::format("{}: {} of {}", title, done, of));
  };
}

const FitBudget& FitBudget::of(const question::ExplainRequest& request) {
  static constexpr FitBudget full = {20, 4, 10, 3, 4}, quick = {6, 2, 10, 0, 0};
  return request.quick ? quick : full;
}

namespace {

/// All that inference looks at, under any reading.
std::set<std::string> metrics_of(const question::Question& q) {
  std::vector<question::Readings> readings = {q.request.readings};
  for (const auto& [name, other] : question::flipped(q.request.readings)) readings.push_back(other);
  std::set<std::string> out;
  const auto add = [&](const std::string& quantity) {
    for (const auto& r : readings) out.insert(question::metric_of(quantity, r));
  };
  for (const auto& o : q.observations.observations) add(o.quantity);
  for (const auto& x : q.hypotheses.experiments) {
    for (const auto& quantity : x.quantities) add(quantity);
  }
  return out;
}

}  // namespace

Laboratory::Laboratory(const question::Question& question)
    : question_(question), runs_(question.platform) {
  if (question.request.store) runs_.keep_in(RunFolder(*question.request.store));
  if (question.request.infer) runs_.remember_only(metrics_of(question));
}

void Laboratory::run_stage(const std::vector<Candidate*>& candidates, const Stage& stage) {
  fit(candidates, stage);
  run_seeds(candidates, stage);
}

std::vector<RunRequest> Laboratory::over_seeds(const std::vector<std::string>& set,
                                               const std::string& title,
                                               const Location& where) const {
  std::vector<RunRequest> out;
  for (unsigned i = 0; i < question_.request.seeds; ++i)
    out.push_back({{set, question_.seed + i}, title, where});
  return out;
}

void Laboratory::run_all(const std::vector<RunRequest>& requests, const std::string& title) {
  results::Progress progress(question_.request.show_progress);
  runs_.run_all(requests, question_.request.jobs, watch_line(progress, title));
}

SeedSample Laboratory::sample(const std::vector<std::string>& set, const std::string& metric,
                              const std::string& title, const Location& where) {
  std::vector<double> values;
  for (const auto& request : over_seeds(set, title, where))
    values.push_back(runs_.run(request).value(metric));
  return SeedSample::of(std::move(values));
}

}  // namespace horae::lab
