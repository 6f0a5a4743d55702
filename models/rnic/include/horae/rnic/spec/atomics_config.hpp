// Parameters of atomic operations at their responder.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::rnic {

/// How a NIC keeps atomics apart that meet. Each is a read and a write of host memory, and holds a
/// slot meanwhile.
struct AtomicsConfig {
  std::uint32_t slots = 4096;  ///< a power of two
  /// For which an operation holds its slot; absent: until what it read is there.
  std::optional<Picoseconds> hold{};

  static const Schema<AtomicsConfig>& schema();
};

}  // namespace horae::rnic
