// links.csv of a run.
#pragma once

#include <string>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"

namespace horae::run {

/// One line per direction of each link, in the order of the platform, over the whole run, which
/// ended at `end`.
std::string links_csv(const elaboration::Simulation& simulation, const elaboration::Findings& found,
                      Picoseconds end);

}  // namespace horae::run
