// Bits that left on a line in a window, as a share of its rate.
#pragma once

#include <fmt/format.h>

#include "horae/core/error.hpp"

namespace horae::run {

/// `bits` that senders had on their wires in a window in which the wires carry `line_bits`, and
/// `picosecond_bits` in a picosecond and in what links of whole nanoseconds leave out. Where a
/// packet is cut by an end of the window its part is known to a picosecond of each wire, so a full
/// line may count that much more than it carries, which is taken off. ModelError when it is more:
/// no wire carries that.
inline double within_line(double bits, double line_bits, double picosecond_bits) {
  if (bits <= line_bits) return bits;
  constexpr double of_doubles = 1e-9;  // sums of up to 10^6 terms
  if (bits - line_bits > picosecond_bits + line_bits * of_doubles)
    throw ModelError(
        fmt::format("senders had {:.0f} bits on wires that carry {:.0f}", bits, line_bits));
  return line_bits;
}

}  // namespace horae::run
