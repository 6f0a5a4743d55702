// The header of a packet that loops (internal to the room).
#pragma once

#include <cstdint>

namespace horae::programs::pnp_trp {

/// Sixteen bits in front of the packet, in the model `Packet::metadata`, which a recirculated
/// packet keeps: loops to come with this one, and a new alpha on its way to the flow's registers.
struct LoopHeader {
  static constexpr std::uint32_t most_loops = 31;   // 5 bits
  static constexpr std::uint32_t most_alpha = 511;  // 9 bits

  bool valid = false;
  bool sets_alpha = false;
  std::uint32_t alpha = 0;
  std::uint32_t loops = 0;

  static LoopHeader of(std::uint16_t bits) {
    return {(bits >> 15 & 1) != 0, (bits >> 14 & 1) != 0, bits >> 5 & most_alpha,
            bits & most_loops};
  }
  std::uint16_t bits() const {
    return static_cast<std::uint16_t>((valid ? 1u << 15 : 0u) | (sets_alpha ? 1u << 14 : 0u) |
                                      alpha << 5 | loops);
  }
};

}  // namespace horae::programs::pnp_trp
