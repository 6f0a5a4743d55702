// Bits that say whether a header, or on some chips a field for the deparser, is there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "horae/dataplane/chip_spec.hpp"
#include "steps/pieces.hpp"

namespace horae::p4price {

/// The validity bits of a gress in their containers. Headers have one each. Where the chip has
/// containers that are set as a whole, fields for the traffic manager and the deparser that the
/// program writes have one too, which is set with them (p4c parde/add_metadata_pov.cpp). They are
/// in the order of declaration in one container of the smallest size, or in several of 32 bits
/// (*inferred*: two tables that write such bits are in different stages in all 34 programs of
/// synapse; an action that sets two that are not neighbours has 4 bytes of action data there, a
/// value and a mask of 16 bits).
class ValidityBits {
 public:
  ValidityBits(const p4lang::Block& block, const std::vector<Piece>& pieces,
               const dataplane::ChipSpec& chip);

  /// Containers of which an action writes bits.
  std::set<std::uint32_t> containers(const PieceAction& action) const;
  std::set<std::uint32_t> containers(const Piece& piece) const;
  /// Action data by which an action sets bits that are not neighbours or not alike: a value and a
  /// mask of each such container (p4c mau/action_analysis.cpp: bitmasked-set), bits.
  std::uint32_t data_bits(const PieceAction& action) const;

 private:
  std::optional<std::uint32_t> position(const std::string& field) const;
  /// The bits that an action sets, and to what.
  std::map<std::uint32_t, bool> set_by(const PieceAction& action) const;

  const p4lang::Block& block_;
  std::map<std::string, std::uint32_t> positions_;
  std::uint32_t container_bits_ = 8;
};

}  // namespace horae::p4price
