// Several runs of one platform, each in its own process.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/config/sweep_config.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/run/run.hpp"

namespace horae::run {

struct SweepOutcome {
  nlohmann::ordered_json summary;
  std::vector<std::pair<std::string, RunOutcome>> points;  ///< by label, in the platform's order
  int exit_code = results::exit_done;
};

/// The point of that label. InputError with the nearest one.
const config::SweepPoint& find_point(const config::PlatformConfig& platform,
                                     const std::string& label);

/// A point of the sweep of the file `path`: `overrides` are the command line's, its own come after
/// them. InputError naming the point.
config::PlatformConfig read_point(const config::SweepPoint& point, const std::string& path,
                                  const std::vector<std::string>& overrides);

/// Runs every point of the platform's sweep, `jobs` at a time (SystemC elaborates once per process,
/// so each is a child of this one). All points are read and elaborated, and the names of all
/// results looked up, before the first one runs, so bad input stops everything (InputError).
SweepOutcome run_sweep(const config::PlatformConfig& platform, const std::string& path,
                       const std::vector<std::string>& overrides, unsigned jobs,
                       bool show_progress);

/// The sweep's table as text: measured values, and the published one beside those that have one.
std::string table_text(const config::PlatformConfig& platform,
                       const nlohmann::ordered_json& summary);

}  // namespace horae::run
