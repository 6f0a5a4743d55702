#include "sweep_points.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/dataplane/price/ledger.hpp"
#include "horae/results/children.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/progress.hpp"
#include "horae/results/summary_head.hpp"
#include "horae/workload/nic_fit.hpp"

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

namespace {

/// Message of a point that does not fit, in lines; the others go on.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// Result of `work`; {"refused": lines} if it does not fit.
template <class F>
ordered_json unless_refused(F&& work) {
  try {
    return work();
  } catch (const dataplane::DoesNotFit& e) {
    return {{"refused", lines_of(e.what() + std::string(" (see horae size)\n") +
                                 refusals_text(e.ledger.refused))}};
  } catch (const workload::NicDoesNotFit& e) {
    return {{"refused", lines_of(e.what())}};
  }
}

bool is_refused(const ordered_json& result) {
  return result.is_object() && result.contains("refused");
}

/// A point that does not fit has a summary as all others have, without results.
RunOutcome refused_outcome(const config::PlatformConfig& point, std::vector<std::string> why) {
  ordered_json config = point.effective;
  config.erase("sweep");
  std::string hash = config::hash_of(config);
  RunOutcome out;
  out.summary = results::summary_head({.platform = point.about.name,
                                       .config = std::move(config),
                                       .config_hash = std::move(hash),
                                       .seed = point.sim.seed,
                                       .verdict = name_of(results::Verdict::refused),
                                       .sim_time = Picoseconds(0),
                                       .wall_s = 0});
  out.summary["refused"] = why;
  out.summary["packets"] = {
      {"created", 0}, {"delivered", 0}, {"dropped", ordered_json::object()}, {"in_flight", 0}};
  out.summary["events"] = 0;
  out.summary["packet_hops"] = 0;
  out.summary["results"] = ordered_json::object();
  out.summary["rows"] = ordered_json::object();
  out.summary["validation"] = ordered_json::array();
  out.dump = std::move(why);
  out.exit_code = results::exit_does_not_fit;
  return out;
}

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
                       return unless_refused([&]() -> ordered_json {
                         const RunOutcome outcome = run_platform(point, false, &live);
                         return {{"summary", outcome.summary},  {"flows", outcome.flows_csv},
                                 {"links", outcome.links_csv},  {"series", outcome.series_csv},
                                 {"trace", outcome.trace_json}, {"dump", outcome.dump},
                                 {"notes", outcome.notes},      {"exit_code", outcome.exit_code}};
                       });
                     }});
  }
  std::vector<RunOutcome> outcomes;
  for (auto& result :
       results::in_children(tasks, jobs, [&](std::size_t done) { shared.show(progress, done); })) {
    if (is_refused(result)) {
      outcomes.push_back(refused_outcome(points[outcomes.size()], result["refused"]));
      continue;
    }
    outcomes.push_back({.summary = std::move(result["summary"]),
                        .flows_csv = result["flows"].get<std::string>(),
                        .links_csv = result["links"].get<std::string>(),
                        .series_csv = result["series"].get<std::string>(),
                        .trace_json = result["trace"].get<std::string>(),
                        .dump = result["dump"].get<std::vector<std::string>>(),
                        .notes = result["notes"].get<std::vector<std::string>>(),
                        .exit_code = result["exit_code"].get<int>()});
  }
  return outcomes;
}

void check_metrics(const std::vector<config::PlatformConfig>& points,
                   const config::SweepConfig& sweep, unsigned jobs) {
  std::vector<results::Task> tasks;
  for (std::size_t i = 0; i < points.size(); ++i) {
    tasks.push_back({title_of(sweep.points[i]), sweep.points[i].label.where,
                     [&point = points[i]]() -> ordered_json {
                       return unless_refused([&]() -> ordered_json { return result_units(point); });
                     }});
  }
  const auto results = results::in_children(tasks, jobs);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (is_refused(results[i])) continue;  // it has none
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
