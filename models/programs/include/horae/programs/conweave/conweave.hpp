// ConWeave: per-flow rerouting at the senders' ToR with reordering at the receivers' ToR ("Network
// Load Balancing with In-network Reordering Support for RDMA", SIGCOMM 2023, doi
// 10.1145/3603269.3604849: the ConWeave paper).
#pragma once

#include <cstdint>

#include "horae/params/located.hpp"
#include "horae/programs/program.hpp"

namespace horae::programs {

/// Sizes are those of the authors' resource program (conweave-project/conweave-p4,
/// leaf_conweave_resource/p4src/includes/macro.p4); times those of the paper's leaf-spine.
struct ConweaveConfig {
  std::uint32_t flow_entries = 65536;   ///< of the table of flows and of each register of flows
  std::uint32_t rack_entries = 2048;    ///< of the registers of busy paths
  std::uint32_t queue_entries = 1024;   ///< of the registers of reorder queues
  std::uint32_t queues = 24;            ///< reorder queues of a port
  std::uint32_t nodes_per_rack = 1;     ///< whose paths are told apart by rack, not by node
  Picoseconds reply_timeout = 8_us;     ///< theta_reply
  Picoseconds path_busy = 8_us;         ///< theta_path_busy
  Picoseconds inactive = 300_us;        ///< theta_inactive
  Picoseconds resume_default = 200_us;  ///< X_DEFAULT
  Picoseconds resume_extra = 64_us;     ///< X_EXTRA
  Picoseconds reply_extension = 4_us;
  bool abort_without_path = true;  ///< a reroute needs a path that is not busy
  std::uint32_t control_class = 7;
  std::uint32_t route_entries = 2048;
  std::uint32_t member_entries = 256;

  static const Schema<ConweaveConfig>& schema();
};

/// The program's entry in the registry.
ProgramEntry conweave_entry();

}  // namespace horae::programs
