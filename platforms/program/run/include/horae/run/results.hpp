// The results of a run that do not depend on its kinds of traffic.
#pragma once

#include <vector>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/run/named_result.hpp"
#include "horae/run/snapshot.hpp"

namespace horae::run {

/// Results over the window between two snapshots. What is not of the window (a maximum of the whole
/// run) says so in its unit. Names are stable:
///
/// - `senders.*`: over all NICs that send messages. Rates are means per sender in the layer of
///   `sim.rate_layer`, of the bits that left in the window; shares are of the line rate, or of
///   time; per_packet is per data packet sent, retransmissions included; goodput is what data
///   packets sent for the first time take on the wire, headers included (packet-spraying paper,
///   footnote 4), and its ratio is to all the port sent. With _l1 and _l2 rates and shares count
///   preamble and gap, or frames with FCS only; payload_ratio is what receivers wrote to memory
///   over the frames sent; _total is of all senders together.
/// - `receivers.*`: over all NICs that receive them.
/// - `flows.*`: over all connections; fct is of messages completed in the window, from posting to
///   last acknowledgement; _max of any connection. Not a number (null in JSON): fct without such
///   messages, and fct_max while one is unfinished; it is at least the longest that is known: of
///   messages completed, and of a connection's first message that waits still.
/// - `collectives.*`: over the groups that began in the window; cct is from a group's start to its
///   last acknowledgement. It is not a number while such a group is unfinished, or without one.
/// - `switches.paused`, `nics.paused`: the share of the window in which a port was held back by PFC
///   (any class), mean over all ports of plain switches that have a link, and of NICs.
/// - `hosts.*`, `tor.*` (`tofino` devices by their name): likewise.
/// - `ordering.*`: of NICs with an ordering engine. Bytes are means over time and NICs; words and
///   searched are counted by the model only (null at level rtl).
///
/// Bytes of ordering engines and shares of pauses are over the time until open-loop arrivals ended
/// (`arrivals`; null: no such traffic), since what follows is a network running empty; their units
/// say so.
std::vector<NamedResult> results_between(const elaboration::Simulation& simulation,
                                         const elaboration::Findings& found, const Snapshot& from,
                                         const Snapshot& to, const Snapshot* arrivals = nullptr);

}  // namespace horae::run
