// Parameters of queue pairs that are connected on demand.
#pragma once

#include <cstdint>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::rnic {

/// Initiators of a NIC's dynamically connected transport (DC of mlx5). Each serves one target at a
/// time; queue pairs take turns on them.
struct DcConfig {
  std::uint32_t initiators = 32;  ///< queue pairs that send at the same time
  std::uint32_t quota = 32;       ///< messages of a turn while others wait for an initiator
  Picoseconds connect = 60_ns;    ///< of an initiator that turns to another target, before its data

  static const Schema<DcConfig>& schema();
};

}  // namespace horae::rnic
