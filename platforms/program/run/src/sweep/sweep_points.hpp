// The points of a sweep, each in a child process.
#pragma once

#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/config/sweep_config.hpp"
#include "horae/run/run.hpp"

namespace horae::run {

/// "point 'x'", for messages.
std::string title_of(const config::SweepPoint& point);

/// Elaborates every point, and looks up every result that the sweep asks for: InputError for one
/// that a point does not have.
void check_metrics(const std::vector<config::PlatformConfig>& points,
                   const config::SweepConfig& sweep, unsigned jobs);

/// Runs them, `jobs` at a time.
std::vector<RunOutcome> run_points(const std::vector<config::PlatformConfig>& points,
                                   const config::SweepConfig& sweep, unsigned jobs,
                                   bool show_progress);

}  // namespace horae::run
