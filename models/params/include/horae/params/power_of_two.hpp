// Numbers whose bits index something: sizes of registers, bitmaps and memories.
#pragma once

#include <cstdint>
#include <string_view>

#include "horae/params/section.hpp"

namespace horae {

/// InputError at the key of the section when its value is no power of two; 0 is none.
void check_power_of_two(const Section& section, std::string_view key, std::uint64_t value);

}  // namespace horae
