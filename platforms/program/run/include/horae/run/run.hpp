// One run of a platform: from the first window to the balanced books.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/fabric/rank_exchange.hpp"
#include "horae/results/exit_code.hpp"
#include "horae/results/result_folder.hpp"

namespace horae::views {
class Views;
}

namespace horae::run {

struct RunOutcome {
  nlohmann::ordered_json summary;  ///< what summary.json holds
  std::string flows_csv;
  std::string links_csv;
  std::string series_csv;         ///< empty when no samples were asked for
  std::string trace_json;         ///< empty unless asked for
  std::vector<std::string> dump;  ///< every queue of a stuck run; what does not fit
  /// For people, a line each: what kept senders from sending for more than a fifth of the measured
  /// time; why it ended with packets in flight.
  std::vector<std::string> notes;
  int exit_code = results::exit_done;
};

/// How far a run is, for whoever watches it from another process.
struct LiveProgress {
  std::atomic<std::int64_t> sim_time_ps{0};
  std::atomic<std::uint64_t> delivered{0};  ///< packets
};

/// Elaborates and runs `platform` in this process (once per process). `show_progress`: on a
/// terminal; `live` is told as well, and `views` watches. Devices are run by
/// `threads`, which change no byte of the outcome. ModelError when the packet balance does not
/// close.
RunOutcome run_platform(const config::PlatformConfig& platform, bool show_progress,
                        LiveProgress* live = nullptr, views::Views* views = nullptr,
                        const fabric::threading& threads = {});

/// The same by several processes, all of which call it: each runs some of the devices. Rank 0 has
/// the outcome, the same to the byte as that of one process; that of others is empty.
RunOutcome run_platform(const config::PlatformConfig& platform, bool show_progress,
                        fabric::rank_exchange& ranks, const fabric::threading& threads = {});

/// summary.json, flows.csv and, where there are any, series.csv and trace.json, in `sub` of the
/// folder.
void write_run(results::ResultFolder& folder, const std::filesystem::path& sub,
               const RunOutcome& outcome);

/// Elaborates `platform` in this process without running it: the names of the results it will have,
/// each with its unit.
std::vector<std::pair<std::string, std::string>> result_units(
    const config::PlatformConfig& platform);

}  // namespace horae::run
