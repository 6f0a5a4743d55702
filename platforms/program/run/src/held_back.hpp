// Causes that hold senders back, in words.
#pragma once

#include <string>
#include <vector>

#include "horae/elaboration/simulation.hpp"
#include "horae/run/snapshot.hpp"

namespace horae::run {

/// The share of the measured time above which a cause is named.
inline constexpr double named_from = 0.2;

/// A line for each cause that kept the wire of a sender idle for more than `named_from` of the time
/// between two moments: the key that does it, as `--set` takes it, its value, and the one with
/// which it would not, where there is one. Of senders of one profile the one that is held back
/// longest stands for all. To have nothing to send is no cause.
std::vector<std::string> held_back(const elaboration::Simulation& simulation, const Snapshot& from,
                                   const Snapshot& to);

}  // namespace horae::run
