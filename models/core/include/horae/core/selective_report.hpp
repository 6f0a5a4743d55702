// What an acknowledgement of a transport that takes packets in any order says besides the PSN that
// is expected next.
#pragma once

#include <array>
#include <cstdint>

#include "horae/core/psn.hpp"

namespace horae {

/// The packet that caused the acknowledgement and a bitmap of packets that have arrived. On the
/// wire: four bytes behind the AETH (PSN of the cause 24, trimmed 1, how `first` follows from the
/// cause 1, reserved 6), and the bitmap. Of a transport of ours; RoCEv2 has no such header.
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

}  // namespace horae
