// The parts of `results_between`, one per kind of device. Each appends to `out`.
#pragma once

#include <algorithm>
#include <vector>

#include "horae/elaboration/findings.hpp"
#include "horae/elaboration/simulation.hpp"
#include "horae/run/named_result.hpp"
#include "horae/run/snapshot.hpp"

namespace horae::run {

/// Whether a NIC is one of `nics`, which are in device order.
inline bool among(const std::vector<rnic::rnic*>& nics, const rnic::rnic& nic) {
  const auto it =
      std::lower_bound(nics.begin(), nics.end(), nic.id(),
                       [](const rnic::rnic* other, NodeId id) { return other->id() < id; });
  return it != nics.end() && *it == &nic;
}

/// `senders.*`.
void sender_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                    std::vector<NamedResult>& out);
/// `receivers.*`.
void receiver_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                      const Snapshot& from, const Snapshot& to, std::vector<NamedResult>& out);
/// The time in which a network has its load: to the end of the measured time, or to that of
/// arrivals before it.
struct Loaded {
  const Snapshot& to;
  bool until_arrivals;  ///< it ends earlier than the measured time

  /// The unit of a result of this time.
  std::string unit(const char* base) const {
    return until_arrivals ? std::string(base) + " until arrivals end" : base;
  }
};
/// `nics.pcie_*` of NICs whose host is modelled, `nics.*_busy` of those with a packet engine.
void block_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                   std::vector<NamedResult>& out);
/// `ordering.*`: bytes are those of `loaded`.
void ordering_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                      const Loaded& loaded, std::vector<NamedResult>& out);
/// `flows.*` and `collectives.*`: completion times of messages and collectives; no number while
/// unfinished, but what the longest is at least. The measured time is `from` to `to`.
void completion_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                        Picoseconds from, Picoseconds to, std::vector<NamedResult>& out);
/// Whether a queue pair of the platform may end in error: retries are counted.
bool may_give_up(const config::PlatformConfig& platform);
/// `flows.in_error`, `flows.messages_failed`, `flows.error_time` (the longest, from the posting of
/// a connection's oldest message that failed) and `flows.first_error` (since the start of the run);
/// of platforms that count retries.
void error_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                   std::vector<NamedResult>& out);
/// `traffic.<name>.*` of each table with a name, over `time`, that measured. Latency is from
/// posting to completion, of messages completed in it.
/// `connections.fairness` is over the connections of all of them.
void traffic_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                     Picoseconds time, std::vector<NamedResult>& out);
/// `schedules.*`: when programs of hosts ended; no number while one has not.
void schedule_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                      std::vector<NamedResult>& out);
/// `hosts.*`.
void host_results(const elaboration::Simulation& s, const Snapshot& from, const Snapshot& to,
                  std::vector<NamedResult>& out);
/// `switches.paused` and `nics.paused`; `tofinos.paused` where a chip sends pauses.
void pause_results(const elaboration::Simulation& s, const Snapshot& from, const Loaded& loaded,
                   std::vector<NamedResult>& out);
/// `events.*` of platforms with events: packets that each kind of harm met.
void event_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                   std::vector<NamedResult>& out);
/// `<chip>.*` of each, and `switches.*` of all plain ones together.
void switch_results(const elaboration::Simulation& s, const elaboration::Findings& found,
                    std::vector<NamedResult>& out);

}  // namespace horae::run
