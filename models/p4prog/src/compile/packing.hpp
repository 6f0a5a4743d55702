// Values one behind the other in words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace horae::p4prog {

/// Adds a value of so many bits behind `at` bits of words that were zero there, the highest first.
void pack(std::vector<std::uint64_t>& out, std::uint32_t at, std::span<const std::uint64_t> value,
          std::uint32_t bits);

}  // namespace horae::p4prog
