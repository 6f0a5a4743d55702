// Requirements of a program on the parser and deparser beside states and fields, as data: value
// sets and checksums.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horae/dataplane/pass.hpp"
#include "horae/params/location.hpp"

namespace horae::dataplane {

/// Values that a state of the parser is left by, which the control plane writes (P4's value_set).
struct ValueSetSpec {
  std::string name = {};
  Gress gress = Gress::ingress;
  std::uint32_t key_bits = 16;  ///< compared; a state compares as many as the chip's match has
  std::uint32_t entries = 1;    ///< values with masks, a row of the TCAM each, in each state
  std::vector<std::string> states = {};  ///< that compare with it; none: one that is not listed
  std::string next = {};                 ///< state behind those, where a value is in the set
  Location where = {};

  /// Rows of the TCAM: one of its own for each entry in each state (bf-asm, Parser::State::Match).
  std::uint64_t tcam_rows() const {
    return std::uint64_t{entries} * (states.empty() ? 1 : states.size());
  }
  /// Wherever it was written.
  bool operator==(const ValueSetSpec& o) const {
    return name == o.name && gress == o.gress && key_bits == o.key_bits && entries == o.entries &&
           states == o.states && next == o.next;
  }
};

/// Work of a checksum unit.
enum class ChecksumUse : std::uint8_t {
  verify,    ///< in the parser: whether a header's sum is right
  residual,  ///< in the parser: the sum of what is not in the listed fields, for an update later
  update,    ///< in the deparser: the checksum of what goes out
};
std::string_view checksum_use_name(ChecksumUse use);

/// An Internet checksum (RFC 1071) over named fields.
struct ChecksumSpec {
  std::string name = {};
  Gress gress = Gress::ingress;
  ChecksumUse use = ChecksumUse::verify;
  std::vector<std::string> over = {};    ///< fields that are summed, one behind the other
  std::vector<std::uint32_t> bits = {};  ///< of each of these, up to 64; programs need them
  std::vector<std::string> states = {};  ///< of the parser, that sum; none: not known
  bool zeros_as_ones = false;            ///< an update of 0 is sent as 0xffff, as UDP asks
  Location where = {};

  /// Wherever it was written.
  bool operator==(const ChecksumSpec& o) const {
    return name == o.name && gress == o.gress && use == o.use && over == o.over && bits == o.bits &&
           states == o.states && zeros_as_ones == o.zeros_as_ones;
  }
};

}  // namespace horae::dataplane
