// Counters of the devices of a run at one time: two of them are the ends of a measurement.
#pragma once

#include <vector>

#include "horae/elaboration/simulation.hpp"

namespace horae::run {

/// Counters of every device at one moment.
struct Snapshot {
  Picoseconds time{};
  std::vector<rnic::RnicCounters> nics;
  std::vector<fabric::TxCounters> nic_tx;
  std::vector<fabric::BitsLeft> nic_left;         ///< of what each has sent by then, still to leave
  std::vector<rnic::rnic::OrderingUse> ordering;  ///< of each NIC since the warm-up
  std::vector<rnic::HostCounters> nic_hosts;      ///< of each NIC; zero without a host
  std::vector<fabric::open_loop_host::Counters> hosts;
  /// Time for which ports were held by PFC, summed over the connected ports of plain switches, and
  /// of NICs, and of chips.
  Picoseconds switches_paused{}, nics_paused{}, tofinos_paused{};
  Picoseconds nics_pausing{};  ///< NICs paused their peers, summed over ports and classes

  /// Takes the counters of the devices that run in this process.
  static Snapshot take(const elaboration::Simulation& simulation, Picoseconds now);
  /// All ranks of the run call it: rank 0 then has those of all devices.
  void gather(const elaboration::Simulation& simulation, fabric::rank_exchange& ranks);
};

}  // namespace horae::run
