// Counters of a NIC.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "horae/core/units.hpp"
#include "horae/policy/entropy/entropy.hpp"
#include "horae/policy/ordering/ordering.hpp"
#include "horae/policy/transport/transport.hpp"
#include "horae/rnic/memory/on_chip_memory.hpp"
#include "horae/rnic/parts/packet_engine.hpp"

namespace horae::rnic {

/// Why the wire carries nothing.
enum class IdleCause : std::uint8_t {
  no_work,     ///< nothing posted that was not sent
  window,      ///< posted packets wait for the window of the transport or of congestion control
  shaper,      ///< all that could be sent waits for its rate
  paused,      ///< PFC
  doorbell,    ///< the host's doorbell is on its way
  wqe,         ///< waits for a work queue entry from host memory
  payload,     ///< waits for payload from host memory
  context,     ///< waits for a queue pair context or a translation
  lock,        ///< the queue pair context is in use by the receive side
  retransmit,  ///< waits while a NACK is served
  recovery,    ///< new data waits for the acknowledgement of retransmissions
  gap_window,  ///< new data waits for the window of an open gap
  port,        ///< of several ports, that of the next packet has no room in its line
  engine,      ///< waits for a unit of the packet engine
  credits,     ///< waits for credits of its virtual lane
  receiver,    ///< waits after an RNR NAK
  count_
};
inline constexpr std::size_t idle_causes = static_cast<std::size_t>(IdleCause::count_);

constexpr std::string_view name_of(IdleCause cause) {
  constexpr std::array<std::string_view, idle_causes> names = {
      "no_work", "window",  "shaper",  "paused",     "doorbell", "wqe",
      "payload", "context", "lock",    "retransmit", "recovery", "gap_window",
      "port",    "engine",  "credits", "receiver"};
  return names[static_cast<std::size_t>(cause)];
}
constexpr std::string_view name_of(policy::SendKind kind) {
  constexpr std::array<std::string_view, policy::send_kinds> names = {
      "fresh", "expected", "last", "rewind", "timeout", "trimmed"};
  return names[static_cast<std::size_t>(kind)];
}

/// Totals since the start of the run; the difference of two is what happened in between.
struct RnicCounters {
  std::array<std::uint64_t, policy::send_kinds> sent{};         ///< data packets by kind
  std::array<std::uint64_t, policy::send_kinds> sent_frames{};  ///< their frame bytes (L2)
  std::uint64_t acks_sent = 0;
  std::uint64_t nacks_sent = 0;
  std::uint64_t sacks_sent = 0;
  std::uint64_t acks_received = 0;
  std::uint64_t sacks_received = 0;
  std::uint64_t nacks_received = 0;
  std::uint64_t nacks_served = 0;  ///< made the sender retransmit
  std::uint64_t nacks_stale = 0;   ///< for a PSN acknowledged meanwhile: nothing retransmitted
  std::uint64_t nacks_merged = 0;  ///< took the place of an earlier one, or forgotten in a service
  std::uint64_t nacks_suppressed = 0;  ///< as responder: not sent by the limit of their rate
  std::uint64_t cnps_sent = 0;
  std::uint64_t cnps_received = 0;
  std::uint64_t pulls_sent = 0;
  std::uint64_t pulls_received = 0;
  // READs.
  std::uint64_t read_requests_received = 0;
  std::uint64_t reads_answered_again = 0;   ///< as responder: requests that came again
  std::uint64_t reads_requested_again = 0;  ///< as requester: responses were missing
  // Atomics, as responder.
  std::uint64_t atomics_executed = 0;
  Picoseconds atomic_wait{};  ///< for their slots, summed
  // Verbs that take receive WQEs.
  std::uint64_t rnr_naks_sent = 0;
  std::uint64_t rnr_naks_received = 0;
  std::uint64_t rnr_errors = 0;         ///< queue pairs that gave up after one, among `errors`
  std::uint64_t messages_received = 0;  ///< of which the host has found the CQE
  std::uint64_t receive_wqe_waits = 0;  ///< packets that waited for the read of a receive WQE
  // UC and UD.
  std::uint64_t messages_left = 0;  ///< as requester: of which the last packet was sent
  // The same as responder.
  std::uint64_t messages_whole = 0;     ///< of which all packets came, and were taken
  std::uint64_t messages_broken = 0;    ///< of which a packet was taken, and one was missing
  std::uint64_t messages_unwanted = 0;  ///< that found no receive WQE
  std::uint64_t psn_gaps = 0;     ///< packets with another PSN than expected, of a row the first
  std::uint64_t dc_connects = 0;  ///< initiators that turned to another target
  std::uint64_t services = 0;     ///< NACKs for which the retransmit unit did its work
  Picoseconds service_time{};     ///< of them together
  std::uint64_t retransmit_reads = 0;  ///< reads of host memory for retransmissions
  std::int64_t retransmit_read_bytes = 0;
  std::uint64_t context_misses = 0;  ///< contexts, keys and translations read from host memory
  /// The same by CacheKind, with those of completion queues; only in rnic::totals(), where the NIC
  /// has a cache.
  std::array<std::uint64_t, cache_kinds> cache_misses{};
  std::uint64_t rx_buffer_drops = 0;  ///< data packets that found the RX buffer full
  std::uint64_t pauses_sent = 0;      ///< PFC, without resumes
  Picoseconds lock_time{};            ///< contexts locked by acknowledgements, summed
  std::uint64_t timeouts = 0;
  std::uint64_t data_received = 0;  ///< data packets
  std::uint64_t out_of_order = 0;   ///< of them, ahead of the expected PSN
  std::uint64_t duplicates = 0;
  std::uint64_t discarded = 0;        ///< refused by the transport
  std::uint64_t trimmed = 0;          ///< data packets that came without their payload
  std::uint64_t delivered_bytes = 0;  ///< payload written to memory, each byte once
  std::uint64_t messages_completed = 0;
  std::uint64_t bytes_completed = 0;  ///< payload of completed messages
  std::uint64_t messages_failed = 0;  ///< posted, and ended with an error
  std::uint64_t errors = 0;           ///< queue pairs that gave up
  std::uint64_t bitmap_words = 0;     ///< reorder bitmap words read or written
  // Counters of the ordering engine.
  std::array<std::uint64_t, policy::rejections> rejected{};  ///< by cause
  std::uint64_t ordering_words = 0;                          ///< its memory accesses
  std::uint64_t ordering_cycles = 0;                         ///< its clocks
  std::uint64_t ordering_searched = 0;  ///< positions of allocation maps looked at
  Picoseconds ordering_wait{};          ///< packets waited for it, summed
  std::uint64_t writes_held = 0;        ///< last packets of WRITEs that were copied later
  std::array<Picoseconds, idle_causes> idle{};
  EngineCounters engine{};          ///< of the packet engine, if there is one
  policy::EntropyCounts entropy{};  ///< values of data packets; only in rnic::totals()

  std::uint64_t sent_packets() const {
    std::uint64_t n = 0;
    for (const auto s : sent) n += s;
    return n;
  }
  std::uint64_t sent_frame_bytes() const {
    std::uint64_t n = 0;
    for (const auto s : sent_frames) n += s;
    return n;
  }
  friend RnicCounters operator-(RnicCounters a, const RnicCounters& b);
  friend RnicCounters operator+(RnicCounters a, const RnicCounters& b);
};

}  // namespace horae::rnic
