// Which bits of a field lie in one container of the header vector.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "steps/pieces.hpp"

namespace horae::p4price {

/// The parts of fields that the open compiler follows as one when it looks for dependencies (p4c
/// mau/table_dependency_graph.cpp getFieldNameSlice: what a container holds of a field): a field of
/// up to 32 bits as a whole, a wider one in words of 32 bits. Words are counted from the end of a
/// header: in reports the first container of a header of 14 bytes is the one of 16 bits (synapse's
/// packet-writes, 12 bytes written one by one in 4 stages; swapped bytes of addresses in 6); from
/// the end of the field where words so would cut a part that is written by itself. Fields whose
/// bytes are moved to other places of a container are followed byte by byte (report: bytes swapped
/// into a field are written in one stage in 18 of 23 programs of synapse, one behind the other in
/// the rest).
class ContainerWords {
 public:
  ContainerWords(const p4lang::Block& block, const std::vector<Piece>& pieces);

  /// The bits of all words that hold some of these.
  Bits around(const Bits& bits) const;

 private:
  struct Field {
    std::uint32_t width = 0;
    std::uint32_t behind = 0;  ///< bits of the header behind the field
    std::uint32_t word = 0;    ///< bits
  };
  std::map<std::string, Field> fields_;
};

}  // namespace horae::p4price
