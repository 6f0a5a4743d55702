// Where things lie in host memory: regions of their own, so that no two kinds of access meet.
#pragma once

#include <cstdint>

#include "horae/core/psn.hpp"

namespace horae::rnic::host_address {

/// Received payload: a buffer per queue pair, one slot of the largest MTU per PSN.
constexpr std::uint64_t payload(std::size_t qp, Psn psn) {
  constexpr std::uint64_t region = std::uint64_t{1} << 48, slot = 4096, slots = 1 << 16;
  return region + (qp * slots + psn.value() % slots) * slot;
}
/// Where the last packet of a WRITE is kept until those before it have arrived.
constexpr std::uint64_t kept_apart(std::size_t qp) { return (std::uint64_t{1} << 49) + qp * 4096; }
constexpr std::uint64_t completion_queue(std::size_t qp) {
  return (std::uint64_t{1} << 56) + qp * 64;
}
inline constexpr std::uint64_t contexts = std::uint64_t{1} << 57;
/// What is read again for retransmissions.
constexpr std::uint64_t retransmission(std::size_t qp) {
  return (std::uint64_t{1} << 60) + qp * 4096;
}

}  // namespace horae::rnic::host_address
