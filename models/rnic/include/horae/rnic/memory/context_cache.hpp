// The cache of contexts on the NIC's chip, without a clock: which access hits.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/unordered_set.hpp>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "horae/rnic/memory/on_chip_memory.hpp"
#include "horae/rnic/memory/set_cache.hpp"

namespace horae::rnic {

/// Cost of an access. Reads are of host memory and depend on each other: the device turns them
/// into as many DMA round trips, one after the other; a write-back is posted and delays nothing.
struct CacheAccess {
  std::uint32_t reads = 0;       ///< 0: a hit
  std::uint32_t write_back = 0;  ///< bytes of evicted contexts that go back to host memory
  bool hit() const { return reads == 0; }
};

/// Dependent reads of host memory on a miss: the entry itself. A packet that needs several entries
/// needs them in the order context, memory key, translation, each found through the one before
/// (layout of mlx5's context memory): three round trips when all of them miss.
constexpr std::uint32_t serial_reads(CacheKind /*kind*/) { return 1; }

/// Entries of several kinds and sizes in one budget of bytes, the least recently used go first;
/// kinds that have a cache of their own are in that. All operations take constant time (a miss: per
/// entry evicted). Only the calls decide what happens, never addresses or hash order.
class ContextCache {
 public:
  struct Counters {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t evictions = 0;
    Bytes bytes{};       ///< in use
    Bytes most_bytes{};  ///< largest value of `bytes`

    std::uint64_t accesses() const { return hits + misses; }
  };

  /// A budget of what the buffers and caches of single kinds leave of the chip's memory. ModelError
  /// when they leave nothing.
  explicit ContextCache(const OnChipMemoryConfig& config, const CachesConfig& caches = {});
  ContextCache(const ContextCache&) = delete;
  ContextCache& operator=(const ContextCache&) = delete;
  ~ContextCache();

  /// Uses an entry; when it is not there, fetches it and evicts what has to go. An entry larger
  /// than the whole budget always misses. `id` below 2^56.
  CacheAccess access(CacheKind kind, std::uint64_t id) {
    if (own_[index(kind)]) return access_own(kind, id);
    if (!limited_) {
      ++counters_[index(kind)].hits;
      return {};
    }
    const std::uint64_t key = key_of(kind, id);
    const auto it = table_.find(key);
    if (it == table_.end()) return miss(kind, key);
    ++counters_[index(kind)].hits;
    order_.splice(order_.begin(), order_, order_.iterator_to(*it));
    return {};
  }

  /// Address translation: the memory key of `region`, then the translation of `page`.
  CacheAccess translate(std::uint64_t region, std::uint64_t page) {
    const CacheAccess key = access(CacheKind::memory_key, region);
    const CacheAccess translation = access(CacheKind::translation, page);
    return {key.reads + translation.reads, key.write_back + translation.write_back};
  }

  /// An entry that is of no use any more (a WQE whose message is completed). Not an eviction.
  void drop(CacheKind kind, std::uint64_t id);

  /// Takes bytes from the budget for good, for what is never evicted (the state of one more queue
  /// pair). Returns the bytes written back of what had to go. ModelError when there is not so much.
  std::uint32_t reserve(Bytes bytes);

  /// Bytes that entries may take.
  Bytes capacity() const { return capacity_; }
  /// Bytes that they take.
  Bytes used() const { return used_; }
  const Counters& counters(CacheKind kind) const { return counters_[index(kind)]; }

 private:
  struct Entry : boost::intrusive::list_base_hook<>, boost::intrusive::unordered_set_base_hook<> {
    std::uint64_t key = 0;
  };
  struct Key {
    using type = std::uint64_t;
    type operator()(const Entry& entry) const { return entry.key; }
  };
  struct Hash {
    // Fibonacci hashing: ids are dense, and the table takes the low bits.
    std::size_t operator()(std::uint64_t key) const {
      constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
      return static_cast<std::size_t>((key * golden) >> 32);
    }
  };
  using Table = boost::intrusive::unordered_set<Entry, boost::intrusive::key_of_value<Key>,
                                                boost::intrusive::hash<Hash>,
                                                boost::intrusive::power_2_buckets<true>>;
  using Order = boost::intrusive::list<Entry>;

  static constexpr unsigned id_bits = 56;
  static std::size_t index(CacheKind kind) { return static_cast<std::size_t>(kind); }
  static std::uint64_t key_of(CacheKind kind, std::uint64_t id) {
    return static_cast<std::uint64_t>(kind) << id_bits | id;
  }
  static CacheKind kind_of(const Entry& entry) {
    return static_cast<CacheKind>(entry.key >> id_bits);
  }

  CacheAccess access_own(CacheKind kind, std::uint64_t id);
  CacheAccess miss(CacheKind kind, std::uint64_t key);
  void remove(Entry& entry);
  /// Evicts until `bytes` more fit; returns the bytes written back.
  std::uint32_t make_room(Bytes bytes);

  bool limited_;
  std::array<Bytes, cache_kinds> entry_;  ///< size of an entry
  std::array<std::optional<SetCache>, cache_kinds> own_;
  Bytes capacity_;
  Bytes used_{};
  std::array<Counters, cache_kinds> counters_{};
  std::deque<Entry> pool_;      ///< every entry there ever was; addresses stay
  std::vector<Entry*> unused_;  ///< of them, those in no list
  std::vector<Table::bucket_type> buckets_;
  Table table_;
  Order order_;  ///< most recently used first
};

}  // namespace horae::rnic
