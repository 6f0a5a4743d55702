// Tables that the compiler adds for checksums that the deparser updates under a condition.
#pragma once

#include <string>
#include <vector>

#include "gress_design.hpp"

namespace horae::p4price {

/// A checksum field that is updated where some bits say so.
struct ConditionalChecksum {
  std::string field;                    ///< "hdr.ipv4.checksum", as the control names it
  std::string header;                   ///< whose validity bit is asked as well
  std::vector<std::string> conditions;  ///< fields of one bit
  unsigned lists = 0;                   ///< updates of the field
  p4lang::Place place;
};

/// The checksums of a gress that a condition other than the validity of their own header guards
/// (p4c parde/deparser_checksum_update.cpp). At the end of the gress a table matches the
/// conditions and that validity bit and sets two validity bits, of the updated and of the original
/// checksum (report: gallium's programs, one SRAM and a stage behind who writes the condition).
std::vector<ConditionalChecksum> conditional_checksums(const GressBlocks& blocks,
                                                       const p4lang::Program& program);

}  // namespace horae::p4price
