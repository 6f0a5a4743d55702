// The [[event]] tables of a run, and the packets that each met.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"

namespace horae::run {

/// A row for each event of the platform: its title, packets met, when the first was sent.
nlohmann::ordered_json event_rows(const elaboration::Simulation& simulation,
                                  const elaboration::Findings& found);
/// A line for each event that met no packet.
std::vector<std::string> idle_events(const elaboration::Simulation& simulation,
                                     const elaboration::Findings& found);

}  // namespace horae::run
