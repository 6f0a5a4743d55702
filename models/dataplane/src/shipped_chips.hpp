// The chip files that come with the sources, as text (internal to the room; shipped_chips.cpp is
// written by the build from platforms/chips).
#pragma once

#include <span>
#include <string_view>

namespace horae::dataplane {

struct ShippedChip {
  std::string_view name;
  std::string_view toml;
};
extern const std::span<const ShippedChip> shipped_chips;

}  // namespace horae::dataplane
