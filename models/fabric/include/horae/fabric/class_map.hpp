// Which traffic class a switch gives to packets, by the codes in their headers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/codec.hpp"
#include "horae/params/schema.hpp"

namespace horae::fabric {

/// Class of packets with one of some DSCPs.
struct ClassOfDscp {
  std::vector<std::uint32_t> dscp{};
  std::uint32_t traffic_class = 0;
  static const Schema<ClassOfDscp>& schema();
};

/// Class of frames with one of some PCPs in their VLAN tag.
struct ClassOfPcp {
  std::vector<std::uint32_t> pcp{};
  std::uint32_t traffic_class = 0;
  static const Schema<ClassOfPcp>& schema();
};

/// By what a switch classes a frame that has both an IP header and a VLAN tag.
enum class Trust : std::uint8_t { dscp, pcp };

/// Maps of a switch. Codes without an entry have the class that the platform gives them.
struct ClassMaps {
  std::optional<std::vector<ClassOfDscp>> dscp_to_class{};
  std::optional<std::vector<ClassOfPcp>> pcp_to_class{};
  std::optional<Trust> trust{};  ///< absent: dscp
  /// Codes of the platform's classes. Not a parameter of a switch.
  ClassCodes codes{};

  static const Schema<ClassMaps>& schema();
  std::uint8_t of_dscp(std::uint8_t code) const;
  std::uint8_t of_pcp(std::uint8_t code) const;
  /// By class of the platform: the class that the switch gives to packets that carry its DSCP.
  std::array<std::uint8_t, 8> of_classes() const;
};

/// InputError where a code has two entries. `section` has the tables.
void check_class_maps(const ClassMaps& maps, const Section& section);

}  // namespace horae::fabric
