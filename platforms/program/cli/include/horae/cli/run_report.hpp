// One run for people: the summary printed, the result folder's files, what waits when it is stuck.
#pragma once

#include <string>

#include "horae/config/platform.hpp"
#include "horae/run/run.hpp"

namespace horae::cli {

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

/// Prints what waits in a stuck run, or what does not fit, to standard error, with the
/// run's label unless it is empty.
void print_dump(const std::string& label, const run::RunOutcome& outcome);

}  // namespace horae::cli
