#include "horae/run/sweep.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>

#include "horae/config/effective.hpp"
#include "horae/config/sweep_config.hpp"
#include "horae/core/error.hpp"
#include "horae/flows/read_platform.hpp"
#include "horae/params/document.hpp"
#include "horae/results/children.hpp"
#include "horae/results/progress.hpp"
#include "horae/results/version.hpp"
#include "horae/run/measurement.hpp"

namespace horae::run {
namespace {

using nlohmann::ordered_json;

std::string title_of(const config::SweepPoint& point) {
  return fmt::format("point '{}'", point.label.value);
}

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

/// Elaborates every point, and looks up every result that the sweep asks for.
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

const config::SweepPoint* find_point(const config::SweepConfig& sweep, const std::string& label) {
  for (const auto& p : sweep.points) {
    if (p.label.value == label) return &p;
  }
  return nullptr;
}

}  // namespace

config::PlatformConfig read_point(const config::SweepPoint& point, const std::string& path,
                                  const std::vector<std::string>& overrides) {
  auto all = overrides;
  all.insert(all.end(), point.set.begin(), point.set.end());
  try {
    return flows::read_platform(Document::load(path, all));
  } catch (const InputError& e) {
    throw input_error(point.label.where, fmt::format("{}: {}", title_of(point), e.what()));
  }
}

SweepOutcome run_sweep(const config::PlatformConfig& platform, const std::string& path,
                       const std::vector<std::string>& overrides, unsigned jobs,
                       bool show_progress) {
  const config::SweepConfig& sweep = platform.sweep;
  std::vector<config::PlatformConfig> points;
  for (const auto& point : sweep.points) points.push_back(read_point(point, path, overrides));
  check_metrics(points, sweep, jobs);
  const results::Progress wall(false);
  auto outcomes = run_points(points, sweep, jobs, show_progress);

  SweepOutcome out;
  ordered_json rows = ordered_json::array();
  ordered_json packets = {
      {"created", 0}, {"delivered", 0}, {"dropped", ordered_json::object()}, {"in_flight", 0}};
  std::uint64_t events = 0, hops = 0;
  std::string verdict = "complete";
  std::int64_t sim_time = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ordered_json& s = outcomes[i].summary;
    ordered_json row = {{sweep.label_title, sweep.points[i].label.value}};
    // Null where a run was over before its measurement began.
    for (const auto& column : sweep.columns)
      row[column.title.value] = find_result(s["results"], column.metric);
    row["verdict"] = s["verdict"];
    rows.push_back(row);
    for (const char* key : {"created", "delivered", "in_flight"}) {
      packets[key] = packets[key].get<std::uint64_t>() + s["packets"][key].get<std::uint64_t>();
    }
    for (const auto& [cause, n] : s["packets"]["dropped"].items()) {
      auto& total = packets["dropped"][cause];
      total = (total.is_null() ? 0 : total.get<std::uint64_t>()) + n.get<std::uint64_t>();
    }
    events += s["events"].get<std::uint64_t>();
    hops += s["packet_hops"].get<std::uint64_t>();
    sim_time += s["sim_time_ps"].get<std::int64_t>();
    if (s["verdict"] != "complete" && verdict != "stuck") verdict = s["verdict"].get<std::string>();
    out.exit_code = std::max(out.exit_code, outcomes[i].exit_code);
  }
  ordered_json validation = ordered_json::array();
  for (const auto& p : sweep.published) {
    const config::SweepPoint* point = find_point(sweep, p.point);
    const auto i = static_cast<std::size_t>(point == nullptr ? 0 : point - sweep.points.data());
    const ordered_json measured = find_result(outcomes[i].summary["results"], p.metric);
    validation.push_back({{"id", p.id.value},
                          {"published", p.value},
                          {"measured", measured},
                          {"unit", p.unit},
                          {"kind", "predicted"},
                          {"point", p.point.value},
                          {"metric", p.metric.value},
                          {"source", p.source}});
  }
  out.summary = {{"schema", 1},
                 {"platform", platform.about.name},
                 {"config", platform.effective},
                 {"config_hash", config::hash_of(platform.effective)},
                 {"seed", platform.sim.seed},
                 {"version", results::version()},
                 {"verdict", verdict},
                 {"sim_time_ps", sim_time},
                 {"wall_s", wall.elapsed_seconds()},
                 {"packets", packets},
                 {"events", events},
                 {"packet_hops", hops},
                 {"results", ordered_json::object()},
                 {"rows", {{"sweep", rows}}},
                 {"validation", validation}};
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    out.points.emplace_back(sweep.points[i].label, std::move(outcomes[i]));
  return out;
}

std::string table_text(const config::PlatformConfig& platform, const ordered_json& summary) {
  const config::SweepConfig& sweep = platform.sweep;
  // Published values stand in a column of their own, right of the metric they belong to.
  std::vector<std::vector<std::string>> grid(1);
  grid[0].push_back(sweep.label_title);
  std::map<std::string, bool> has_published;
  for (const auto& p : sweep.published) has_published[p.metric.value] = true;
  for (const auto& column : sweep.columns) {
    grid[0].push_back(column.title);
    if (has_published[column.metric.value]) grid[0].push_back("published");
  }
  const ordered_json& rows = summary["rows"]["sweep"];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> line = {sweep.points[i].label};
    for (const auto& column : sweep.columns) {
      const ordered_json& value = rows[i][column.title.value];
      line.push_back(value.is_null() ? "-"
                                     : fmt::format("{:.{}f}", value.get<double>(), column.digits));
      if (!has_published[column.metric.value]) continue;
      std::string published = "-";
      for (const auto& p : sweep.published) {
        if (p.point.value == sweep.points[i].label.value && p.metric.value == column.metric.value) {
          published = fmt::format("{:.{}f}", p.value, column.digits);
        }
      }
      line.push_back(published);
    }
    if (rows[i]["verdict"] != "complete")
      line.back() += fmt::format("  ({})", rows[i]["verdict"].get<std::string>());
    grid.push_back(std::move(line));
  }
  std::vector<std::size_t> width(grid[0].size());
  for (const auto& line : grid) {
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], line[c].size());
  }
  std::string text = sweep.title.empty() ? "" : sweep.title + "\n\n";
  for (std::size_t r = 0; r < grid.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < grid[r].size(); ++c) {
      line += fmt::format("{}{:>{}}", c == 0 ? "" : "  ", grid[r][c], width[c]);
    }
    text += line + "\n";
    if (r == 0) text += std::string(line.size(), '-') + "\n";
  }
  return text;
}

}  // namespace horae::run
