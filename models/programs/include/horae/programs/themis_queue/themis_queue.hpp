// The variant of Themis that the slides of the packet-spraying paper show: a queue of PSNs finds
// the packet that triggered a NACK.
#pragma once

#include <cstdint>

#include "horae/params/located.hpp"
#include "horae/programs/program.hpp"
#include "horae/programs/themis/themis.hpp"

namespace horae::programs {

/// Themis-S as in `themis`, without avoidance of paths; in egress a ring of PSNs per queue pair.
struct ThemisQueueConfig {
  bool source = true;       ///< Themis-S, in ingress
  bool destination = true;  ///< the PSN queue, in egress
  bool rerouting = true;    ///< retransmissions leave their path
  NacksToSource nacks_to_source = NacksToSource::recirculate;
  std::uint32_t nics = 16;
  std::uint32_t qps_per_nic = 512;
  std::uint32_t pipelines = 4;  ///< over which the NICs are spread evenly
  std::uint32_t paths = 128;
  std::uint32_t queue_entries = 64;   ///< PSNs of a queue pair; a power of two
  std::uint32_t queue_registers = 8;  ///< arrays they are spread over: looked at in one pass
  std::uint32_t route_entries = 1024;
  std::uint32_t member_entries = 1024;

  std::uint32_t qps() const {
    return static_cast<std::uint32_t>(std::uint64_t{nics} * qps_per_nic / pipelines);
  }
  /// The part that both programs share.
  ThemisConfig common() const;
  static const Schema<ThemisQueueConfig>& schema();
};

/// The program's entry in the registry.
ProgramEntry themis_queue_entry();

}  // namespace horae::programs
