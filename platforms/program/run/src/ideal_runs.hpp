// Ideal times that slowdowns of a platform's messages are relative to.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "horae/config/platform.hpp"

namespace horae::run {

struct IdealOutcome {
  /// Time of each message (elaboration::Simulation::messages), as `sim.ideal` has it; absent: alone
  /// it does not end within `sim.duration`, or could not be run.
  std::vector<std::optional<Picoseconds>> times;
  /// For times by runs: how many messages were run alone, how many of them were compared with what
  /// had been computed for them, and the largest error; or why there are none. Null: no runs.
  nlohmann::ordered_json account;
};

/// Works them out. Runs of messages alone are child processes of this one, one after the other, and
/// none of them is left behind. They are of the platform as it is, but that links lose nothing, are
/// always up, and routing never changes. Before the run itself is elaborated.
IdealOutcome ideal_outcome(const config::PlatformConfig& platform);

}  // namespace horae::run
