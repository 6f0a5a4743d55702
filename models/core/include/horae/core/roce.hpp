// RoCEv2 vocabulary: opcodes, syndromes, header sizes, and what they add up to on the wire.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "horae/core/units.hpp"

namespace horae {

/// BTH opcodes of the reliable connection service (IBTA vol. 1, table 38) and of the congestion
/// notification packet (IBTA annex A17.9.3).
enum class Opcode : std::uint8_t {
  send_first = 0x00,
  send_middle = 0x01,
  send_last = 0x02,
  send_last_immediate = 0x03,
  send_only = 0x04,
  send_only_immediate = 0x05,
  write_first = 0x06,
  write_middle = 0x07,
  write_last = 0x08,
  write_last_immediate = 0x09,
  write_only = 0x0a,
  write_only_immediate = 0x0b,
  read_request = 0x0c,
  read_response_first = 0x0d,
  read_response_middle = 0x0e,
  read_response_last = 0x0f,
  read_response_only = 0x10,
  acknowledge = 0x11,
  atomic_acknowledge = 0x12,
  compare_swap = 0x13,
  fetch_add = 0x14,
  cnp = 0x81,
  /// A receiver's grant (EQDS), of our transport: four bytes behind the BTH, the payload granted
  /// altogether modulo 2^32. Of the codes that are left to manufacturers (IBTA vol. 1, table 38).
  pull = 0xc0,
  /// Opcode of a packet that is not RoCEv2 and passes a model all the same. The code is left to
  /// manufacturers (IBTA vol. 1, table 38); to the models it is neither data nor a response.
  none = 0xff,
};

/// Whether packets of this opcode carry the AETH (acknowledgements and read responses but middle).
constexpr bool has_aeth(Opcode o) {
  return o == Opcode::acknowledge || o == Opcode::atomic_acknowledge ||
         o == Opcode::read_response_first || o == Opcode::read_response_last ||
         o == Opcode::read_response_only;
}
/// Whether packets of this opcode carry the RETH by the base specification.
constexpr bool has_reth(Opcode o) {
  return o == Opcode::write_first || o == Opcode::write_only || o == Opcode::write_only_immediate ||
         o == Opcode::read_request;
}
/// Whether packets of this opcode carry immediate data.
constexpr bool has_immediate(Opcode o) {
  return o == Opcode::send_last_immediate || o == Opcode::send_only_immediate ||
         o == Opcode::write_last_immediate || o == Opcode::write_only_immediate;
}
constexpr bool is_write(Opcode o) {
  return o >= Opcode::write_first && o <= Opcode::write_only_immediate;
}
/// Whether the packet ends a message.
constexpr bool ends_message(Opcode o) {
  // One bit per opcode of the reliable connection, all of which are below 64.
  constexpr auto bit = [](Opcode x) { return std::uint64_t{1} << static_cast<unsigned>(x); };
  constexpr std::uint64_t ends =
      bit(Opcode::write_last) | bit(Opcode::write_only) | bit(Opcode::send_last) |
      bit(Opcode::send_only) | bit(Opcode::write_last_immediate) |
      bit(Opcode::write_only_immediate) | bit(Opcode::send_last_immediate) |
      bit(Opcode::send_only_immediate);
  const auto code = static_cast<unsigned>(o);
  return code < 64 && (ends >> code & 1) != 0;
}

/// AETH syndrome byte (IBTA vol. 1, 9.7.5.1.2 and tables 45-46): bits 6:5 select ACK (00), RNR NAK
/// (01) or NAK (11).
namespace syndrome {
inline constexpr std::uint8_t ack = 0x1f;  ///< ACK, credit count "invalid" (no end-to-end credits)
inline constexpr std::uint8_t nak_psn_sequence = 0x60;  ///< NAK, PSN sequence error: RoCE's NACK
/// SACK of an ordering layer: a packet out of order arrived and is kept (Eunomia 3.2.2). The code
/// 10 is reserved by IBTA; the paper does not say how it is encoded.
inline constexpr std::uint8_t sack = 0x40;
constexpr bool is_sack(std::uint8_t s) { return (s & 0x60) == 0x40; }
constexpr bool is_nak(std::uint8_t s) { return (s & 0x60) == 0x60; }
constexpr bool is_rnr(std::uint8_t s) { return (s & 0x60) == 0x20; }
}  // namespace syndrome

/// ECN codepoints of the IP header (RFC 3168, 5).
enum class Ecn : std::uint8_t { not_ect = 0, ect1 = 1, ect0 = 2, ce = 3 };

/// Header sizes in bytes (IEEE 802.3 clauses 3 and 4.4.2; RFC 791, 8200, 768; IBTA vol. 1, 9.2-9.6
/// and annex A17).
namespace wire {
inline constexpr std::int64_t ethernet = 14;
inline constexpr std::int64_t vlan_tag = 4;
inline constexpr std::int64_t ipv4 = 20;
inline constexpr std::int64_t ipv6 = 40;
inline constexpr std::int64_t udp = 8;
inline constexpr std::int64_t bth = 12;
inline constexpr std::int64_t reth = 16;
inline constexpr std::int64_t aeth = 4;
inline constexpr std::int64_t immediate = 4;
inline constexpr std::int64_t cnp_padding =
    16;                                   ///< reserved bytes after the BTH of a CNP (annex A17.9.3)
inline constexpr std::int64_t grant = 4;  ///< bytes after the BTH of a pull (ours)
inline constexpr std::int64_t icrc = 4;
inline constexpr std::int64_t fcs = 4;
inline constexpr std::int64_t preamble = 8;           ///< preamble and start-of-frame delimiter
inline constexpr std::int64_t inter_packet_gap = 12;  ///< 96 bit times
inline constexpr std::int64_t minimum_frame = 64;     ///< with FCS, without preamble
inline constexpr std::uint16_t roce_udp_port = 4791;  ///< IANA, annex A17.3.1
}  // namespace wire

/// Extent of a frame's size: the frame with FCS (L2), or also preamble and inter-packet gap,
/// which is what occupies the wire (L1).
enum class Layer : std::uint8_t { l1, l2 };

/// Headers around those of a packet's opcode.
struct Encapsulation {
  bool ipv6 = false;
  bool vlan = false;
};

namespace detail {
/// Bytes of headers and trailers of each opcode's frames, over IPv4 and without a VLAN tag.
inline constexpr auto frame_overhead = [] {
  std::array<std::uint8_t, 256> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto o = static_cast<Opcode>(i);
    std::int64_t n = wire::ethernet + wire::ipv4 + wire::udp + wire::bth + wire::icrc + wire::fcs;
    if (has_reth(o)) n += wire::reth;
    if (has_aeth(o)) n += wire::aeth;
    if (has_immediate(o)) n += wire::immediate;
    if (o == Opcode::cnp) n += wire::cnp_padding;
    bytes[i] = static_cast<std::uint8_t>(n);
  }
  return bytes;
}();
}  // namespace detail

/// Size of a RoCEv2 frame with FCS, padded to Ethernet's minimum.
constexpr Bytes frame_bytes(Opcode opcode, Bytes payload, Encapsulation e = {}) {
  std::int64_t n = detail::frame_overhead[static_cast<std::uint8_t>(opcode)];
  if (e.vlan) n += wire::vlan_tag;
  if (e.ipv6) n += wire::ipv6 - wire::ipv4;
  n += (payload.count() + 3) & ~std::int64_t{3};  // BTH pad count: payloads are padded to words
  return Bytes(n < wire::minimum_frame ? wire::minimum_frame : n);
}

/// Bytes a frame occupies on the wire: with preamble and inter-packet gap.
constexpr Bytes l1_bytes(Bytes frame) {
  return frame + Bytes(wire::preamble + wire::inter_packet_gap);
}

/// A frame in the chosen accounting.
constexpr Bytes counted_bytes(Bytes frame, Layer layer) {
  return layer == Layer::l1 ? l1_bytes(frame) : frame;
}

}  // namespace horae
