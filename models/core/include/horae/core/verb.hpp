// Verbs: what a message asks of the other end, and what packets it becomes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"

namespace horae {

/// The operation of a message (IBTA vol. 1, 9.4).
enum class Verb : std::uint8_t {
  write,  ///< RDMA WRITE: the requester sends data
  read,   ///< RDMA READ: the responder sends data, in response packets with PSNs of the request
};

/// Packets of data that `bytes` make, each with at most `mtu` bytes of payload. No bytes are still
/// one packet (IBTA vol. 1, 9.4.3).
constexpr std::uint32_t packets_of(Bytes bytes, Bytes mtu) {
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, (bytes.count() + mtu.count() - 1) / mtu.count()));
}

/// The opcode of a packet of data: one of a WRITE, or of the response of a READ.
constexpr Opcode data_opcode(Verb verb, bool first, bool last) {
  if (verb == Verb::read) {
    return first ? (last ? Opcode::read_response_only : Opcode::read_response_first)
                 : (last ? Opcode::read_response_last : Opcode::read_response_middle);
  }
  return first ? (last ? Opcode::write_only : Opcode::write_first)
               : (last ? Opcode::write_last : Opcode::write_middle);
}

constexpr bool is_read_response(Opcode o) {
  return o >= Opcode::read_response_first && o <= Opcode::read_response_only;
}

}  // namespace horae
