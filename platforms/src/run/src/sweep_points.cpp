#include "sweep_points.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "horae/core/error.hpp"
#include "horae/results/children.hpp"
#include "horae/results/progress.hpp"

namespace horae::run {
namespace {

using nlohmann::ordered_json;

/// How far the runs of a sweep are, in memory shared with the children.
class SharedProgress {
 public:
  explicit SharedProgress(const std::vector<config::PlatformConfig>& points)
      : runs_(points.size()) {
    for (const auto& point : points) to_simulate_ += point.sim.duration;
    void* memory =
        ::mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw ModelError("no memory to share with child processes");
    live_ = static_cast<LiveProgress*>(memory);
    for (std::size_t i = 0; i < runs_; ++i) new (live_ + i) LiveProgress;
  }
  ~SharedProgress() { ::munmap(live_, bytes()); }
  SharedProgress(const SharedProgress&) = delete;
  SharedProgress& operator=(const SharedProgress&) = delete;

  LiveProgress& of(std::size_t run) { return live_[run]; }

  void show(results::Progress& progress, std::size_t done) const {
    if (!progress.due()) return;
    Picoseconds simulated{};
    std::uint64_t delivered = 0;
    for (std::size_t i = 0; i < runs_; ++i) {
      simulated += Picoseconds(live_[i].sim_time_ps);
      delivered += live_[i].delivered;
    }
    progress.update(
        static_cast<double>(simulated.count()) / static_cast<double>(to_simulate_.count()),
        fmt::format("{} of {} runs done  {:.3f} of {:.3f} us simulated  {:.0f} packets/s", done,
                    runs_, to_microseconds(simulated), to_microseconds(to_simulate_),
                    static_cast<double>(delivered) / progress.elapsed_seconds()));
  }

 private:
  std::size_t bytes() const { return std::max<std::size_t>(1, runs_) * sizeof(LiveProgress); }

  std::size_t runs_;
  Picoseconds to_simulate_{};
  LiveProgress* live_ = nullptr;
};

}  // namespace

std::string title_of(const config::SweepPoint& point) {
  return fmt::format("point '{}'", point.label.value);
}

std::vector<RunOutcome> run_points(const std::vector<config::PlatformConfig>& points,
                                   const config::SweepConfig& sweep, unsigned jobs,
                                   bool show_progress) {
  results::Progress progress(show_progress);
  SharedProgress shared(points);
  std::vector<results::Task> tasks;
  for (std::size_t i = 0; i < points.size(); ++i) {
    tasks.push_back({title_of(sweep.points[i]), sweep.points[i].label.where,
                     [&point = points[i], &live = shared.of(i)]() -> ordered_json {
                       const RunOutcome outcome = run_platform(point, false, &live);
                       return {{"summary", outcome.summary},   {"flows", outcome.flows_csv},
                               {"series", outcome.series_csv}, {"trace", outcome.trace_json},
                               {"dump", outcome.dump},         {"exit_code", outcome.exit_code}};
                     }});
  }
  std::vector<RunOutcome> outcomes;
  for (auto& result :
       results::in_children(tasks, jobs, [&](std::size_t done) { shared.show(progress, done); })) {
    outcomes.push_back({.summary = std::move(result["summary"]),
                        .flows_csv = result["flows"].get<std::string>(),
                        .series_csv = result["series"].get<std::string>(),
                        .trace_json = result["trace"].get<std::string>(),
                        .dump = result["dump"].get<std::vector<std::string>>(),
                        .exit_code = result["exit_code"].get<int>()});
  }
  return outcomes;
}

void check_metrics(const std::vector<config::PlatformConfig>& points,
                   const config::SweepConfig& sweep, unsigned jobs) {
  std::vector<results::Task> tasks;
  for (std::size_t i = 0; i < points.size(); ++i) {
    tasks.push_back({title_of(sweep.points[i]), sweep.points[i].label.where,
                     [&point = points[i]]() -> ordered_json { return result_units(point); }});
  }
  const auto results = results::in_children(tasks, jobs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::vector<std::string> names;
    for (const auto& result : results[i]) names.push_back(result[0].get<std::string>());
    const auto check = [&](const Located<std::string>& metric) {
      if (std::find(names.begin(), names.end(), metric.value) != names.end()) return;
      throw input_error(metric.where,
                        fmt::format("point '{}' has no result '{}'{}", sweep.points[i].label.value,
                                    metric.value, suggestion(metric.value, names)));
    };
    for (const auto& column : sweep.columns) check(column.metric);
    for (const auto& p : sweep.published) {
      if (p.point.value == sweep.points[i].label.value) check(p.metric);
    }
  }
}

}  // namespace horae::run
