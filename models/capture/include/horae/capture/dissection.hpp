// What a captured frame is to the models.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "horae/core/codec.hpp"
#include "horae/core/packet.hpp"

namespace horae::capture {

/// What was told apart, from what the headers that were captured say.
enum class FrameKind : std::uint8_t {
  roce,       ///< UDP to port 4791 with a whole BTH, and AETH where its opcode has one
  udp,        ///< other UDP, and RoCEv2 that was cut before its headers end
  tcp,        ///< TCP
  ip,         ///< other IP: fragments, IPv6 with extension headers, ICMP ...
  arp,        ///< ARP
  other,      ///< other ethertypes, and more than two VLAN tags
  cut,        ///< ends before its ethertype, or before its IP addresses
  malformed,  ///< its lengths contradict each other (see Dissection::problem)
  count_
};
inline constexpr std::size_t frame_kinds = static_cast<std::size_t>(FrameKind::count_);

constexpr std::string_view name_of(FrameKind kind) {
  constexpr std::array<std::string_view, frame_kinds> names = {"roce", "udp",   "tcp", "ip",
                                                               "arp",  "other", "cut", "malformed"};
  return names[static_cast<std::size_t>(kind)];
}

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
/// is no RoCEv2 has the opcode `Opcode::none`. Its frame size is at least Ethernet's 64 bytes, and
/// at most `longest_frame`.
struct Dissection {
  /// Less than 16 bits hold, so that a switch program may still add bytes.
  static constexpr std::uint16_t longest_frame = 65500;

  Packet packet;
  FrameKind kind = FrameKind::other;
  bool whole = false;    ///< nothing was cut off
  bool padded = false;   ///< shorter than 60 bytes without FCS
  bool limited = false;  ///< longer than `longest_frame`
  bool ipv6 = false;
  bool extra = false;         ///< has the four bytes behind the BTH
  std::uint8_t tags = 0;      ///< VLAN tags
  std::uint16_t ip = 0;       ///< where the IP header begins; 0: there is none
  std::uint16_t udp = 0;      ///< where UDP's or TCP's does; 0: there is none
  std::uint32_t udp_end = 0;  ///< of RoCEv2, where the datagram ends on the wire
  NetworkAddress source, destination;
  std::string_view problem;  ///< of a malformed frame
  std::uint16_t problem_at = 0;

  std::uint16_t bth() const { return static_cast<std::uint16_t>(udp + wire::udp); }
};

/// Never refuses anything: what it does not know is of a kind that says so. `bytes` of `length` on
/// the wire, from the destination MAC on. Sizes are those on the wire, by the lengths in the
/// headers, however little was captured.
Dissection dissect(std::span<const std::uint8_t> bytes, std::uint32_t length,
                   const DissectOptions& options = {});

}  // namespace horae::capture
