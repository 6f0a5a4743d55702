// flows.csv of a run.
#pragma once

#include <string>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"

namespace horae::run {

/// One line per connection, over the whole run.
std::string flows_csv(const elaboration::Simulation& simulation, const elaboration::Findings& found,
                      Picoseconds end);

}  // namespace horae::run
