// Groups of a collective, and queries: when they ended.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"

namespace horae::run {

/// When the last message of a group was acknowledged; nothing while one is not.
std::optional<Picoseconds> end_of(const elaboration::Findings& found,
                                  const elaboration::Group& group);

/// A row per group of a collective: its completion time from its start to the last acknowledgement.
nlohmann::ordered_json group_rows(const elaboration::Simulation& simulation,
                                  const elaboration::Findings& found);

}  // namespace horae::run
