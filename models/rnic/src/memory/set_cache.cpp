#include "horae/rnic/memory/set_cache.hpp"

#include <fmt/format.h>

#include "horae/core/error.hpp"
#include "horae/params/schema.hpp"

namespace horae::rnic {

void check_cache(const CacheConfig& config, const char* what) {
  if (config.ways == 0 || config.entries % config.ways == 0) return;
  throw InputError(
      fmt::format("{}: found {} entries in sets of {}; expected whole sets, such as {}", what,
                  config.entries, config.ways, (config.entries / config.ways + 1) * config.ways));
}

const Schema<CacheConfig>& CacheConfig::schema() {
  using T = CacheConfig;
  static const Schema<T> s =
      Schema<T>("cache", "A cache of one kind of entries, apart from the memory of the others.")
          .field(
              "entries", &T::entries,
              {.doc = "entries that it holds",
               .min = 1,
               .max = T::most_entries,
               .source = "no figure of a vendor; ConnectX-3: 2K translations (RDMA over Commodity "
                         "Ethernet at Scale, SIGCOMM 2016)",
               .verified = false})
          .field(
              "ways", &T::ways,
              {.doc = "entries of a set, of which the least recently used goes; an entry has its "
                      "set by a hash. 0: one set",
               .max = T::most_entries,
               .source = "no public value",
               .verified = false});
  return s;
}

SetCache::SetCache(std::uint32_t entries, std::uint32_t ways)
    : ways_(ways == 0 ? entries : ways),
      sets_(entries == 0 ? 0 : entries / ways_),
      slots_(std::size_t{sets_.size()} * ways_) {}

std::size_t SetCache::set_of(std::uint64_t id) const {
  // The finaliser of SplitMix64 (Steele et al., OOPSLA 2014), so that ids in a row are spread.
  std::uint64_t z = id + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return static_cast<std::size_t>((z >> 32) * sets_.size() >> 32);
}

void SetCache::link(Set& set, std::uint32_t slot) {
  slots_[slot].newer = none;
  slots_[slot].older = set.newest;
  (set.newest == none ? set.oldest : slots_[set.newest].newer) = slot;
  set.newest = slot;
}

void SetCache::unlink(Set& set, std::uint32_t slot) {
  const Slot& s = slots_[slot];
  (s.newer == none ? set.newest : slots_[s.newer].older) = s.older;
  (s.older == none ? set.oldest : slots_[s.older].newer) = s.newer;
}

SetCache::Access SetCache::insert(std::uint64_t id) {
  if (sets_.empty()) return {};
  Access access;
  const std::size_t number = sets_.size() == 1 ? 0 : set_of(id);
  Set& set = sets_[number];
  std::uint32_t slot = none;
  if (!set.dropped.empty()) {
    slot = set.dropped.back();
    set.dropped.pop_back();
  } else if (set.used < ways_) {
    slot = static_cast<std::uint32_t>(number * ways_ + set.used++);
  } else {
    slot = set.oldest;
    access.evicted = slots_[slot].id;
    unlink(set, slot);
    slot_of_.erase(slots_[slot].id);
  }
  slots_[slot].id = id;
  link(set, slot);
  slot_of_.emplace(id, slot);
  return access;
}

bool SetCache::drop(std::uint64_t id) {
  const auto it = slot_of_.find(id);
  if (it == slot_of_.end()) return false;
  const std::uint32_t slot = it->second;
  Set& set = sets_[slot / ways_];
  unlink(set, slot);
  set.dropped.push_back(slot);
  slot_of_.erase(it);
  return true;
}

}  // namespace horae::rnic
