// The chip files that come with the sources (internal to the room; shipped_chips.cpp is written by
// the build from platforms/chips).
#pragma once

#include <span>

#include "horae/params/shipped_file.hpp"

namespace horae::dataplane {

extern const std::span<const ShippedFile> shipped_chips;

}  // namespace horae::dataplane
