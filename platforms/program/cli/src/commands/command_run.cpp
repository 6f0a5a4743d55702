// horae run.
#include <fmt/format.h>

#include <memory>
#include <set>

#include "horae/cli/command.hpp"
#include "horae/cli/commit_report.hpp"
#include "horae/cli/ranks_guard.hpp"
#include "horae/cli/run_report.hpp"
#include "horae/config/effective.hpp"
#include "horae/config/sweep_config.hpp"
#include "horae/core/error.hpp"
#include "horae/params/document.hpp"
#include "horae/ranks/partition.hpp"
#include "horae/ranks/world.hpp"
#include "horae/results/result_folder.hpp"
#include "horae/run/run.hpp"
#include "horae/run/sweep.hpp"
#include "horae/views/views.hpp"
#include "horae/workload/read_platform.hpp"
#include "horae/workload/timeouts.hpp"

namespace horae::cli {

namespace {

struct RunOptions {
  std::string platform;
  std::vector<std::string> overrides;
  std::optional<std::string> out;
  std::optional<std::string> point;
  unsigned jobs = 0;
  unsigned ranks = 0;  ///< 0: as many as there are processes
  fabric::threading threads;
  bool json = false;
  bool all = false;
  bool no_progress = false;
  views::ViewOptions views;
};

/// Prints what held back the senders of each point, as a single run does.
void print_held(const run::SweepOutcome& outcome) {
  std::string lines;
  for (const auto& [label, point] : outcome.points) {
    for (const auto& note : point.notes) lines += fmt::format("{}: {}\n", label, note);
  }
  if (!lines.empty()) fmt::print("\n{}", lines);
}

void print_sweep(const config::PlatformConfig& platform, const run::SweepOutcome& outcome) {
  fmt::print("{}", run::table_text(platform, outcome.summary));
  if (!outcome.summary["validation"].empty()) {
    fmt::print("\nPublished beside measured (nothing is calibrated here):\n");
    for (const auto& v : outcome.summary["validation"]) {
      fmt::print(
          "  {:<20} published {:<8} measured {:<10} {}  [{}]\n", v["id"].get<std::string>(),
          fmt::format("{:g}", v["published"].get<double>()),
          v["measured"].is_null() ? "nothing" : fmt::format("{:.4g}", v["measured"].get<double>()),
          v["unit"].get<std::string>(), v["source"].get<std::string>());
    }
  }
  print_held(outcome);
  print_notes(platform);
  print_plain_devices(platform);
  print_assumptions(platform);
}

/// Results are in place before anything is printed, or nothing is; of several ranks, by the first.
int run_one(const RunOptions& o, const config::PlatformConfig& platform,
            std::optional<results::ResultFolder>& folder, fabric::rank_exchange* ranks) {
  views::Views views(o.views, platform);
  const run::RunOutcome outcome =
      ranks != nullptr ? run::run_platform(platform, !o.no_progress, *ranks, o.threads)
                       : run::run_platform(platform, !o.no_progress, nullptr, &views, o.threads);
  if (ranks != nullptr && ranks->rank() != 0) return results::exit_done;
  if (folder) {
    run::write_run(*folder, "", outcome);
    views.write(*folder);
    commit(*folder);
  }
  for (const auto& note : views.notes()) fmt::print(stderr, "horae: {}\n", note);
  if (o.json) {
    fmt::print("{}\n", outcome.summary.dump(1));
  } else {
    print_summary(platform, outcome, o.all);
    if (const std::string text = views.text(); !text.empty()) fmt::print("\n{}", text);
  }
  print_dump("", outcome);
  return outcome.exit_code;
}

int run_all_points(const RunOptions& o, const config::PlatformConfig& platform,
                   std::optional<results::ResultFolder>& folder) {
  const run::SweepOutcome outcome =
      run::run_sweep(platform, o.platform, o.overrides, jobs_of(o.jobs), !o.no_progress);
  if (folder) {
    folder->write("summary.json", outcome.summary.dump(1) + "\n");
    for (const auto& [label, point] : outcome.points)
      run::write_run(*folder, std::filesystem::path("points") / config::folder_name(label), point);
    commit(*folder);
  }
  if (o.json) {
    fmt::print("{}\n", outcome.summary.dump(1));
  } else {
    print_sweep(platform, outcome);
  }
  for (const auto& [label, point] : outcome.points) print_dump(label, point);
  return outcome.exit_code;
}

void check_views(const RunOptions& o, bool sweep) {
  if (!o.views.any()) {
    if (const char* option = o.views.narrowing())
      throw InputError(fmt::format("{}: expected a view beside it, such as --trace", option));
    return;
  }
  if (const char* option = o.views.choosing(); option && !o.views.any_of_packets()) {
    throw InputError(fmt::format(
        "{}: expected --trace or --pcap beside it; waveforms have all packets", option));
  }
  if (sweep) throw InputError("--trace and other views are of one run: choose it by --point");
  if (!o.out) throw InputError("--trace and other views need --out, the folder for their files");
}

/// Refuses options that several ranks do not support.
void check_ranks(const RunOptions& o, bool sweep) {
  if (sweep) {
    throw InputError(
        "several ranks are one run: choose a point of the sweep by --point, or run its points at "
        "the same time by --jobs or scripts/explore");
  }
  if (o.views.any()) throw InputError("--trace and other views are of a run of one rank");
}

/// The same of several threads.
void check_threads(const RunOptions& o, bool sweep) {
  if (sweep) {
    throw InputError(
        "--threads is of one run: choose a point of the sweep by --point, or run its points at the "
        "same time by --jobs");
  }
  if (o.views.any())
    throw InputError("--threads: --trace and other views are of a run of one thread");
}

/// Before time starts; each line once.
void warn(const RunOptions& o, const Document& document, const config::PlatformConfig& platform,
          bool sweep) {
  std::vector<std::string> lines = workload::short_timeouts(platform, document.root());
  const auto& points = platform.sweep.points;
  for (std::size_t i = 0; sweep && i < points.size(); ++i) {
    const auto of_point = workload::short_timeouts(
        run::read_point(points[i], o.platform, o.overrides), document.root());
    lines.insert(lines.end(), of_point.begin(), of_point.end());
  }
  std::set<std::string> said;
  for (const auto& line : lines) {
    if (said.insert(line).second) fmt::print(stderr, "horae: warning: {}\n", line);
  }
}

int run(const RunOptions& o, fabric::rank_exchange* ranks) {
  const Document document = Document::load(o.platform, o.overrides);
  const config::PlatformConfig platform = workload::read_platform(document);
  const auto point = [&] {
    return run::read_point(run::find_point(platform, *o.point), o.platform, o.overrides);
  };
  const bool sweep = !o.point && !platform.sweep.points.empty();
  check_views(o, sweep);
  if (ranks != nullptr) check_ranks(o, sweep);
  if (o.threads.count > 1) check_threads(o, sweep);
  const config::PlatformConfig effective = o.point ? point() : platform;
  if (ranks == nullptr || ranks->rank() == 0) warn(o, document, effective, sweep);
  std::optional<results::ResultFolder> folder;
  if (o.out && (ranks == nullptr || ranks->rank() == 0)) folder.emplace(*o.out);
  constexpr std::size_t long_to_build = 300'000;
  if (!o.no_progress && effective.links.size() > long_to_build) {
    fmt::print(stderr, "horae: a network of {} devices and {} links takes a while to build\n",
               effective.devices.size(), effective.links.size());
  }
  const int exit_code =
      sweep ? run_all_points(o, effective, folder) : run_one(o, effective, folder, ranks);
  if (folder && !o.json) fmt::print("\n{}\n", commit_report(*o.out));
  return exit_code;
}

/// Alone, as one of the processes that mpirun or srun started, or as mpirun.
int start(const RunOptions& o) {
  const unsigned launched = ranks::launched();
  if (o.ranks > 1 && launched == 1) {
    // Before other processes are started: what they would refuse.
    const auto platform = workload::read_platform(Document::load(o.platform, o.overrides));
    const bool sweep = !o.point && !platform.sweep.points.empty();
    check_views(o, sweep);
    check_ranks(o, sweep);
    ranks::check_ranks(platform, o.ranks);
    return ranks::launch(o.ranks);
  }
  if (o.ranks != 0 && o.ranks != launched) {
    throw InputError(
        fmt::format("--ranks {}: mpirun or srun started {} processes; leave out "
                    "--ranks",
                    o.ranks, launched));
  }
  const auto ranks = ranks::join();
  if (!ranks) return run(o, nullptr);
  return run_guarded(*ranks, [&] { return run(o, ranks.get()); });
}

}  // namespace

Command add_run(CLI::App& app) {
  const auto o = std::make_shared<RunOptions>();
  CLI::App* command = add_command(
      app, "run", "Simulate a platform and print its results; --out also writes them to a folder.",
      "Example: horae run platforms/cx7_spray.toml --set nic.mtu=4KiB --out out/mtu4096");
  add_platform_file(*command, o->platform)->required();
  add_overrides(*command, o->overrides);
  add_out(*command, o->out);
  command->add_option("--point", o->point, "run one point of the platform's sweep")
      ->type_name("LABEL");
  add_jobs(*command, o->jobs, "runs of a sweep at the same time; 0: one per core");
  command
      ->add_option("--ranks", o->ranks,
                   "processes that share one run, each with some of the devices (MPI); results do "
                   "not depend on it")
      ->check(whole_number(4096, 1))
      ->type_name("N");
  command
      ->add_option(
          "--threads", o->threads.count,
          "threads that run the devices of one run, in each rank; results do not depend on "
          "it")
      ->check(whole_number(256, 1))
      ->type_name("N");
  command
      ->add_option(
          "--threads-from", o->threads.from,
          "with --threads: a window that follows one with fewer events is run by one thread; "
          "256 by default")
      ->check(whole_number(1'000'000'000, 0))
      ->type_name("EVENTS");
  command->add_flag("--all", o->all,
                    "print all results, also those that are zero, not measured or said twice");
  add_json(*command, o->json, "print the summary as JSON");
  add_no_progress(*command, o->no_progress);
  add_views(*command, o->views);
  return {command, [o] { return start(*o); }};
}

}  // namespace horae::cli
