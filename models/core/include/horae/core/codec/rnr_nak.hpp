// RNR NAKs: what a responder without a receive WQE answers.
#pragma once

#include <array>
#include <cstdint>

#include "horae/core/units.hpp"

namespace horae {

namespace syndrome {
/// AETH syndrome of an RNR NAK (IBTA vol. 1, 9.7.5.1.2); the five bits below are the code of the
/// time that it asks its requester to wait.
inline constexpr std::uint8_t rnr_nak = 0x20;
inline constexpr std::uint8_t rnr_timer_bits = 0x1f;
}  // namespace syndrome

/// The time of a code of the RNR NAK timer field, 0 to 31: from 10 us (1) to 655.36 ms (0) (IBTA
/// vol. 1, 9.7.5.2.8, table of the field).
constexpr Picoseconds rnr_time(std::uint32_t code) {
  constexpr std::int64_t ten_us = 10'000'000;
  // In units of 10 us, as the table has them.
  constexpr std::array<std::int64_t, 32> units = {
      65536, 1,    2,    3,    4,    6,     8,     12,    16,    24,   32,
      48,    64,   96,   128,  192,  256,   384,   512,   768,   1024, 1536,
      2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152};
  return Picoseconds(units.at(code) * ten_us);
}

}  // namespace horae
