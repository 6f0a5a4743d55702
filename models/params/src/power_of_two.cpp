#include "horae/params/power_of_two.hpp"

#include <fmt/format.h>

#include <bit>

#include "horae/core/error.hpp"

namespace horae {

void check_power_of_two(const Section& section, std::string_view key, std::uint64_t value) {
  if (std::has_single_bit(value)) return;
  throw section.error(key, fmt::format("{} = {} is no power of two", key, value));
}

}  // namespace horae
