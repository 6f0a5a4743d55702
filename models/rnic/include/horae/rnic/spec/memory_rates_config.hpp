// Parameters of what host memory carries: DRAM, the cache that takes writes of devices, the link
// between sockets, the memory of a GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"

namespace horae::rnic {

/// DRAM of the host: one bandwidth for reads and writes, in whole lines of 64 bytes.
struct DramConfig {
  BitRate bandwidth{};
  Located<BitRate> background{};  ///< of it, what the host itself takes, evenly

  /// Bandwidth left to the NIC.
  BitRate left() const { return bandwidth - background.value; }
  static const Schema<DramConfig>& schema();
};

/// The part of the last-level cache that writes of devices fill (Intel Data Direct I/O).
struct DdioConfig {
  static constexpr std::int64_t line = 64;

  Located<Bytes> size{};
  std::uint32_t ways = 2;  ///< lines of a set; 0: a line may be anywhere

  std::uint32_t lines() const { return static_cast<std::uint32_t>(size.value.count() / line); }
  static const Schema<DdioConfig>& schema();
};

/// The memory of a GPU behind a BAR, in which payload lies in the place of host memory.
struct GpuMemoryConfig {
  std::optional<BitRate> read_rate{}, write_rate{};  ///< absent: no limit
  Located<Picoseconds> round_trip{610_ns, {}};       ///< of a 64-byte read on an idle link
  Located<Picoseconds> write_latency{300_ns, {}};
  bool queues = false;  ///< WQEs and CQEs lie there too

  static const Schema<GpuMemoryConfig>& schema();
};

}  // namespace horae::rnic
