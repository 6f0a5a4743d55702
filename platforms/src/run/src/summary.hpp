// summary.json of one run.
#pragma once

#include <nlohmann/json.hpp>

#include "horae/build/simulation.hpp"
#include "horae/results/exit_code.hpp"
#include "run_loop.hpp"

namespace horae::run {

/// After the loop has run. ModelError when packets do not balance.
nlohmann::ordered_json run_summary(build::Simulation& simulation, const RunLoop& loop,
                                   results::Verdict verdict);

}  // namespace horae::run
