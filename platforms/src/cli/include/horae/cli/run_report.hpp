// One run for people: the summary printed, the result folder's files, what waits when it is stuck.
#pragma once

#include <filesystem>
#include <string>

#include "horae/config/platform.hpp"
#include "horae/results/result_folder.hpp"
#include "horae/run/run.hpp"

namespace horae::cli {

/// summary.json, flows.csv and, where there are any, series.csv and trace.json, in `sub` of the
/// folder.
void write_run(results::ResultFolder& folder, const std::filesystem::path& sub,
               const run::RunOutcome& outcome);

/// Verdict, results (all of them, or as result_lines() chooses), the packets' books and the
/// assumptions, to standard output.
void print_summary(const config::PlatformConfig& platform, const run::RunOutcome& outcome,
                   bool all);

/// How its network and its traffic were taken, where there is something to say of it, to standard
/// output.
void print_notes(const config::PlatformConfig& platform);

/// The line of plain_devices() to standard output, if there is one.
void print_plain_devices(const config::PlatformConfig& platform);

/// The platform's `assumptions` to standard output; nothing where it has none.
void print_assumptions(const config::PlatformConfig& platform);

/// Of a run that is stuck: what waits; of one that does not fit: what; to standard error, with the
/// run's label unless it is empty.
void print_dump(const std::string& label, const run::RunOutcome& outcome);

}  // namespace horae::cli
