// What both halves of Themis use (internal to the room).
#pragma once

#include <cstdint>

#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/programs/shared/flow_key.hpp"
#include "horae/programs/themis/themis.hpp"

namespace horae::programs::themis {

/// What a mirrored copy is.
enum CopyType : std::uint8_t {
  forwarded_response = 1,  ///< a validated NACK or an ACK on its way to another pipeline's port
  stashed_nack = 2,        ///< a data packet to be made into the NACK that was kept back
  avoidance_signal = 3,    ///< likewise, with the path avoidance bit
};

/// Opcodes below the acknowledgement's are data.
inline dataplane::ConditionSpec data_condition() {
  return {.kind = dataplane::ConditionKind::lt,
          .bits = 8,
          .constant = number(Opcode::acknowledge),
          .reads = {"opcode"}};
}

/// A NACK: an acknowledgement with the syndrome of a PSN sequence error. NAKs with other codes end
/// a connection (IBTA vol. 1, 9.7.5.2) and are none of Themis' business.
constexpr bool is_sequence_nack(const Packet& p) {
  return p.opcode == Opcode::acknowledge && p.syndrome == syndrome::nak_psn_sequence;
}

/// Index of the path of a PSN; there is a power of two of them.
inline std::uint32_t path_of(Psn psn, const ThemisConfig& config) {
  return psn.value() & (config.paths - 1);
}

/// `terms` flags, all or any of them.
inline dataplane::ConditionSpec flags(std::uint32_t terms,
                                      dataplane::Join join = dataplane::Join::all) {
  return {.kind = dataplane::ConditionKind::bit, .bits = 1, .terms = terms, .join = join};
}

}  // namespace horae::programs::themis
