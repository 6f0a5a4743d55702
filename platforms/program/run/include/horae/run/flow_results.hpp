// Results of open-loop traffic: completion times by size, slowdown, reordering, queries.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/run/named_result.hpp"
#include "horae/run/snapshot.hpp"

namespace horae::run {

/// Results over the messages of `flows`, `incast` and `flow_list` tables that were posted in the
/// measured time, `from` to `to`, finished or not; nothing without such tables. From posting to the
/// last acknowledgement at the sender, as the ns-3 simulators of HPCC and ConWeave measure it.
/// Percentiles are nearest ranks of the times themselves.
///
/// - `fct.*`: of all of them; `fct.upto_10KB.*`, ..., `fct.above_1MB.*`: by size (`sim.size_bins`).
///   mean, p50, p99, p99_9 and max are of all of them, `unfinished` counts those that are not
///   completed. A figure that these could change is none, with what it is at least: an unfinished
///   message takes no less than it has waited. Slowdown is the time over that of the same message
///   in an idle network (without ordering headers, windows and host memory). `out_of_order` is a
///   share of the packets received, `reordered` of the messages; reorder_mean and _max are
///   distances in PSNs of packets out of order. Without messages all but the counts are none.
/// - `fct.throughput`: payload delivered per second, all receivers together, from the warm-up until
///   arrivals end (`arrivals`).
/// - `queries.*`: likewise of incast queries; qct is from the query to the last of its completions.
void flow_results(const elaboration::Simulation& simulation, const elaboration::Findings& found,
                  const Snapshot& from, const Snapshot& to, const Snapshot& arrivals,
                  std::vector<NamedResult>& out);

/// A row per size bin: edges, numbers and times.
nlohmann::ordered_json size_bin_rows(const elaboration::Simulation& simulation,
                                     const elaboration::Findings& found, Picoseconds from,
                                     Picoseconds end);

/// Slowdown over message size, as the papers of this field draw it: the messages by size, the
/// smallest first, in twenty groups of as many messages as can be equal (fewer where there are
/// fewer messages); a row per group with its nearest-rank percentiles, null where unfinished
/// messages could change them. Messages of one size stay in the order in which they were posted.
nlohmann::ordered_json slowdown_rows(const elaboration::Simulation& simulation,
                                     const elaboration::Findings& found, Picoseconds from,
                                     Picoseconds to);

}  // namespace horae::run
