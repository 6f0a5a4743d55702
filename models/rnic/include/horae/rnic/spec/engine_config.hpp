// Parameters of a NIC's packet engine.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::rnic {

/// Whether packets sent and packets received take time of the same units.
enum class EnginePools {
  shared,  ///< one pool does both
  apart,   ///< a pool for each direction
};

/// Which unit works on a queue pair's packets.
enum class EngineBinding {
  cyclic,  ///< always the same: queue pair n has unit n modulo `units`
  any,     ///< the one that is free first
};

/// The packet engine: what a NIC does once for each packet, whatever its length. A unit works on
/// one packet at a time. A time of zero is no time.
struct EngineConfig {
  static constexpr std::uint32_t most_units = 256;

  Picoseconds send{};     ///< of a unit, for a data packet sent
  Picoseconds receive{};  ///< of a unit, for a data packet received
  /// The same for a response of a READ, for a packet of a message that takes a receive WQE, and for
  /// an atomic's request. Absent: `receive`.
  std::optional<Picoseconds> read{}, message{}, atomic{};
  Picoseconds ack_send{};     ///< for a response sent: ACK, NACK, SACK, CNP, pull
  Picoseconds ack_receive{};  ///< for one received
  EnginePools pools = EnginePools::shared;
  std::uint32_t units = 1;  ///< of each pool
  EngineBinding binding = EngineBinding::cyclic;
  Picoseconds queue_pair{};    ///< least time from one message of a queue pair to the next
  Picoseconds visit{};         ///< for a queue pair whose context is not in the engine
  std::uint32_t contexts = 0;  ///< requester and responder contexts that the engine holds
  std::uint32_t ways = 0;      ///< of a set of them; 0: a context may be anywhere
  /// The engine works ahead of the wire: a data packet that it has begun goes in line for the wire
  /// while less than this waits there. Zero: it begins a packet when the wire takes it.
  Bytes ahead{};

  static const Schema<EngineConfig>& schema();
};

}  // namespace horae::rnic
