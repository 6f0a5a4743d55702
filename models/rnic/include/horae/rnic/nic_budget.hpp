// Bill of a number of queue pairs in the memory on the NIC's chip, without traffic.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "horae/rnic/memory/on_chip_memory.hpp"
#include "horae/rnic/memory/policy_state.hpp"

namespace horae::rnic {

/// Queue pairs that are used alike.
struct QueuePairGroup {
  std::uint32_t queue_pairs = 0;
  std::uint32_t outstanding = 0;  ///< messages posted and not completed, of each; 0: a responder
  Bytes memory{};                 ///< registered memory that each reads or writes again and again
  std::uint32_t regions = 0;      ///< memory regions of each; 0: they use those that all share
  /// They send nothing again (UC, UD): no state of reordering or retransmission is kept for them.
  bool unreliable = false;
  bool requests = false;  ///< each may have READs or atomics outstanding
  bool answers = false;   ///< each answers them
  friend bool operator==(const QueuePairGroup&, const QueuePairGroup&) = default;
};

/// Demand on one NIC.
struct NicDemand {
  std::vector<QueuePairGroup> groups;
  std::uint32_t window = 512;  ///< of the transport, in packets
  /// Memory regions that queue pairs without their own share; perftest registers one unless
  /// --mr_per_qp.
  std::uint32_t regions = 1;
  /// An ordering engine instead of the transport's bitmap: of each queue pair, and shared by all.
  std::optional<Bytes> ordering_each{};
  Bytes ordering_shared{};
  std::vector<PolicyState> policies{};  ///< of each queue pair
  std::uint32_t ports = 0;              ///< that packets wait in line for
  Bytes port_buffer{};                  ///< of each
  Bytes engine_contexts{};              ///< that the packet engine holds beside the cache
  Bytes block_state{};                  ///< of credits and completions, of all queue pairs together
  Bytes wqe{};                          ///< of a WQE; sram.send_wqe where that is more
  std::uint32_t reads = 0;              ///< READs and atomics outstanding of a queue pair
  CachesConfig caches{};                ///< of single kinds
  Bytes port_buffers() const { return port_buffer * ports; }

  std::int64_t queue_pairs() const;
  /// Those of them that may send again.
  std::int64_t reliable_queue_pairs() const;
  /// Those that request READs or atomics, and those that answer them.
  std::int64_t requesters() const;
  std::int64_t responders() const;
  friend bool operator==(const NicDemand&, const NicDemand&) = default;
};

/// One structure: `count` times `each`.
struct BudgetLine {
  std::string_view name;
  bool cached = false;  ///< may be evicted to host memory; else it must be on the chip
  std::int64_t count = 0;
  Bytes each{};
  std::vector<policy::StateField> fields{};  ///< what `each` is made of, where that is known
  Bytes bytes() const { return each * count; }
};

/// The bill of one NIC. Contexts are counted as what one round over all queue pairs touches: a
/// queue pair's context and the work queue elements it holds, a completion queue each, translations
/// of its memory, and the memory regions' keys. A kind with a cache of its own takes all of that
/// cache, and must be on the chip.
struct NicBudget {
  /// No number of queue pairs is too many.
  static constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

  Bytes capacity{};
  std::vector<BudgetLine> lines;

  /// Queue pairs, used as those asked for are, whose contexts all stay in the cache:
  /// (capacity - buffers - memory keys) / (bytes per queue pair, with its state and contexts). In
  /// round robin none misses after the first round; with one more, every access to what is a queue
  /// pair's own misses, as the least recently used entry is the one needed next.
  std::int64_t most_cached = unlimited;
  /// Memory that those fill first: the kind of a cache of its own, or "shared".
  std::string_view binds = "shared";
  /// Queue pairs whose state that must be on the chip fits it: (capacity - buffers) / state.
  std::int64_t most_on_chip = unlimited;

  Bytes on_chip() const;  ///< what must be on the chip
  Bytes cached() const;   ///< what would be, had everything room
  Bytes used() const { return on_chip() + cached(); }
  bool fits() const { return on_chip() <= capacity; }
  /// Whether all contexts stay in the cache.
  bool all_cached() const { return used() <= capacity && overfull.empty(); }
  /// Kinds of which there are more entries than their own cache holds.
  std::vector<std::string_view> overfull{};
  /// Memory that is left to contexts.
  Bytes cache() const { return fits() ? capacity - on_chip() : Bytes(0); }
};

NicBudget nic_budget(const OnChipMemoryConfig& config, const NicDemand& demand);

}  // namespace horae::rnic
