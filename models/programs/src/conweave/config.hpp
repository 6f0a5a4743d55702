// Checks across parameters (internal to the room).
#pragma once

#include "horae/programs/conweave/conweave.hpp"

namespace horae::programs::conweave {

/// InputError for values that do not go together.
void check(const ConweaveConfig& config, const Section& parameters);
/// InputError when the switch is not one that the program can run on.
void check(const ConweaveConfig& config, const Routes& routes, const std::string& pipeline);

}  // namespace horae::programs::conweave
