// Where things lie in host memory: regions of their own, so that no two kinds of access meet.
#pragma once

#include <cstddef>
#include <cstdint>

#include "horae/core/psn.hpp"
#include "horae/rnic/host/pcie_ledger.hpp"

namespace horae::rnic::host_address {

/// Send region of queue pair `qp`, at most 65535: its WQEs, and behind them its payload.
inline constexpr std::uint64_t send_region = std::uint64_t{1} << 32;
inline constexpr std::uint64_t send_payload = std::uint64_t{1} << 24;  ///< behind the WQEs
constexpr std::uint64_t send_queue(std::size_t qp, std::uint64_t offset) {
  return (qp + 1) * send_region + offset;
}
constexpr std::uint64_t source(std::size_t qp, std::uint64_t offset) {
  return send_queue(qp, send_payload + offset);
}

/// Received payload: a ring of packets per queue pair, at most so many.
inline constexpr std::uint64_t received = std::uint64_t{1} << 49;
inline constexpr std::uint32_t ring_packets = 1 << 16;
inline constexpr std::uint64_t largest_slot = 4096;  ///< of a packet: the largest MTU
constexpr std::uint64_t payload(std::size_t qp, std::uint64_t offset) {
  return received + qp * ring_packets * largest_slot + offset;
}
/// With contents, messages lie one behind the other in rings of ring_packets of the MTU, at both
/// ends at the same distance from the beginning: payload of `psn` lies so far behind it.
constexpr std::uint64_t ring_offset(Psn psn, std::uint64_t mtu) {
  return psn.value() % ring_packets * mtu;
}
/// Where the last packet of a WRITE is kept until those before it have arrived.
constexpr std::uint64_t kept_apart(std::size_t qp) { return (std::uint64_t{1} << 50) + qp * 4096; }

/// Words that atomics of all queue pairs go to.
inline constexpr std::uint64_t atomic_words = std::uint64_t{1} << 54;

/// WQEs of receive queue `queue`, at most 65535, and `offset` below 2^30.
inline constexpr std::uint64_t receive_queues = std::uint64_t{1} << 55;
constexpr std::uint64_t receive_queue(std::size_t queue, std::uint64_t offset) {
  return receive_queues + (queue << 30) + offset;
}

inline constexpr std::uint64_t completion_queues = std::uint64_t{1} << 56;
constexpr std::uint64_t completion_queue(std::size_t qp) { return completion_queues + qp * 64; }
inline constexpr std::uint64_t contexts = std::uint64_t{1} << 57;
/// Memory keys and translations.
inline constexpr std::uint64_t translations = std::uint64_t{1} << 58;
/// Regions that are read again for retransmissions: contexts and WQEs; payload.
inline constexpr std::uint64_t retransmission_contexts = std::uint64_t{1} << 59;
inline constexpr std::uint64_t retransmissions = std::uint64_t{1} << 60;
constexpr std::uint64_t retransmission(std::size_t qp, bool context) {
  return (context ? retransmission_contexts : retransmissions) + qp * 4096;
}

/// Use of an access at `address`. A NIC that reads for a retransmission reads contexts and WQEs
/// alike: they count as contexts.
constexpr PcieUse use_of(std::uint64_t address) {
  if (address < received)
    return address % send_region < send_payload ? PcieUse::wqe : PcieUse::payload;
  if (address < receive_queues || address >= retransmissions) return PcieUse::payload;
  if (address < contexts) return address < completion_queues ? PcieUse::receive_wqe : PcieUse::cqe;
  return address < translations || address >= retransmission_contexts ? PcieUse::context
                                                                      : PcieUse::translation;
}

/// Whether an access there has contents, if the NIC has: WQEs, payload and CQEs.
constexpr bool has_contents(std::uint64_t address) {
  return address < kept_apart(0) || (address >= completion_queues && address < contexts);
}

}  // namespace horae::rnic::host_address
