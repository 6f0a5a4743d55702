// A captured frame as the models see it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "horae/core/codec.hpp"
#include "horae/core/packet.hpp"

namespace horae::capture {

/// Kind of a frame, told from the headers that were captured.
enum class FrameKind : std::uint8_t {
  roce,        ///< UDP to port 4791 or RoCEv1, with a whole BTH, and AETH where its opcode has one
  udp,         ///< other UDP, UDP to port 4791 that is too short for RoCEv2 or longer than its IP
               ///< packet, and RoCEv2 that was cut before its headers end
  tcp,         ///< TCP
  ip,          ///< other IP: fragments, IPv6 with extension headers, ICMP ...
  arp,         ///< ARP
  link_local,  ///< to 01-80-C2-00-00-0x, which no bridge forwards (IEEE 802.1Q-2018, 8.6.3), and
               ///< MAC control to any address: PFC, LLDP, LACP, PTP between neighbours
  other,       ///< other ethertypes, and more than two VLAN tags
  cut,         ///< ends before its ethertype, or before its IP addresses
  malformed,   ///< its lengths contradict each other (see Dissection::problem)
  count_
};
inline constexpr std::size_t frame_kinds = static_cast<std::size_t>(FrameKind::count_);

constexpr std::string_view name_of(FrameKind kind) {
  constexpr std::array<std::string_view, frame_kinds> names = {
      "roce", "udp", "tcp", "ip", "arp", "link_local", "other", "cut", "malformed"};
  return names[static_cast<std::size_t>(kind)];
}

/// Kind of a link-local frame, by its ethertype.
enum class LinkLocal : std::uint8_t {
  other,
  mac_control,  ///< pauses of IEEE 802.3 and PFC, and what else 0x8808 has (802.3, 31)
  lldp,         ///< 0x88cc (IEEE 802.1AB-2016, 8.3)
  lacp,         ///< 0x8809 of subtype 1 (IEEE 802.1AX-2020, 6.4.2.3)
};

/// Encapsulation around a RoCE packet.
enum class Tunnel : std::uint8_t {
  none,
  vxlan,   ///< UDP to port 4789 (RFC 7348)
  gre,     ///< GRE (RFC 2784, 2890) of IP or, as NVGRE (RFC 7637), of Ethernet
  geneve,  ///< UDP to port 6081 (RFC 8926) of Ethernet or IP
  mpls,    ///< labels (RFC 3032) before IP, or before Ethernet behind a control word (RFC 4448)
  ip,      ///< IP in IP (RFC 2003, 2473, 4213)
  srv6,    ///< a segment routing header (RFC 8754) before IP or Ethernet
};

/// An address of IPv4, IPv6 or Ethernet.
struct NetworkAddress {
  std::array<std::uint8_t, 16> bytes{};  ///< the first `size`; zeros behind them
  std::uint8_t size = 0;                 ///< 4, 16, 6; 0: none
  bool operator==(const NetworkAddress&) const = default;
};

struct DissectOptions {
  bool fcs = false;  ///< frames end with their FCS
  /// Data packets whose reserved BTH bits under this mask have this value have four bytes more
  /// behind the BTH (see Packet::msn). 0: none has.
  std::uint16_t extra_mask = 0;
  std::uint16_t extra_value = 0;
};

/// A frame taken apart. `packet` has everything but its nodes, which the addresses stand for; what
/// is no RoCE has the opcode `Opcode::none`. Its frame size is at least Ethernet's 64 bytes, and
/// at most `longest_frame`.
///
/// RoCEv1 is as RoCEv2 with a GRH in place of IPv6 and UDP: its entropy is the low 16 bits of the
/// flow label, it has no ECN, its class is the PCP of its tag, and a GID that maps an IPv4 address
/// (::ffff:a.b.c.d) is that address. Of RoCE in a tunnel everything is the inner packet's but the
/// frame size, which is that on the wire, with the outer headers. A tunnel of anything else, or in
/// a tunnel, is the outer packet.
struct Dissection {
  /// Less than 16 bits hold, so that a switch program may still add bytes.
  static constexpr std::uint16_t longest_frame = 65500;

  Packet packet;
  FrameKind kind = FrameKind::other;
  bool whole = false;    ///< nothing was cut off
  bool padded = false;   ///< shorter than 60 bytes without FCS
  bool limited = false;  ///< longer than `longest_frame`
  bool ipv6 = false;
  bool extra = false;                      ///< has the four bytes behind the BTH
  std::uint8_t tags = 0;                   ///< VLAN tags, those of a tunnel and inside it
  std::uint8_t pcp = 0;                    ///< of the first tag
  std::optional<std::uint8_t> dscp{};      ///< absent: no IP header, or it was cut off
  bool v1 = false;                         ///< RoCEv1
  LinkLocal neighbour = LinkLocal::other;  ///< of a link-local frame
  Tunnel tunnel = Tunnel::none;
  std::uint16_t ip = 0;          ///< where the IP header (RoCEv1: GRH) begins; 0: there is none
  std::uint16_t udp = 0;         ///< where UDP's or TCP's does; 0: there is none
  std::uint16_t bth = 0;         ///< of RoCE, where the BTH does
  std::uint16_t mac = 0;         ///< where the MAC addresses do, which not every tunnel has
  std::uint16_t outer_ip = 0;    ///< of a tunnel, where its IP header does (MPLS: 0),
  std::uint16_t outer_next = 0;  ///< and what follows it: UDP, GRE, or the inner packet
  std::uint32_t udp_end = 0;     ///< of RoCE, where the datagram ends on the wire, with its ICRC
  NetworkAddress source, destination;
  std::string_view problem;  ///< of a malformed frame
  std::uint16_t problem_at = 0;

  /// Whether the packet has MAC addresses of its own.
  bool has_mac() const { return tunnel == Tunnel::none || mac != 0; }
};

/// Request of a pause frame to its receiver. One of IEEE 802.3 (annex 31B) is for all classes.
struct PauseRequest {
  std::uint8_t classes = 0;               ///< those that it is about, a bit for each
  std::array<std::uint16_t, 8> quanta{};  ///< by class: hold for so many 512 bit times; 0: go on
};
/// Request in a frame of MAC control; none where it is no pause, or was cut before its times end.
std::optional<PauseRequest> pause_request(std::span<const std::uint8_t> bytes);

/// Never refuses anything: what it does not know is of a kind that says so. `bytes` of `length` on
/// the wire, from the destination MAC on. Sizes are those on the wire, by the lengths in the
/// headers, however little was captured.
Dissection dissect(std::span<const std::uint8_t> bytes, std::uint32_t length,
                   const DissectOptions& options = {});
/// The same in place of what `into` was.
void dissect(std::span<const std::uint8_t> bytes, std::uint32_t length,
             const DissectOptions& options, Dissection& into);

}  // namespace horae::capture
