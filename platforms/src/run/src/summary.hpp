// summary.json of one run.
#pragma once

#include <nlohmann/json.hpp>

#include "horae/build/findings.hpp"
#include "horae/build/simulation.hpp"
#include "horae/results/exit_code.hpp"
#include "run_loop.hpp"

namespace horae::run {

/// After the loop has run, of what all ranks found. ModelError when packets do not balance.
nlohmann::ordered_json run_summary(const build::Simulation& simulation,
                                   const build::Findings& found, const RunLoop& loop,
                                   results::Verdict verdict);

}  // namespace horae::run
