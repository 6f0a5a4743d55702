// Rates of the memory that a NIC uses, in time, without SystemC: when an access is served.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "horae/core/units.hpp"
#include "horae/rnic/memory/set_cache.hpp"
#include "horae/rnic/parts/busy_timeline.hpp"
#include "horae/rnic/spec/pcie_config.hpp"

namespace horae::rnic {

/// Part of the memory system that an access may wait for.
enum class MemoryPart : std::uint8_t {
  socket,  ///< link between sockets
  dram,
  gpu,  ///< memory of a GPU
  count_
};
inline constexpr std::size_t memory_parts = static_cast<std::size_t>(MemoryPart::count_);

constexpr std::string_view name_of(MemoryPart part) {
  constexpr std::array<std::string_view, memory_parts> names = {"socket", "dram", "gpu"};
  return names[static_cast<std::size_t>(part)];
}

/// Totals since the start of the run; the difference of two is what happened in between. All of
/// them count with the access that causes them.
struct MemoryCounters {
  std::uint64_t dram_read = 0;      ///< bytes of whole lines that DRAM gave
  std::uint64_t dram_written = 0;   ///< that it took: writes, or lines pushed out of the cache
  std::uint64_t lines_written = 0;  ///< of 64 bytes, into the cache
  std::uint64_t lines_spilled = 0;  ///< pushed out by them
  std::array<Picoseconds, memory_parts> waited{};  ///< summed over accesses

  friend MemoryCounters operator-(MemoryCounters a, const MemoryCounters& b);
  friend MemoryCounters operator+(MemoryCounters a, const MemoryCounters& b);
};

/// Reservations of DRAM, of the link between sockets and of a GPU's memory. An access that meets
/// none of them is served at once: an idle memory has the latencies of HostMemoryConfig alone.
class MemoryRates {
 public:
  explicit MemoryRates(const HostMemoryConfig& config);

  /// InputError for values that no memory has, alone or together.
  static void check(const HostMemoryConfig& config);
  /// Whether anything is limited.
  static bool limited(const HostMemoryConfig& config) {
    return config.dram || config.gpu || (config.remote && config.socket_rate);
  }
  /// Whether an access at `address` (host_addresses.hpp) is one of the GPU's memory.
  bool of_gpu(std::uint64_t address) const;

  /// An access of `size` bytes that reaches the root complex at `arrival`: how much later than in
  /// an idle memory it is served. `now` never decreases and is not behind any later `arrival`.
  Picoseconds wait(Picoseconds now, bool write, Picoseconds arrival, std::uint64_t address,
                   Bytes size);

  const MemoryCounters& counters() const { return counters_; }

 private:
  /// Takes `part` for `bytes` at `rate`; returns when they could begin if nothing was before them.
  Picoseconds take(MemoryPart part, BusyTimeline& timeline, Picoseconds now, Picoseconds at,
                   std::int64_t bytes, BitRate rate);
  /// Bytes of DRAM that an access takes.
  std::int64_t dram_bytes(bool write, std::uint64_t address, Bytes size);

  std::optional<DramConfig> dram_;
  std::optional<GpuMemoryConfig> gpu_;
  std::optional<BitRate> socket_rate_;
  std::optional<SetCache> cache_;
  BusyTimeline dram_busy_;
  std::array<BusyTimeline, 2> socket_busy_, gpu_busy_;  ///< of reads, of writes
  MemoryCounters counters_;
};

}  // namespace horae::rnic
