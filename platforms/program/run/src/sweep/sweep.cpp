#include "horae/run/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "horae/config/effective.hpp"
#include "horae/core/error.hpp"
#include "horae/core/units.hpp"
#include "horae/params/document.hpp"
#include "horae/results/progress.hpp"
#include "horae/results/summary_head.hpp"
#include "horae/workload/read_platform.hpp"
#include "sweep_points.hpp"

namespace horae::run {
namespace {

using nlohmann::ordered_json;

/// The value of a result, or null if there is none of that name.
ordered_json find_result(const ordered_json& results, const std::string& name) {
  const auto it = results.find(name);
  return it == results.end() ? ordered_json() : it->at("value");
}

const config::SweepPoint* find_point(const config::SweepConfig& sweep, const std::string& label) {
  for (const auto& p : sweep.points) {
    if (p.label.value == label) return &p;
  }
  return nullptr;
}

/// Counts of all points, and the worst verdict.
struct Totals {
  explicit Totals(const std::vector<RunOutcome>& outcomes) {
    for (const auto& outcome : outcomes) add(outcome);
  }

  ordered_json packets = {
      {"created", 0}, {"delivered", 0}, {"dropped", ordered_json::object()}, {"in_flight", 0}};
  std::uint64_t events = 0, hops = 0;
  std::string verdict = "complete";
  Picoseconds sim_time{};
  int exit_code = results::exit_done;

 private:
  void add(const RunOutcome& outcome) {
    const ordered_json& s = outcome.summary;
    for (const char* key : {"created", "delivered", "in_flight"}) {
      packets[key] = packets[key].get<std::uint64_t>() + s["packets"][key].get<std::uint64_t>();
    }
    for (const auto& [cause, n] : s["packets"]["dropped"].items()) {
      auto& total = packets["dropped"][cause];
      total = (total.is_null() ? 0 : total.get<std::uint64_t>()) + n.get<std::uint64_t>();
    }
    events += s["events"].get<std::uint64_t>();
    hops += s["packet_hops"].get<std::uint64_t>();
    sim_time += Picoseconds(s["sim_time_ps"].get<std::int64_t>());
    const auto rank = [](std::string_view v) {
      constexpr std::array<std::string_view, 4> worse = {"complete", "timeout", "refused", "stuck"};
      return std::find(worse.begin(), worse.end(), v) - worse.begin();
    };
    const std::string ended = s["verdict"].get<std::string>();
    if (rank(ended) > rank(verdict)) verdict = ended;
    exit_code = std::max(exit_code, outcome.exit_code);
  }
};

/// A row per point, with the columns that the sweep asks for.
ordered_json sweep_rows(const config::SweepConfig& sweep, const std::vector<RunOutcome>& outcomes) {
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ordered_json& s = outcomes[i].summary;
    ordered_json row = {{sweep.label_title, sweep.points[i].label.value}};
    // Null where a run was over before its measurement began.
    for (const auto& column : sweep.columns)
      row[column.title.value] = find_result(s["results"], column.metric);
    row["verdict"] = s["verdict"];
    rows.push_back(row);
  }
  return rows;
}

/// Published numbers beside the measured ones.
ordered_json validation_of(const config::SweepConfig& sweep,
                           const std::vector<RunOutcome>& outcomes) {
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
  return validation;
}

}  // namespace

const config::SweepPoint& find_point(const config::PlatformConfig& platform,
                                     const std::string& label) {
  std::vector<std::string> labels;
  for (const auto& point : platform.sweep.points) {
    if (point.label.value == label) return point;
    labels.push_back(point.label);
  }
  if (labels.empty()) throw InputError(fmt::format("--point {}: the platform has no sweep", label));
  throw InputError(
      fmt::format("--point {}: no such sweep point{}", label, suggestion(label, labels)));
}

config::PlatformConfig read_point(const config::SweepPoint& point, const std::string& path,
                                  const std::vector<std::string>& overrides) {
  auto all = overrides;
  all.insert(all.end(), point.set.begin(), point.set.end());
  try {
    return workload::read_platform(Document::load(path, all));
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

  const Totals totals(outcomes);
  SweepOutcome out;
  out.exit_code = totals.exit_code;
  out.summary = results::summary_head({.platform = platform.about.name,
                                       .config = platform.effective,
                                       .config_hash = config::hash_of(platform.effective),
                                       .seed = platform.sim.seed,
                                       .verdict = totals.verdict,
                                       .sim_time = totals.sim_time,
                                       .wall_s = wall.elapsed_seconds()});
  out.summary["packets"] = totals.packets;
  out.summary["events"] = totals.events;
  out.summary["packet_hops"] = totals.hops;
  out.summary["results"] = ordered_json::object();
  out.summary["rows"] = {{"sweep", sweep_rows(sweep, outcomes)}};
  out.summary["validation"] = validation_of(sweep, outcomes);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    out.points.emplace_back(sweep.points[i].label, std::move(outcomes[i]));
  return out;
}

}  // namespace horae::run
