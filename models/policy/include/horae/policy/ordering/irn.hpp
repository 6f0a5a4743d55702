// The parameter of IRN's bitmaps.
#pragma once

#include <cstdint>

#include "horae/params/located.hpp"

namespace horae::policy {

struct IrnBitmap {
  std::uint32_t bdp = 100;  ///< bandwidth-delay product in packets

  static const Schema<IrnBitmap>& schema();
};

}  // namespace horae::policy
