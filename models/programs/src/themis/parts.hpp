// Shared by both halves of Themis (internal to the room).
#pragma once

#include <cstdint>

#include "horae/dataplane/design/design.hpp"
#include "horae/dataplane/gateway.hpp"
#include "horae/programs/shared/flow_key.hpp"
#include "horae/programs/themis/themis.hpp"

namespace horae::programs::themis {

using dataplane::PassKind;

/// Kind of a mirrored copy.
enum CopyType : std::uint8_t {
  forwarded_response = 1,  ///< a validated NACK or an ACK on its way to another pipeline's port
  stashed_nack = 2,        ///< a data packet to be made into the NACK that was kept back
  avoidance_signal = 3,    ///< likewise, with the path avoidance bit
};

/// Opcodes below the acknowledgement's are data.
using IsData = dataplane::FixedGateway<dataplane::Below<number(Opcode::acknowledge)>>;
inline dataplane::ConditionSpec opcode_field() { return {.bits = 8, .reads = {"opcode"}}; }
template <std::uint64_t... constants>
using AllEqual = dataplane::FixedGateway<dataplane::Equal<dataplane::Join::all, constants...>>;
using NotZero = dataplane::FixedGateway<dataplane::NotZero>;
using SameValue = dataplane::FixedGateway<dataplane::SameValue>;
using AllFlags = dataplane::FixedGateway<dataplane::AllFlags>;
using AnyFlag = dataplane::FixedGateway<dataplane::AnyFlag>;

/// A NACK: an acknowledgement with the syndrome of a PSN sequence error. NAKs with other codes end
/// a connection (IBTA vol. 1, 9.7.5.2) and are none of Themis' business.
constexpr bool is_sequence_nack(const Packet& p) {
  return p.opcode == Opcode::acknowledge && p.syndrome == syndrome::nak_psn_sequence;
}

/// Whether a part of the program is there. `whole`: all of the published program are, as was looked
/// once, when it was built.
template <bool whole>
bool has(const auto& part) {
  return whole || part;
}

/// Index of the path of a PSN; there is a power of two of them.
inline std::uint32_t path_of(Psn psn, const ThemisConfig& config) {
  return psn.value() & (config.paths - 1);
}

}  // namespace horae::programs::themis
