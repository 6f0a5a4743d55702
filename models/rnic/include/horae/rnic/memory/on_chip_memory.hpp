// The memory on the NIC's chip: how much there is, what an entry of each structure takes, and what
// of it is left to the cache of contexts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "horae/core/units.hpp"
#include "horae/params/located.hpp"
#include "horae/rnic/memory/set_cache.hpp"

namespace horae::rnic {

/// Kinds of cached structures, which live in host memory and are on the chip only while they are
/// used (Kalia et al., USENIX ATC 2016, names the first four for ConnectX).
enum class CacheKind : std::uint8_t {
  queue_pair,        ///< queue pair context; id: queue pair
  memory_key,        ///< memory protection table entry; id: memory region
  translation,       ///< memory translation table entry; id: page
  send_wqe,          ///< work queue element; id: queue pair and slot
  completion_queue,  ///< completion queue context; id: completion queue
  count_
};
inline constexpr std::size_t cache_kinds = static_cast<std::size_t>(CacheKind::count_);
std::string_view name_of(CacheKind kind);

/// Caches of their own for kinds of entries, beside the one budget that the other kinds share.
struct CachesConfig {
  std::optional<CacheConfig> queue_pair{}, memory_key{}, translation{}, completion_queue{};
  /// Misses of which reads are under way at once; a further one begins when the first of them is
  /// done. 0: any number.
  std::uint32_t misses = 0;

  /// Null: the kind has none of its own.
  const CacheConfig* of(CacheKind kind) const;
  /// Whether any kind has one.
  bool any() const { return queue_pair || memory_key || translation || completion_queue; }
  friend bool operator==(const CachesConfig&, const CachesConfig&) = default;
  static const Schema<CachesConfig>& schema();
};

/// Where the state of entropy schemes and congestion control is.
enum class PolicyPlace : std::uint8_t { context, chip };

struct OnChipMemoryConfig {
  static constexpr Bytes largest = 1024_MiB;  ///< that `total` may be

  bool limited = false;  ///< false: every access to the cache hits
  Bytes total = 2_MiB;

  // Entries of the cache, each with its tag.
  Bytes qp_context = 375_B;
  Bytes memory_key = 64_B;
  Bytes translation = 8_B;
  Bytes page = 4_KiB;  ///< memory that one translation maps
  Bytes send_wqe = 64_B;
  Bytes cq_context = 64_B;
  std::uint32_t wqes_held = 8;  ///< of a queue pair, from fetch to the end of their use

  // Always on the chip.
  Bytes tx_buffer = 256_KiB;
  Bytes rx_buffer = 256_KiB;
  std::optional<std::uint32_t> reorder_bits;  ///< of a queue pair; absent: the transport's window
  Bytes retransmit_state = 32_B;              ///< of a queue pair
  PolicyPlace policy_state = PolicyPlace::context;

  Bytes entry(CacheKind kind) const;
  /// State of each queue pair on the chip beside its cached context: reorder bitmap, in 64-bit
  /// words, and retransmission state. `window`: of its transport, in packets.
  Bytes reorder_state(std::uint32_t window) const;
  Bytes state_per_queue_pair(std::uint32_t window) const {
    return reorder_state(window) + retransmit_state;
  }
  /// Bytes that buffers leave, for the state of queue pairs and for the cache.
  Bytes beside_buffers() const { return total - tx_buffer - rx_buffer; }

  static const Schema<OnChipMemoryConfig>& schema();
};

}  // namespace horae::rnic
