// THEMIS of "THEMIS: Addressing Congestion-Induced Unfairness in Long-Haul RDMA Networks" (the
// long-haul paper): Proactive Notification Point and Temporary Reaction Point at an exit switch.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/params/located.hpp"
#include "horae/programs/program.hpp"

namespace horae::programs {

/// Sizes are those of the long-haul paper's section VI where it gives them.
struct PnpTrpConfig {
  bool pnp = true;                ///< answers ECN marks of flows that leave with CNPs
  bool trp = true;                ///< slows flows that come in and whose receivers send CNPs
  bool handshake_monitor = true;  ///< objects that watch TCP handshakes
  bool rate_recovery = true;      ///< keeps the order while a flow recovers; false: goes straight
  std::vector<NodeId> remote_nodes = {};
  std::uint32_t qp_entries = 1024;
  std::uint32_t cnp_stamp_entries = 1024;
  std::uint32_t tcp_cookie_entries = 1024;
  std::uint32_t cnp_cache_entries = 1024;
  std::uint32_t cnp_store_entries = 1024;
  std::uint32_t peer_entries = 1024;
  std::uint32_t flow_entries = 1024;
  Picoseconds cnp_interval = 50_us;
  std::uint32_t alpha = 5;
  Picoseconds beta = 500_us;
  std::uint32_t most_loops = 31;
  Picoseconds insertion_latency = 1_ms;
  std::uint32_t route_entries = 1024;
  std::uint32_t member_entries = 256;

  static const Schema<PnpTrpConfig>& schema();
};

/// The program's entry in the registry.
ProgramEntry pnp_trp_entry();

}  // namespace horae::programs
