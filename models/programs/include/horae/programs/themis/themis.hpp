// Themis: NACK filtering for packet spraying over commodity NICs ("Enabling Packet Spraying over
// Commodity RNICs with In-Network Support", the packet-spraying paper).
#pragma once

#include <cstdint>
#include <string_view>

#include "horae/core/linear_hash.hpp"
#include "horae/params/located.hpp"
#include "horae/programs/program.hpp"

namespace horae::programs {

/// How a packet takes its path.
enum class PathControl {
  port,         ///< the path is the egress port: two-tier networks
  source_port,  ///< the UDP source port is changed, and linear hashes follow: any tiers
};

/// Treatment of a NACK that enters by another pipeline than its sender's.
enum class NacksToSource {
  recirculate,  ///< it recirculates through the loopback port of the sender's pipeline
  pass_by,      ///< it goes to the sender, and Themis-S does not hear of it
};

/// Sizes are those of the paper's Table 2; a pipeline has state for its own NICs' queue pairs.
struct ThemisConfig {
  bool source = true;       ///< Themis-S, in ingress
  bool destination = true;  ///< Themis-D, in egress
  /// Parts that can be left out, to see their worth; a part that is off is not constructed.
  bool path_check = true;        ///< Themis-D: condition C2
  bool lazy_dropping = true;     ///< Themis-D: keeps undetermined NACKs (there are none without C2)
  bool rerouting = true;         ///< Themis-S: retransmissions leave their path
  bool failure_handling = true;  ///< both: signals and avoidance counters
  bool ignore_old = true;        ///< Themis-D: data from before the window marks nothing
  NacksToSource nacks_to_source = NacksToSource::recirculate;
  std::uint32_t nics = 16;
  std::uint32_t qps_per_nic = 512;
  std::uint32_t pipelines = 4;  ///< over which the NICs are spread evenly
  std::uint32_t paths = 128;
  PathControl path_control = PathControl::port;
  LinearHashConfig hash{};  ///< of path_control "source_port"
  std::uint32_t window = 512;
  std::uint32_t pieces = 8;  ///< of each array with an entry per queue pair and path
  std::uint32_t bitmap_pieces = 1;
  std::uint32_t ooo_threshold = 448;
  std::uint32_t avoidance_window = 2'000'000;
  std::uint32_t route_entries = 1024;
  std::uint32_t member_entries = 1024;
  BitRate last_hop_rate = 400_Gbps;
  Picoseconds last_hop_rtt = 3_us;
  Bytes psn_queue_mtu = Bytes(4000);

  std::uint32_t qps() const {
    return static_cast<std::uint32_t>(std::uint64_t{nics} * qps_per_nic / pipelines);
  }
  static const Schema<ThemisConfig>& schema();
};

/// InputError if so many queue pairs have no place in, or do not spread evenly over, the pipelines.
void check_queue_pairs(const Section& section, std::uint32_t nics, std::uint32_t qps_per_nic,
                       std::uint32_t pipelines);

/// The program's entry in the registry.
ProgramEntry themis_entry();

}  // namespace horae::programs
