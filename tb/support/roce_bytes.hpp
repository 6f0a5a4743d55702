// Frames of packets as bytes, for tests.
#pragma once

#include <cstdint>
#include <vector>

#include "horae/core/codec.hpp"

namespace horae::testing {

/// A packet of `opcode` between two nodes of the address plan, its frame as long as its headers.
inline Packet roce_packet(NodeId src, NodeId dst, Opcode opcode, std::uint32_t psn,
                          std::uint16_t payload = 0, std::uint32_t dest_qp = 17) {
  Packet p;
  p.src = src;
  p.dst = dst;
  p.opcode = opcode;
  p.psn = Psn(psn);
  p.dest_qp = Qpn(dest_qp);
  p.payload = payload;
  p.entropy = 0xc123;
  p.ecn = opcode == Opcode::cnp ? Ecn::not_ect : Ecn::ect0;
  p.frame = static_cast<std::uint16_t>(frame_bytes(opcode, Bytes(payload)).count());
  if (opcode == Opcode::acknowledge) p.syndrome = syndrome::ack;
  return p;
}

inline std::vector<std::uint8_t> bytes_of(const Packet& p, AddressPlan plan = {},
                                          bool fcs = false) {
  Packet sized = p;
  sized.frame = static_cast<std::uint16_t>(
      frame_bytes(p.opcode, Bytes(p.payload), plan.encapsulation()).count());
  return encode(frame_of(sized, plan), {.fcs = fcs});
}

/// A sequence NACK.
inline Packet nack_packet(NodeId src, NodeId dst, std::uint32_t psn, std::uint32_t dest_qp) {
  Packet p = roce_packet(src, dst, Opcode::acknowledge, psn, 0, dest_qp);
  p.syndrome = syndrome::nak_psn_sequence;
  return p;
}

}  // namespace horae::testing
