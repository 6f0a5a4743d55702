// Fields that features keep in packet headers beyond RoCEv2, and when two of them cannot be in one
// network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "horae/core/cxx20.hpp"

namespace horae {

/// Bits of a `Packet` that a feature uses beyond what RoCEv2 defines there, and in which packets.
/// Whoever sends or reads them declares them: switch programs, transports, ordering engines,
/// options of NICs, routing.
struct HeaderExtension {
  std::string_view feature;        ///< as messages name it: "ConWeave's header"
  std::string_view between;        ///< who write and read it: "NICs", "switches"
  bool data = true;                ///< in data packets
  bool acknowledgements = false;   ///< in ACKs, NACKs and SACKs
  std::uint16_t bth_reserved = 0;  ///< bits of Packet::bth_reserved
  std::uint32_t behind_bth = 0;    ///< bits of Packet::msn: the four bytes behind the BTH
  std::uint16_t metadata = 0;      ///< bits of Packet::metadata on the way between devices
};

/// The fields in which two features would overwrite each other, in words ("reserved bits of the
/// BTH"); nothing when both can be in one network. A feature agrees with itself.
std::optional<std::string> header_conflict(const HeaderExtension& a, const HeaderExtension& b);

}  // namespace horae
