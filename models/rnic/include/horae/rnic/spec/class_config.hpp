// How the TX pipe serves one traffic class.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/params/schema.hpp"

namespace horae::rnic {

/// Place of a traffic class (IEEE 802.1Q) among those of a NIC. Classes that have none are of
/// strict priority, the higher number first.
struct ClassConfig {
  std::uint32_t number = 0;
  std::optional<std::uint32_t> priority{};  ///< absent: `number`
  std::uint32_t weight = 1;                 ///< among classes of one priority

  std::uint32_t level() const { return priority.value_or(number); }
  static const Schema<ClassConfig>& schema();
};

}  // namespace horae::rnic
