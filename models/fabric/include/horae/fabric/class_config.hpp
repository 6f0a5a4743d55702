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
  Bytes limit{};                            ///< of each of its queues; zero: no such limit
  double share = 0;                         ///< of the free buffer; zero: no such limit
  Bytes minimum{};                          ///< that `share` never goes below

  /// Whether its queues have limits of their own.
  bool limited() const { return limit.count() > 0 || share > 0; }
  std::uint32_t level() const { return priority.value_or(number); }
  static const Schema<ClassConfig>& schema();
};

/// InputError for two tables of one class, and for keys that go with others. `section` has the
/// tables.
void check_classes(const std::vector<ClassConfig>& classes, const Section& section);

}  // namespace horae::fabric
