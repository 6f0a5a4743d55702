// A cache of entries of one size, without a clock: sets of ways, the least recently used of a set
// goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "horae/params/located.hpp"

namespace horae::rnic {

/// One cache on the NIC's chip.
struct CacheConfig {
  static constexpr std::uint32_t most_entries = 1u << 24;

  std::uint32_t entries = 1024;
  std::uint32_t ways = 0;  ///< entries of a set; 0: an entry may be anywhere

  friend bool operator==(const CacheConfig&, const CacheConfig&) = default;
  static const Schema<CacheConfig>& schema();
};

/// InputError, with `what` as the cache's key, unless the entries make whole sets.
void check_cache(const CacheConfig& config, const char* what);

/// Which of some entries are held. Entries have ids of any size; an id has its set by a hash, so
/// that ids in a row are spread as random ones are. Only the calls decide what happens. All
/// operations take constant time.
class SetCache {
 public:
  /// No entries: nothing is ever held.
  SetCache(std::uint32_t entries, std::uint32_t ways);
  explicit SetCache(const CacheConfig& config) : SetCache(config.entries, config.ways) {}

  struct Access {
    bool hit = false;
    std::optional<std::uint64_t> evicted{};  ///< had to go
  };
  /// Uses an entry, which is held afterwards.
  Access use(std::uint64_t id) {
    const auto it = slot_of_.find(id);
    if (it == slot_of_.end()) return insert(id);
    to_front(it->second);
    return {true, {}};
  }
  /// Whether an entry is held; it is not used by that.
  bool holds(std::uint64_t id) const { return slot_of_.find(id) != slot_of_.end(); }
  /// Forgets an entry; false: it was not held.
  bool drop(std::uint64_t id);

  std::size_t held() const { return slot_of_.size(); }
  std::size_t sets() const { return sets_.size(); }
  std::size_t set_of(std::uint64_t id) const;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Slot {
    std::uint64_t id = 0;
    std::uint32_t newer = none, older = none;
  };
  /// Its slots are those from `set * ways` on; the first `used` of them were used at some time.
  struct Set {
    std::uint32_t newest = none, oldest = none, used = 0;
    std::vector<std::uint32_t> dropped{};
  };

  Access insert(std::uint64_t id);
  void link(Set& set, std::uint32_t slot);
  void unlink(Set& set, std::uint32_t slot);
  void to_front(std::uint32_t slot) {
    Set& set = sets_[slot / ways_];
    if (set.newest == slot) return;
    unlink(set, slot);
    link(set, slot);
  }

  std::uint32_t ways_;
  std::vector<Set> sets_;
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> slot_of_;  ///< looked up, never gone through
};

}  // namespace horae::rnic
