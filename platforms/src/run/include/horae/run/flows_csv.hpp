// flows.csv of a run.
#pragma once

#include <string>

#include "horae/build/findings.hpp"
#include "horae/build/simulation.hpp"

namespace horae::run {

/// One line per connection, over the whole run.
std::string flows_csv(const build::Simulation& simulation, const build::Findings& found,
                      Picoseconds end);

}  // namespace horae::run
