// RoCEv2 frames as bytes: the whole header stack, its checksums, and the way from and to `Packet`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "horae/core/packet.hpp"
#include "horae/core/psn.hpp"
#include "horae/core/roce.hpp"
#include "horae/core/units.hpp"

namespace horae {

/// Addresses, first byte on the wire first.
using MacAddress = std::array<std::uint8_t, 6>;
using Ipv4Address = std::array<std::uint8_t, 4>;
using Ipv6Address = std::array<std::uint8_t, 16>;

/// Ethernet addresses (IEEE 802.3, 3.2); the ethertype follows from the rest of the frame.
struct EthernetHeader {
  MacAddress dst{};
  MacAddress src{};
  bool operator==(const EthernetHeader&) const = default;
};

/// 802.1Q C-tag (IEEE 802.1Q, 9.6), ethertype 0x8100.
struct VlanTag {
  std::uint8_t pcp = 0;   ///< priority code point, 0-7
  bool dei = false;       ///< drop eligible indicator
  std::uint16_t vid = 0;  ///< VLAN identifier, 0-4095
  bool operator==(const VlanTag&) const = default;
};

/// IPv4 header (RFC 791, 3.1) without options, of an unfragmented datagram. Version, header length,
/// total length, protocol (UDP), fragment offset (zero) and checksum are the codec's business.
struct Ipv4Header {
  std::uint8_t dscp = 0;  ///< 0-63 (RFC 2474)
  Ecn ecn = Ecn::not_ect;
  std::uint16_t identification = 0;
  bool reserved_flag = false;
  bool dont_fragment = true;
  std::uint8_t ttl = 64;
  Ipv4Address src{};
  Ipv4Address dst{};
  bool operator==(const Ipv4Header&) const = default;
};

/// IPv6 header (RFC 8200, 3) without extension headers. Version, payload length and next header
/// (UDP) are the codec's business.
struct Ipv6Header {
  std::uint8_t dscp = 0;  ///< 0-63, upper six bits of the traffic class
  Ecn ecn = Ecn::not_ect;
  std::uint32_t flow_label = 0;  ///< 20 bits
  std::uint8_t hop_limit = 64;
  Ipv6Address src{};
  Ipv6Address dst{};
  bool operator==(const Ipv6Header&) const = default;
};

/// UDP header (RFC 768). The destination port is always wire::roce_udp_port.
struct UdpHeader {
  std::uint16_t src_port = 0;
  /// Carried as it is, neither computed nor verified: RoCEv2 sends zero over IPv4 and may over IPv6
  /// (IBTA annex A17.3.1; RFC 6935).
  std::uint16_t checksum = 0;
  bool operator==(const UdpHeader&) const = default;
};

/// Base transport header (IBTA vol. 1, 9.2; FECN and BECN in place of two bits of resv8a by annex
/// A17).
struct Bth {
  Opcode opcode = Opcode::send_only;  ///< may hold a number that names no opcode of the model
  bool solicited_event = false;
  bool migration_request = false;
  std::uint8_t pad_count = 0;  ///< 0-3: bytes that fill the payload up to a multiple of four
  std::uint8_t version = 0;    ///< TVer, 0-15
  std::uint16_t pkey = 0xffff;
  bool fecn = false;
  bool becn = false;
  std::uint8_t reserved6 = 0;  ///< resv6a, 0-63
  Qpn dest_qp;
  bool ack_request = false;
  std::uint8_t reserved7 = 0;  ///< resv7, 0-127
  Psn psn;
  bool operator==(const Bth&) const = default;
};

/// RDMA extended transport header (IBTA vol. 1, 9.3.3).
struct Reth {
  std::uint64_t virtual_address = 0;
  std::uint32_t remote_key = 0;
  std::uint32_t dma_length = 0;  ///< bytes
  bool operator==(const Reth&) const = default;
};

/// ACK extended transport header (IBTA vol. 1, 9.3.5).
struct Aeth {
  std::uint8_t syndrome = syndrome::ack;  ///< see horae::syndrome
  std::uint32_t msn = 0;                  ///< message sequence number, 24 bits
  bool operator==(const Aeth&) const = default;
};

/// Reserved bytes of a CNP after its BTH (IBTA annex A17.9.3); sent as zero.
using CnpReserved = std::array<std::uint8_t, wire::cnp_padding>;

/// Which extension headers stand between BTH and payload, in this order on the wire. The headers of
/// atomic operations are not modelled: their bytes count as payload.
struct ExtensionHeaders {
  bool reth = false;
  bool aeth = false;
  bool immediate = false;
  bool cnp_reserved = false;
  bool operator==(const ExtensionHeaders&) const = default;
};

/// Extension headers of an opcode; none for a number the model has no name for.
/// `reth_on_every_write` adds the RETH to all RDMA writes, as NICs do whose direct data placement
/// accepts packets of a message in any order.
constexpr ExtensionHeaders extension_headers(Opcode o, bool reth_on_every_write = false) {
  return {.reth = has_reth(o) || (reth_on_every_write && is_write(o)),
          .aeth = has_aeth(o),
          .immediate = has_immediate(o),
          .cnp_reserved = o == Opcode::cnp};
}

/// A RoCEv2 frame, field by field. Nothing in it is redundant: lengths, checksums, the ethertype
/// and the fixed protocol numbers come from `encode`.
struct RoceFrame {
  EthernetHeader ethernet;
  std::optional<VlanTag> vlan;
  std::variant<Ipv4Header, Ipv6Header> ip;
  UdpHeader udp;
  Bth bth;
  std::optional<Reth> reth;
  std::optional<Aeth> aeth;
  std::optional<std::uint32_t> immediate;
  std::optional<CnpReserved> cnp_reserved;
  std::vector<std::uint8_t> payload;  ///< without pad bytes
  /// The first bth.pad_count of these follow the payload; senders use zero.
  std::array<std::uint8_t, 3> pad{};
  bool icrc_valid = true;  ///< whether the ICRC found by `decode` was right; `encode` ignores it
  bool fcs_valid = true;   ///< whether the FCS found by `decode` was right; `encode` ignores it

  bool is_ipv6() const { return std::holds_alternative<Ipv6Header>(ip); }
  bool operator==(const RoceFrame&) const = default;
};

/// Pad count of a payload: what is missing to a multiple of four (IBTA vol. 1, 9.2.3).
constexpr std::uint8_t pad_count_of(std::size_t payload) {
  return static_cast<std::uint8_t>((4 - payload % 4) % 4);
}

/// Size of a frame with FCS (L2), padded to Ethernet's minimum, from the headers it really holds.
Bytes frame_bytes(const RoceFrame& frame);

struct EncodeOptions {
  bool fcs = false;  ///< append the Ethernet FCS
  bool icrc = true;  ///< compute the ICRC; otherwise it is zero
};

/// The frame's bytes from destination MAC to ICRC, zero-padded to Ethernet's 60 bytes (64 with
/// FCS, IEEE 802.3 clause 4.4.2), then the FCS if asked for. Throws ModelError when a field exceeds
/// its width, the extension headers are not those of the opcode (a RETH may be on any RDMA write,
/// see `extension_headers`), payload and pad bytes are no multiple of four, or the datagram is
/// longer than IP's 65535 bytes.
std::vector<std::uint8_t> encode(const RoceFrame& frame, EncodeOptions options = {});

struct DecodeOptions {
  bool reth_on_every_write = false;  ///< the sender puts a RETH on every RDMA write
  bool fcs = false;                  ///< the last four bytes are the FCS
  bool icrc = true;                  ///< check the ICRC; otherwise it counts as right
};

/// Reads a frame from its destination MAC on. Bytes after the IP datagram (Ethernet's padding) are
/// ignored, and need not be there: captures on a sender lack them. Throws InputError, naming the
/// byte offset in `bytes`, for a truncated frame, anything but UDP to port 4791 directly over
/// unfragmented, option-less IPv4 or IPv6 behind at most one VLAN tag, disagreeing lengths, a wrong
/// IPv4 checksum, or a bad pad count. A wrong ICRC or FCS is no error: see `RoceFrame`. Packets of
/// an opcode the model has no name for decode with everything after the BTH as payload.
RoceFrame decode(std::span<const std::uint8_t> bytes, DecodeOptions options = {});

/// Ethertypes (IANA, IEEE 802 numbers).
inline constexpr std::uint16_t ethertype_vlan = 0x8100;
inline constexpr std::uint16_t ethertype_ipv4 = 0x0800;
inline constexpr std::uint16_t ethertype_ipv6 = 0x86dd;

/// Where a frame's network header is.
struct NetworkHeader {
  std::uint16_t ethertype = 0;  ///< of it; 0: the frame ends before it says one
  std::size_t at = 0;           ///< byte
};
/// Network header of a frame, given from its destination MAC on, behind at most one VLAN tag. A tag
/// that is cut off is the ethertype itself.
NetworkHeader network_header(std::span<const std::uint8_t> bytes);

/// An internet checksum when a word under it becomes another (RFC 1624, equation 3).
std::uint16_t updated_checksum(std::uint32_t checksum, std::uint32_t before, std::uint32_t after);

/// Invariant CRC (IBTA vol. 1, 7.8.1, as amended by annex A17.3.3) over `datagram`: a RoCEv2 packet
/// from the first byte of its IP header to the last one before the ICRC. It is CRC-32 of Ethernet
/// over 8 bytes of ones in place of InfiniBand's LRH, then the datagram with ones for what routers
/// may change: IPv4 TOS, TTL and checksum or IPv6 traffic class, flow label and hop limit, the UDP
/// checksum, and FECN, BECN and resv6a of the BTH. On the wire it stands least significant byte
/// first. Throws InputError for an IP version other than 4 and 6 and when a header is incomplete.
std::uint32_t icrc(std::span<const std::uint8_t> datagram);

/// Codes of the eight traffic classes on the wire: the DSCP of an IP header and the PCP of a VLAN
/// tag. By default the class selector (RFC 2474, 4.2.2.2) and the class itself.
struct ClassCodes {
  std::array<std::uint8_t, 8> dscp = {0, 8, 16, 24, 32, 40, 48, 56};
  std::array<std::uint8_t, 8> pcp = {0, 1, 2, 3, 4, 5, 6, 7};

  /// The class of a code: the lowest one that has it; where none has, that of its class selector
  /// (DSCP / 8), or the PCP itself. Codes are below 64 and below 8.
  std::uint8_t class_of_dscp(std::uint8_t code) const;
  std::uint8_t class_of_pcp(std::uint8_t code) const;
};

/// How nodes of a platform are numbered on the wire. Node n has the host number n+1 in IPv4
/// 10.0.0.0/8 (so node 0 is 10.0.0.1), in IPv6 fd00::/104 (RFC 4193 unique local addresses) and in
/// the low four bytes of the locally administered MAC 02:00:xx:xx:xx:xx.
struct AddressPlan {
  bool ipv6 = false;
  std::optional<std::uint16_t> vlan_id{};  ///< frames carry an 802.1Q tag of this VLAN, 0-4095
  ClassCodes codes = {};                   ///< of their classes

  /// Largest node: host numbers have 24 bits, and the last one is the broadcast address.
  static constexpr NodeId max_node = 0xfffffd;

  /// Headers that the plan adds around a packet, for `frame_bytes`.
  Encapsulation encapsulation() const { return {.ipv6 = ipv6, .vlan = vlan_id.has_value()}; }
};

/// Addresses of a node; ModelError above AddressPlan::max_node.
MacAddress mac_of(NodeId node);
Ipv4Address ipv4_of(NodeId node);
Ipv6Address ipv6_of(NodeId node);

/// Node of an address; InputError, naming the address, when the plan has no such address.
NodeId node_of(const Ipv4Address& address);
NodeId node_of(const Ipv6Address& address);

/// The frame a packet of the simulator stands for, with a payload of zeros but for that of a pull,
/// which is what it grants. DSCP, and the PCP
/// of a VLAN tag, are the plan's codes of the traffic class. A write of an opcode without RETH gets
/// one when its frame is larger by one. A RETH is all zeros but for the length of a READ.
/// ModelError when the packet's frame size is not what its headers add up to, its traffic class is
/// above 7 or a node above AddressPlan::max_node.
RoceFrame frame_of(const Packet& packet, const AddressPlan& plan);

/// The simulator's packet of a frame: what `frame_of` fills in, read back; `id`, `created` and
/// `retransmission` are no wire fields and keep their defaults. Nodes come from the IP addresses,
/// since routers rewrite MACs. InputError for an opcode or an address the model does not have, an
/// IP version or VLAN other than the plan's, or a frame longer than 65535 bytes.
Packet packet_of(const RoceFrame& frame, const AddressPlan& plan);

}  // namespace horae
