// The NIC files that come with the sources (internal to the room; shipped_nics.cpp is written by
// the build from platforms/nics).
#pragma once

#include <span>

#include "horae/params/shipped_file.hpp"

namespace horae::rnic {

extern const std::span<const ShippedFile> shipped_nics;

}  // namespace horae::rnic
