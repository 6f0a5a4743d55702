// TCP segments of a connection's handshake, as packets of the models.
#pragma once

#include <cstdint>

#include "horae/core/packet.hpp"

namespace horae {

/// A segment without data (RFC 9293, 3.1). In a `Packet` its opcode is `none`, for it is no RoCEv2,
/// and it is as long as the shortest frame. Sequence numbers have 24 of their 32 bits, and the two
/// ports of a connection are one number, the client's, in both directions.
struct TcpSegment {
  /// Flags of the TCP header (RFC 9293, 3.1).
  enum Flags : std::uint8_t { syn = 0x02, rst = 0x04, ack = 0x10, syn_ack = syn | ack };

  std::uint8_t flags = 0;
  Psn sequence{};
  Psn acknowledgement{};

  /// The segment of a packet whose opcode is `none`.
  static TcpSegment of(const Packet& p) { return {p.syndrome, p.psn, Psn(p.dest_qp.value())}; }
  void write_to(Packet& p) const {
    p.opcode = Opcode::none;
    p.syndrome = flags;
    p.psn = sequence;
    p.dest_qp = Qpn(acknowledgement.value());
    p.payload = 0;
    p.frame = static_cast<std::uint16_t>(wire::minimum_frame);
    p.ecn = Ecn::not_ect;
  }
};

}  // namespace horae
