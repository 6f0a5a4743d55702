// The header of a packet that loops (internal to the room).
#pragma once

#include <cstdint>

namespace horae::programs::pnp_trp {

/// Sixteen bits in front of the packet, in the model `Packet::metadata`, which a recirculated
/// packet keeps: loops to come with this one.
struct LoopHeader {
  static constexpr std::uint32_t most_loops = 4095;  // 12 bits

  bool valid = false;
  std::uint32_t loops = 0;

  static LoopHeader of(std::uint16_t bits) { return {(bits >> 15 & 1) != 0, bits & most_loops}; }
  std::uint16_t bits() const { return static_cast<std::uint16_t>((valid ? 1u << 15 : 0u) | loops); }
};

}  // namespace horae::programs::pnp_trp
