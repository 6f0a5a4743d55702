// Data that an action takes from its entry: parameters, and constants that no instruction holds.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "validity_bits.hpp"

namespace horae::p4price {

/// Bits of action data.
struct DataBits {
  std::uint32_t bits = 0;    ///< of the values
  std::uint32_t slots = 0;   ///< as their containers round them
  std::uint32_t narrow = 0;  ///< of the values: bytes that have containers of their own
};

/// How an action's data is laid out.
class ActionDataRules {
 public:
  ActionDataRules(const p4lang::Program& program, const p4lang::Block& block,
                  const std::vector<Piece>& pieces, const dataplane::ChipSpec& chip);

  /// Bits of the parameters that the action still uses, but an index of a stateful object, which is
  /// the entry's pointer.
  DataBits parameters(const PieceAction& action) const;
  /// Bits of the constants that no instruction holds (p4c mau/action_analysis.cpp
  /// check_constant_to_actiondata): a source in an instruction is -8 to 7 (-4 on Tofino2); a
  /// container for any operation is loaded with up to 21 bits, one that is set as a whole is not;
  /// and validity bits (see ValidityBits).
  DataBits constants(const PieceAction& action) const;

 private:
  void find_bytes(const PieceAction& action);
  std::uint32_t bytes_apart(const PieceAction& action, std::uint32_t variable) const;
  bool only_index(const p4lang::Expr& e, std::uint32_t variable) const;
  DataBits constant(const p4lang::Stmt& assign) const;

  const p4lang::Program& program_;
  const p4lang::Block& block_;
  ValidityBits validity_;
  bool set_whole_ = false;          ///< the chip has containers that are set as a whole
  std::set<std::string> computed_;  ///< fields that some instruction computes
  /// Lowest bits of the bytes of a field that are read one by one.
  std::map<std::string, std::set<std::uint32_t>> bytes_;
  std::set<std::string> in_headers_;  ///< copied into a header, beside its boundaries of 32 bits
};

}  // namespace horae::p4price
