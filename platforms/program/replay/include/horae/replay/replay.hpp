// One switch of a platform, driven by captures.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "horae/config/platform.hpp"
#include "horae/replay/options.hpp"
#include "horae/results/result_folder.hpp"

namespace horae::replay {

struct ReplayOutcome {
  nlohmann::ordered_json summary;     ///< what summary.json holds
  std::vector<std::string> warnings;  ///< one line each
  std::vector<std::string> dump;      ///< of packets that stay in the switch: every queue
  int exit_code = 0;
};

/// Builds the switch that `options` names, with the routes of the whole platform, and sends it the
/// traces (once per process). With a folder, writes everything but summary.json into it. InputError
/// for what is wrong with the options or a trace, ModelError when the packets do not balance.
ReplayOutcome replay(const config::PlatformConfig& platform, const ReplayOptions& options,
                     results::ResultFolder* folder);

}  // namespace horae::replay
