// Forwarding with per-packet path choice and a NACK drop filter.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/params/located.hpp"
#include "horae/programs/program.hpp"

namespace horae::programs {

/// How one of several equal-cost ports is chosen.
enum class PathChoice {
  random,       ///< uniformly per packet
  round_robin,  ///< in turn, all destinations together
  ecmp,         ///< by a hash of the flow
  psn,          ///< PSN modulo the number of paths
  psn_hash,     ///< a hash of the flow and of the PSN without its lowest `burst_log2` bits
  adaptive,     ///< the port with the shortest queues, as of the last turn of the ghost thread
};

/// How the filter picks the NACKs it drops.
enum class NackFilter {
  deterministic,  ///< the first `nack_drop` of every `nack_of`
  random,         ///< each with probability nack_drop / nack_of
};

struct ForwardConfig {
  PathChoice path_choice = PathChoice::ecmp;
  std::uint32_t burst_log2 = 0;  ///< psn_hash: 2^burst_log2 packets in a row take one path
  bool spray_responses = false;  ///< whether ACKs and NACKs are sprayed as data is, or hashed
  std::uint32_t nack_drop = 0;
  std::uint32_t nack_of = 1;
  NackFilter nack_filter = NackFilter::deterministic;
  std::uint32_t route_entries = 4096;
  std::uint32_t member_entries = 1024;
  std::optional<std::uint32_t> depth_ports{};  ///< adaptive: depth registers; absent: 8
  std::optional<Picoseconds> ghost_period{};   ///< adaptive: age of depths at most; absent: 100 ns
  /// Data that finds no room is cut to so many bytes (frame) in `trim_class`; absent: it is
  /// dropped.
  std::optional<Bytes> trim{};
  std::optional<std::uint32_t> trim_class{};  ///< absent: 7
  std::optional<bool> telemetry{};  ///< adds records to data that asks for them; absent: no

  static const Schema<ForwardConfig>& schema();
};

/// The program's entry in the registry.
ProgramEntry forward_entry();

}  // namespace horae::programs
