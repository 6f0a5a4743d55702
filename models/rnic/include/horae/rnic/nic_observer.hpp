// Who watches what a NIC does beside receiving and sending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "horae/core/packet.hpp"
#include "horae/rnic/parts/packet_engine.hpp"

namespace horae::rnic {

class rnic;

/// Told of a NIC's messages and of how it treats NACKs: things that happen once per message, or per
/// NACK. Queue pairs are numbered from 0. A watcher must not change what it sees.
class nic_observer {
 public:
  virtual ~nic_observer() = default;

  /// Messages `first` to `first + count - 1` of a queue pair (ordinals from 0) were posted.
  virtual void posted(const rnic& /*nic*/, std::size_t /*qp*/, std::uint64_t /*first*/,
                      std::uint64_t /*count*/, Picoseconds /*at*/) {}
  /// Likewise completed: acknowledged to their ends.
  virtual void completed(const rnic& /*nic*/, std::size_t /*qp*/, std::uint64_t /*first*/,
                         std::uint64_t /*count*/, Picoseconds /*at*/) {}
  /// Likewise ended with an error: the queue pair gave up.
  virtual void failed(const rnic& /*nic*/, std::size_t /*qp*/, std::uint64_t /*first*/,
                      std::uint64_t /*count*/, Picoseconds /*at*/) {}
  /// A thread of the host worked from `began` to `at` on WQEs or a doorbell; if it rang, the NIC is
  /// told of the first `messages` of a queue pair, else of none.
  virtual void wrote(const rnic& /*nic*/, std::size_t /*qp*/, std::uint64_t /*messages*/,
                     Picoseconds /*began*/, Picoseconds /*at*/) {}
  /// A doorbell for the first `messages` of a queue pair has reached the NIC.
  virtual void rang(const rnic& /*nic*/, std::size_t /*qp*/, std::uint64_t /*messages*/,
                    Picoseconds /*at*/) {}
  /// The WQEs of the first `messages` of a queue pair are on the NIC.
  virtual void wqes_came(const rnic& /*nic*/, std::size_t /*qp*/, std::uint64_t /*messages*/,
                         Picoseconds /*at*/) {}
  /// The payload of a new packet is read from `asked` on and on the NIC at `ready`.
  virtual void payload_read(const rnic& /*nic*/, std::size_t /*qp*/, Psn /*psn*/,
                            Picoseconds /*asked*/, Picoseconds /*ready*/) {}
  /// A data packet is chosen to go; its contexts are on the NIC since `context_ready` (negative:
  /// none was asked for).
  virtual void chosen(const rnic& /*nic*/, std::size_t /*qp*/, Psn /*psn*/,
                      Picoseconds /*context_ready*/, Picoseconds /*at*/) {}
  /// A unit of the packet engine works on a packet of a queue pair from `began` to `done`: data
  /// sent, or data or a response received. What is received is told after it arrived and before it
  /// is decided on.
  virtual void engine_worked(const rnic& /*nic*/, std::size_t /*qp*/, EngineWork /*work*/,
                             const Packet& /*p*/, Picoseconds /*began*/, Picoseconds /*done*/) {}
  /// The next `messages` of a queue pair have their CQEs: written at `written`, in host memory at
  /// `visible`, found by the host at `found`.
  virtual void cqe_written(const rnic& /*nic*/, std::size_t /*qp*/, std::uint32_t /*messages*/,
                           Picoseconds /*written*/, Picoseconds /*visible*/,
                           Picoseconds /*found*/) {}
  /// As receiver: a data packet was decided on at `decided`; what the queue pair received by then
  /// is in memory at `in_memory` (without a host at once).
  virtual void placed(const rnic& /*nic*/, std::size_t /*qp*/, const Packet& /*p*/,
                      Picoseconds /*decided*/, Picoseconds /*in_memory*/) {}
  /// As receiver: the arrival of `cause` made it send a NACK for `expected`. A queue pair's NACKs
  /// leave in the order in which they are told.
  virtual void nack_decided(const rnic& /*nic*/, std::size_t /*qp*/, const Packet& /*cause*/,
                            Psn /*expected*/, Picoseconds /*at*/) {}
  /// As sender: a NACK for `psn` was served from `start` to `end`; with `resend` the queue pair
  /// sends it again.
  virtual void nack_served(const rnic& /*nic*/, std::size_t /*qp*/, Psn /*psn*/,
                           Picoseconds /*start*/, Picoseconds /*end*/, bool /*resend*/) {}
  /// As sender: a NACK for `psn` is not served now, or never (`why`).
  virtual void nack_put_off(const rnic& /*nic*/, std::size_t /*qp*/, Psn /*psn*/,
                            std::string_view /*why*/, Picoseconds /*at*/) {}
  /// As sender: the retransmission timer of a queue pair ran out; `oldest` is unacknowledged.
  virtual void timed_out(const rnic& /*nic*/, std::size_t /*qp*/, Psn /*oldest*/,
                         Picoseconds /*at*/) {}
  /// An event is handled, which concerned `qp` if any (times never decrease).
  virtual void stepped(const rnic& /*nic*/, std::optional<std::size_t> /*qp*/, Picoseconds /*at*/) {
  }
};

}  // namespace horae::rnic
