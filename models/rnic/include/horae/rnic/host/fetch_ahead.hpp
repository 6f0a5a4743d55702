// How far ahead of the wire payload has to be read.
#pragma once

#include "horae/rnic/rnic_config.hpp"

namespace horae::rnic {

/// Time from the request of a packet's payload of MTU size to its last byte on the NIC, on an idle
/// link and from local memory: `memory.round_trip`, in which the first 64 bytes come, and all bytes
/// at the bandwidth that such reads have. A tail, jitter and the way to another socket are not in
/// it. Rounded down to picoseconds.
Picoseconds payload_read_time(const RnicConfig& config);

/// Payload that one queue pair needs on the chip or on its way there to send packets of MTU size at
/// `line` without a gap, where one is read in `read`: as many packets as go on the wire in that
/// time, rounded up, and one more for reads of WQEs in between. `line`: of all ports together,
/// above zero.
Bytes needed_prefetch(const RnicConfig& config, BitRate line, Picoseconds read);
/// With payload_read_time().
inline Bytes needed_prefetch(const RnicConfig& config, BitRate line) {
  return needed_prefetch(config, line, payload_read_time(config));
}

/// Most payload that is read ahead for one queue pair: `fetch.prefetch`; absent: what is needed,
/// and FetchConfig::least_prefetch at least.
Bytes prefetch_of(const RnicConfig& config, BitRate line);

}  // namespace horae::rnic
