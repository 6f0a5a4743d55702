// Receiver-driven congestion control: a receiver grants its senders what they may send. Grants
// count bytes of payload since the connection's beginning, modulo 2^32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "horae/core/units.hpp"
#include "horae/policy/congestion/congestion.hpp"

namespace horae::policy {

/// How far `a` lies behind `b`, of counts modulo 2^32 that differ by less than 2^31.
constexpr std::int64_t bytes_from(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(b - a);
}

/// A sender that spends what it was granted. Its window is either open or closed (no bytes), and
/// holds what is sent again back as well.
class CreditedReaction : public ReactionPoint {
 public:
  CreditedReaction* credited() final { return this; }
  /// Data of so much payload goes, and `waits` behind it: posted payload that was never sent, and
  /// what is to be sent again. Returns what the packet announces: the grants that all of it needs.
  virtual std::uint32_t on_spent(Bytes payload, Bytes waits) = 0;
  /// A pull arrived: so much is granted since the beginning.
  virtual void on_pull(std::uint32_t granted) = 0;
  /// A message was posted, or an acknowledgement arrived, while `in_flight` bytes are under way;
  /// `fresh`: nothing waited before that message.
  virtual void settle(Bytes in_flight, bool fresh) = 0;
  /// Data waits, nothing is in flight, and nothing came for the transport's timeout: pulls were
  /// lost.
  virtual void on_starved() = 0;
};

/// Whom a receiver grants something next: one for all queue pairs of a NIC, numbered from 0.
class GrantPoint {
 public:
  struct Grant {
    std::size_t qp = 0;
    std::uint32_t granted = 0;  ///< to that queue pair since the beginning
  };
  virtual ~GrantPoint() = default;
  /// Data arrived that announced `needed`.
  virtual void on_announced(std::size_t qp, std::uint32_t needed) = 0;
  /// A packet came without its payload, whose length is not known, and has to be sent again.
  virtual void on_trimmed(std::size_t qp) = 0;
  /// True if a sender needs more than was granted.
  virtual bool any() const = 0;
  /// Grants a packet; only if any().
  virtual Grant next() = 0;
  /// From one grant to the next.
  virtual Picoseconds interval() const = 0;
};

}  // namespace horae::policy
