// What both halves of Themis use (internal to the room).
#pragma once

#include <cstdint>
#include <functional>

#include "horae/core/packet.hpp"
#include "horae/dataplane/design.hpp"
#include "horae/dataplane/gateway.hpp"

namespace horae::programs::themis {

/// Key of the queue pair tables: IPv4 source, destination and BTH destination QP, 88 bits.
struct FlowKey {
  NodeId src = 0;
  NodeId dst = 0;
  std::uint32_t dest_qp = 0;
  bool operator==(const FlowKey&) const = default;
};
inline FlowKey key_of(const Packet& p) { return {p.src, p.dst, p.dest_qp.value()}; }

struct FlowKeyHash {
  std::size_t operator()(const FlowKey& k) const {
    std::uint64_t h = (std::uint64_t{k.src} << 32 | k.dst) * 0x9e3779b97f4a7c15ULL;
    h = (h ^ h >> 29 ^ k.dest_qp) * 0xc2b2ae3d27d4eb4fULL;
    return h ^ h >> 32;
  }
};

/// What a mirrored copy is.
enum CopyType : std::uint8_t {
  forwarded_response = 1,  ///< a validated NACK or an ACK on its way to another pipeline's port
  stashed_nack = 2,        ///< a data packet to be made into the NACK that was kept back
  avoidance_signal = 3,    ///< likewise, with the path avoidance bit
};

inline std::uint64_t number(Opcode o) { return static_cast<std::uint64_t>(o); }
inline std::uint64_t bit(bool b) { return b ? 1 : 0; }

/// Opcodes below the acknowledgement's are data.
inline dataplane::ConditionSpec data_condition() {
  return {.kind = dataplane::ConditionKind::lt,
          .bits = 8,
          .constant = number(Opcode::acknowledge),
          .reads = {"opcode"}};
}

/// `terms` flags, all or any of them.
inline dataplane::ConditionSpec flags(std::uint32_t terms,
                                      dataplane::Join join = dataplane::Join::all) {
  return {.kind = dataplane::ConditionKind::bit, .bits = 1, .terms = terms, .join = join};
}

}  // namespace horae::programs::themis
