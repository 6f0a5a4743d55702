// Results of messages and pauses of a platform with several data centres.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/run/named_result.hpp"

namespace horae::run {

/// Adds results where the end points are in several sites; nothing otherwise. `from` and `to`: the
/// measured time.
///
/// - `sites.intra.*`, `sites.inter.*`, `sites.all.*`: messages within a site, between sites, and
///   all; also by size (`sites.intra.upto_10KiB.*`). fct_mean; slowdown_mean, a mean of ratios;
///   slowdown_p99, on the straight line between two samples (`fct.*` has nearest ranks); completed
///   and unfinished.
/// - `sites.unfairness`: mean slowdown within a site over that between sites.
/// - `pauses.*`: how long PFC held ports, of all devices, until the last message was completed.
///   Three readings of one log: `any_port`, the share of the time in which some port was held;
///   `all_ports`, the shares of all ports added up, which can be above 1; `one_stream`, that of the
///   long-haul paper's evaluation, a pause that is opened by the first port held and closed by the
///   first port released, whichever it is.
void site_results(const elaboration::Simulation& simulation, const elaboration::Findings& found,
                  Picoseconds from, Picoseconds to, std::vector<NamedResult>& out);

/// A row for each class of messages and size bin.
nlohmann::ordered_json site_rows(const elaboration::Simulation& simulation,
                                 const elaboration::Findings& found, Picoseconds from,
                                 Picoseconds to);

}  // namespace horae::run
