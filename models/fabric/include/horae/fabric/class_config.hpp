// Parameters of the queues of one traffic class, at every egress port of a switch.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/params/schema.hpp"

namespace horae::fabric {

/// How the scheduler serves a class and how much of the buffer each of its queues may hold. Classes
/// that have none are strict, unshaped and bounded by the buffer alone.
struct ClassConfig {
  std::uint32_t number = 0;
  std::optional<std::uint32_t> priority{};  ///< absent: `number`
  std::uint32_t weight = 1;                 ///< among classes of one priority
  BitRate rate{};                           ///< of the class at a port; zero: the port's
  Bytes burst = Bytes(16384);               ///< that may exceed `rate`
  double share = 0;                         ///< of the free buffer; zero: no such limit
  Bytes minimum{};                          ///< that `share` never goes below

  std::uint32_t level() const { return priority.value_or(number); }
  static const Schema<ClassConfig>& schema();
};

/// InputError for two tables of one class, and for keys that go with others. `section` has the
/// tables.
void check_classes(const std::vector<ClassConfig>& classes, const Section& section);

}  // namespace horae::fabric
