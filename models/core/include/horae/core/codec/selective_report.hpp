// Report of a transport that takes packets in any order, in an acknowledgement besides the PSN that
// is expected next.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "horae/core/psn.hpp"

namespace horae {

/// The packet that caused the acknowledgement and a bitmap of packets that have arrived. Of a
/// transport of ours; RoCEv2 has no such header. On the wire it stands behind the AETH:
///
///   bytes 0-2   PSN of the cause
///   byte 3      bit 7: trimmed; bit 6: the bitmap begins with the cause; the others are 0
///   from 4 on   the bitmap: packet `first` + i is bit i % 8 of byte 4 + i / 8, bit 0 the lowest
///
/// With bit 6 clear the bitmap ends with the cause, but begins behind the expected PSN, which the
/// BTH gives (that of a NACK; the one after that of an ACK).
struct SelectiveReport {
  static constexpr unsigned most_bits = 256;
  static constexpr unsigned head_bytes = 4;

  Psn cause;               ///< whose arrival caused it
  Psn first;               ///< of the bitmap's bit 0
  std::uint16_t bits = 0;  ///< the bitmap's size; 0: there is no report
  bool trimmed = false;    ///< the cause came without its payload
  std::array<std::uint64_t, most_bits / 64> received{};  ///< bit i: packet `first` + i is there

  void set(unsigned bit) { received[bit / 64] |= std::uint64_t{1} << bit % 64; }
  bool test(unsigned bit) const { return (received[bit / 64] >> bit % 64 & 1) != 0; }
  std::uint16_t wire_bytes() const {
    return bits == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(head_bytes + (bits + 7) / 8);
  }
};

/// The bytes of a report on the wire.
std::vector<std::uint8_t> bytes_of(const SelectiveReport& report);
/// The report that the bytes behind an AETH are, if all of them are its. `expected`: the PSN that
/// the acknowledgement expects. A report without a bitmap if they are too few, too many or no
/// multiple of 8 bytes and 4.
SelectiveReport report_of(std::span<const std::uint8_t> bytes, Psn expected);

}  // namespace horae
