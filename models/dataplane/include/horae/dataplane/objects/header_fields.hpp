// Data that a packet carries through a pipeline: fields in containers (PHV), and the parser's
// states that fill them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horae/dataplane/pass.hpp"
#include "horae/params/location.hpp"

namespace horae::dataplane {

/// The `header` of bits that say which headers a packet has.
inline constexpr std::string_view valid_bits_header = "$valid";

/// A field of a header, from the parser to the deparser, or metadata, which lives from where it is
/// written to where it is read last.
struct HeaderField {
  std::string name;
  std::uint32_t bits = 8;
  Gress gress = Gress::ingress;
  std::string header = {};   ///< empty: metadata; fields of a header lie in it as they are listed
  std::uint32_t copies = 1;  ///< fields of this width that are used alike
  bool parsed = false;       ///< metadata that the parser sets
  bool deparsed = false;     ///< metadata that the deparser reads
  std::vector<std::uint32_t> stages = {};  ///< first and last stage that it is needed in; empty: of
                                           ///< the objects that name it
  Location where = {};

  /// Wherever it was written.
  bool operator==(const HeaderField& o) const {
    return name == o.name && bits == o.bits && gress == o.gress && header == o.header &&
           copies == o.copies && parsed == o.parsed && deparsed == o.deparsed && stages == o.stages;
  }
};

/// A state of the parser.
struct ParserState {
  std::string name;
  Gress gress = Gress::ingress;
  std::vector<std::string> extracts = {};  ///< headers
  std::vector<std::string> next = {};      ///< states that follow
  std::uint32_t rows = 0;  ///< of the TCAM, without those of value sets; 0: one for each of `next`
                           ///< that no value set leads to, one at least
  Location where = {};

  /// Wherever it was written.
  bool operator==(const ParserState& o) const {
    return name == o.name && gress == o.gress && extracts == o.extracts && next == o.next &&
           rows == o.rows;
  }
};

}  // namespace horae::dataplane
