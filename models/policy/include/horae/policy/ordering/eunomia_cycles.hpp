// How many clocks Eunomia's hardware takes for a packet.
#pragma once

#include <cstdint>

#include "horae/policy/ordering/ordering.hpp"

namespace horae::policy {

/// Kind of the master array: registers give a word in the clock of its address, a block RAM
/// in the next.
enum class EunomiaMemory : std::uint8_t { registers, block_ram };

/// Clocks from the one after the request is taken to the one in which the answer is, of the
/// hardware in models/rtl/eunomia with one word per access, to the clock.
inline std::uint32_t eunomia_cycles(const OrderingOps& ops,
                                    EunomiaMemory memory = EunomiaMemory::registers) {
  const std::uint32_t per_fetch = memory == EunomiaMemory::block_ram ? 2 : 1;
  return ops.steps + ops.search_clocks + per_fetch * ops.fetches;
}

}  // namespace horae::policy
