// Keys of queue pair tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "horae/core/packet.hpp"

namespace horae::programs {

/// A flow as its packets name it: IPv4 source, destination and BTH destination QP, 88 bits.
struct FlowKey {
  NodeId src = 0;
  NodeId dst = 0;
  std::uint32_t dest_qp = 0;
  bool operator==(const FlowKey&) const = default;
};
inline FlowKey key_of(const Packet& p) { return {p.src, p.dst, p.dest_qp.value()}; }

/// A node and a queue pair of it: IPv4 address and QPN, 56 bits.
struct Endpoint {
  NodeId node = 0;
  std::uint32_t qp = 0;
  bool operator==(const Endpoint&) const = default;
};

struct KeyHash {
  static std::uint64_t mix(std::uint64_t h) {
    h = (h ^ h >> 32) * 0x9e3779b97f4a7c15ULL;
    return (h ^ h >> 29) * 0xc2b2ae3d27d4eb4fULL;
  }
  std::size_t operator()(const Endpoint& e) const {
    const std::uint64_t h = mix(std::uint64_t{e.node} << 32 | e.qp);
    return h ^ h >> 32;
  }
  std::size_t operator()(const FlowKey& k) const {
    const std::uint64_t h = mix(mix(std::uint64_t{k.src} << 32 | k.dst) ^ k.dest_qp);
    return h ^ h >> 32;
  }
};

/// An opcode and a flag as a gateway tests them.
constexpr std::uint64_t number(Opcode o) { return static_cast<std::uint64_t>(o); }
constexpr std::uint64_t bit(bool b) { return b ? 1 : 0; }

}  // namespace horae::programs
