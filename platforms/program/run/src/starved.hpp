// Traffic classes that got nothing, in words.
#pragma once

#include <string>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"

namespace horae::run {

/// A line for each traffic class that starved between two moments, the measured time. A connection
/// starves if it had a message to send for half of that time or longer, completed none, and
/// received less than a hundredth of what another class received at the same NIC.
std::vector<std::string> starved(const elaboration::Simulation& simulation,
                                 const elaboration::Findings& found, Picoseconds from,
                                 Picoseconds to);

}  // namespace horae::run
