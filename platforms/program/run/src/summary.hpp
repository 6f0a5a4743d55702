// summary.json of one run.
#pragma once

#include <nlohmann/json.hpp>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/results/exit_code.hpp"
#include "run_loop.hpp"

namespace horae::run {

/// After the loop has run, of what all ranks found. Takes the statistics of devices and modules out
/// of `found`. ModelError when packets do not balance.
nlohmann::ordered_json run_summary(const elaboration::Simulation& simulation,
                                   elaboration::Findings& found, const RunLoop& loop,
                                   results::Verdict verdict);

}  // namespace horae::run
