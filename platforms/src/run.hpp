// One run of a platform: from the first window to the balanced books.
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "platform_config.hpp"

namespace horae::platforms {

/// Exit codes of the program.
enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,  ///< a check or comparison failed, or a model broke a rule
  exit_bad_input = 2,
  exit_does_not_fit = 3,
  exit_stuck = 4,
};

struct RunOutcome {
  nlohmann::ordered_json summary;  ///< what summary.json holds
  std::string flows_csv;
  std::string series_csv;         ///< empty when no samples were asked for
  std::string trace_json;         ///< empty unless asked for
  std::vector<std::string> dump;  ///< every queue of a stuck run
  int exit_code = exit_done;
};

class Views;

/// How far a run is, for whoever watches it from another process.
struct LiveProgress {
  std::atomic<std::int64_t> sim_time_ps{0};
  std::atomic<std::uint64_t> delivered{0};  ///< packets
};

/// Elaborates and runs `platform` in this process (once per process). `show_progress`: on a
/// terminal; `live` is told as well, and `views` watches. ModelError when the packet balance does
/// not close.
RunOutcome run_platform(const PlatformConfig& platform, bool show_progress,
                        LiveProgress* live = nullptr, Views* views = nullptr);

/// Elaborates `platform` in this process without running it: the names of the results it will have,
/// each with its unit.
std::vector<std::pair<std::string, std::string>> result_units(const PlatformConfig& platform);

}  // namespace horae::platforms
