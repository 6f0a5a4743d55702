// Verbs: what a message asks of the other end, and what packets it becomes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"

namespace horae {

/// The operation of a message (IBTA vol. 1, 9.4).
enum class Verb : std::uint8_t {
  write,      ///< RDMA WRITE: the requester sends data
  read,       ///< RDMA READ: the responder sends data, in response packets with PSNs of the request
  send,       ///< SEND: the requester sends data to where a receive WQE of the responder says
  write_imm,  ///< RDMA WRITE with immediate data, for which it takes a receive WQE at its end
  compare_swap,  ///< atomic: the responder changes eight bytes and sends what they were
  fetch_add,     ///< likewise
};

constexpr bool is_atomic(Verb verb) {
  return verb == Verb::compare_swap || verb == Verb::fetch_add;
}
/// Whether the responder answers with data, which its requester waits for.
constexpr bool has_response(Verb verb) { return verb == Verb::read || is_atomic(verb); }

/// Whether each of its messages takes a receive WQE of the responder.
constexpr bool takes_receive_wqe(Verb verb) {
  return verb == Verb::send || verb == Verb::write_imm;
}

/// Packets of data that `bytes` make, each with at most `mtu` bytes of payload. No bytes are still
/// one packet (IBTA vol. 1, 9.4.3).
constexpr std::uint32_t packets_of(Bytes bytes, Bytes mtu) {
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, (bytes.count() + mtu.count() - 1) / mtu.count()));
}

/// The opcode of the request of a message that has a response.
constexpr Opcode request_opcode(Verb verb) {
  return verb == Verb::compare_swap ? Opcode::compare_swap
         : verb == Verb::fetch_add  ? Opcode::fetch_add
                                    : Opcode::read_request;
}

/// The opcode of a packet of data: one of the message itself, or of its response.
constexpr Opcode data_opcode(Verb verb, bool first, bool last) {
  switch (verb) {
    case Verb::read:
      return first ? (last ? Opcode::read_response_only : Opcode::read_response_first)
                   : (last ? Opcode::read_response_last : Opcode::read_response_middle);
    case Verb::send:
      return first ? (last ? Opcode::send_only : Opcode::send_first)
                   : (last ? Opcode::send_last : Opcode::send_middle);
    case Verb::compare_swap:
    case Verb::fetch_add:
      return Opcode::atomic_acknowledge;
    case Verb::write_imm:
      if (last) return first ? Opcode::write_only_immediate : Opcode::write_last_immediate;
      break;
    case Verb::write:
      break;
  }
  return first ? (last ? Opcode::write_only : Opcode::write_first)
               : (last ? Opcode::write_last : Opcode::write_middle);
}

/// Some opcodes below 64, a bit each.
using Opcodes = std::uint64_t;
/// Those of WRITEs without immediate data.
inline constexpr Opcodes plain_writes = [] {
  Opcodes all = 0;
  for (const Opcode o :
       {Opcode::write_first, Opcode::write_middle, Opcode::write_last, Opcode::write_only})
    all |= Opcodes{1} << static_cast<unsigned>(o);
  return all;
}();
/// Whether it is one of some plain writes. Only the code modulo 64 is looked at: no other code of
/// the models has that of a plain write.
constexpr bool is_one_of(Opcodes some, Opcode o) {
  return (some >> (static_cast<unsigned>(o) & 63) & 1) != 0;
}

/// Whether its responder needs a receive WQE for it: the first packet of a SEND, the last of a
/// WRITE with immediate data (IBTA vol. 1, 9.7.4.1 and 10.7.3.1).
constexpr bool takes_receive_wqe(Opcode o) {
  return o == Opcode::send_first || o == Opcode::send_only || o == Opcode::send_only_immediate ||
         o == Opcode::write_last_immediate || o == Opcode::write_only_immediate;
}
/// Whether it ends a message that took one.
constexpr bool ends_received_message(Opcode o) {
  return ends_message(o) && o != Opcode::write_last && o != Opcode::write_only;
}

constexpr bool is_atomic(Opcode o) { return o == Opcode::compare_swap || o == Opcode::fetch_add; }
/// Its request or its response: none of them is data to a switch (Packet::is_data).
constexpr bool is_of_atomic(Opcode o) {
  return o >= Opcode::atomic_acknowledge && o <= Opcode::fetch_add;
}
/// The operand of an atomic, and what it is in a packet of either direction: AtomicETH,
/// AtomicAckETH (IBTA vol. 1, 9.3.4 and 9.3.6). Both count as payload, as in the codec.
inline constexpr Bytes atomic_operand = 8_B, atomic_request = 28_B, atomic_response = 8_B;
/// Bytes behind the BTH, and an AETH, of a request.
constexpr Bytes request_payload(Verb verb) { return is_atomic(verb) ? atomic_request : 0_B; }

constexpr bool is_read_response(Opcode o) {
  return o >= Opcode::read_response_first && o <= Opcode::read_response_only;
}

}  // namespace horae
