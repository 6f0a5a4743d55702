// Packets of InfiniBand links as frames of RoCEv1 (internal to the room).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace horae::capture {

namespace grh {
/// Global route header (IBTA vol. 1, 8.3): laid out as IPv6's, which its first four bits say too.
inline constexpr std::size_t size = 40;
inline constexpr std::size_t payload_length = 4, next_header = 6, hop_limit = 7, source = 8,
                             destination = 24;
inline constexpr std::uint8_t next_is_bth = 0x1b;  ///< IBTA vol. 1, 8.3.1, NxtHdr
}  // namespace grh

/// Ethertype of RoCEv1 (IBTA annex A16), registered by IEEE.
inline constexpr std::uint32_t rocev1_ethertype = 0x8915;

/// ICRC of a packet whose headers begin with an LRH (`lrh`: eight bytes; empty: eight bytes of ones
/// in its place, as on Ethernet) and go on with `rest`, from its GRH (`global`) or BTH on to the
/// last byte before the ICRC (IBTA vol. 1, 7.8.1). Ones stand for what may change on the way:
/// virtual lane of the LRH, traffic class, flow label and hop limit of the GRH, resv8a of the BTH.
std::uint32_t invariant_crc(std::span<const std::uint8_t> lrh, std::span<const std::uint8_t> rest,
                            bool global);

/// A packet of an InfiniBand link, from its LRH on, as the frame that it would be on Ethernet.
struct EthernetOfInfiniband {
  std::vector<std::uint8_t> bytes;
  std::uint32_t length = 0;
  std::string problem;  ///< empty: it could be read
};

/// `packet` of `length` on its wire, with VCRC or without. The frame has MAC addresses made of the
/// LIDs, 02:00:00:00 and the LID, and a tag of VLAN 0 with the service level as its priority where
/// that is not 0 (802.1Q, priority tag). A packet without GRH gets one, because RoCEv1 always has
/// it, with link-local GIDs made of the LIDs (fe80::LID); LRH and VCRC are left out. An ICRC that
/// was right is right for the frame, where the whole packet is there; others stay as they are. Raw
/// packets (IPv6, or of an ethertype) become frames of what they hold.
void ethernet_of(std::span<const std::uint8_t> packet, std::uint32_t length,
                 EthernetOfInfiniband& out);

}  // namespace horae::capture
