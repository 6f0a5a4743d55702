// Shared by the devices of one simulation.
#pragma once

#include <cstdint>

#include "horae/core/wire_bytes.hpp"
#include "horae/fabric/events/arrival_order.hpp"
#include "horae/fabric/observer.hpp"
#include "horae/fabric/outlook.hpp"
#include "horae/fabric/threads/lane.hpp"
#include "horae/fabric/window_clock.hpp"

namespace horae::fabric {

class rank_border;

/// One simulation: its time, its packets, its seed. Devices keep a reference; it must outlive them.
/// It is the lane of the thread that SystemC runs in.
struct sim_context : Lane {
  explicit sim_context(const time_config& time = {}, std::uint64_t run_seed = 1)
      : clock("clock", time), seed(run_seed) {}

  ArrivalOrder arrivals;  ///< of the device that runs a window, with one thread
  window_clock clock;
  std::uint64_t seed;
  /// Whether switch programs are held to the rules in every pass, also those that keep them.
  bool checked = true;
  /// Watches all devices, if there is one when simulation starts; whoever sets it keeps it alive.
  observer* watcher = nullptr;
  /// The border to the other processes of the run; null: there are none.
  rank_border* border = nullptr;
  std::uint32_t devices = 0;  ///< constructed so far
  WireBytes bytes;            ///< of packets, for devices in SystemC's thread
  Repetition repetition{};    ///< changes no result: it says when a run is stuck

  /// Packets of all lanes.
  PacketCounts packets() const {
    PacketCounts sum = pool.counts();
    if (const thread_team* team = clock.team()) sum += team->others_packets();
    return sum;
  }

  /// This process runs the devices on its side of `ranks`. Before they are constructed; whoever
  /// calls it keeps the border alive.
  void join(rank_border& ranks) {
    border = &ranks;
    clock.join(ranks);
  }
};

}  // namespace horae::fabric
