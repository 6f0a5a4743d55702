#include "horae/rnic/memory/context_cache.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"

namespace horae::rnic {
namespace {

constexpr std::size_t first_buckets = 64;

/// Structures that the NIC itself changes go back to host memory when they are evicted; the rest is
/// a copy.
bool written_by_the_nic(CacheKind kind) {
  return kind == CacheKind::queue_pair || kind == CacheKind::completion_queue;
}

}  // namespace

ContextCache::ContextCache(const OnChipMemoryConfig& config, const CachesConfig& caches)
    : limited_(config.limited),
      capacity_(config.beside_buffers()),
      buckets_(first_buckets),
      table_(Table::bucket_traits(buckets_.data(), buckets_.size())) {
  for (std::size_t k = 0; k < cache_kinds; ++k) {
    const auto kind = static_cast<CacheKind>(k);
    entry_[k] = config.entry(kind);
    const CacheConfig* const own = caches.of(kind);
    if (own == nullptr) continue;
    own_[k].emplace(*own);
    capacity_ -= entry_[k] * std::int64_t{own->entries};
  }
  if (limited_ && capacity_.count() < 0) {
    throw ModelError(fmt::format("cache: buffers of {} and {} leave nothing of {}",
                                 to_text(config.tx_buffer), to_text(config.rx_buffer),
                                 to_text(config.total)));
  }
}

ContextCache::~ContextCache() {
  table_.clear();
  order_.clear();
}

CacheAccess ContextCache::access_own(CacheKind kind, std::uint64_t id) {
  Counters& counters = counters_[index(kind)];
  const SetCache::Access access = own_[index(kind)]->use(id);
  if (access.hit) {
    ++counters.hits;
    return {};
  }
  ++counters.misses;
  const Bytes size = entry_[index(kind)];
  if (!access.evicted) {
    counters.bytes += size;
    counters.most_bytes = std::max(counters.most_bytes, counters.bytes);
    return {serial_reads(kind), 0};
  }
  ++counters.evictions;
  return {serial_reads(kind),
          written_by_the_nic(kind) ? static_cast<std::uint32_t>(size.count()) : 0};
}

CacheAccess ContextCache::miss(CacheKind kind, std::uint64_t key) {
  Counters& counters = counters_[index(kind)];
  const Bytes size = entry_[index(kind)];
  ++counters.misses;
  if (size > capacity_) return {serial_reads(kind), 0};
  const std::uint32_t write_back = make_room(size);
  Entry* entry = nullptr;
  if (unused_.empty()) {
    entry = &pool_.emplace_back();
  } else {
    entry = unused_.back();
    unused_.pop_back();
  }
  entry->key = key;
  if (order_.size() >= buckets_.size()) {
    std::vector<Table::bucket_type> more(buckets_.size() * 2);
    table_.rehash(Table::bucket_traits(more.data(), more.size()));
    buckets_.swap(more);  // moves no bucket
  }
  table_.insert(*entry);
  order_.push_front(*entry);
  used_ += size;
  counters.bytes += size;
  if (counters.bytes > counters.most_bytes) counters.most_bytes = counters.bytes;
  return {serial_reads(kind), write_back};
}

void ContextCache::remove(Entry& entry) {
  const std::size_t k = index(kind_of(entry));
  table_.erase(table_.iterator_to(entry));
  order_.erase(order_.iterator_to(entry));
  used_ -= entry_[k];
  counters_[k].bytes -= entry_[k];
  unused_.push_back(&entry);
}

std::uint32_t ContextCache::make_room(Bytes bytes) {
  std::uint32_t write_back = 0;
  while (used_ + bytes > capacity_) {
    Entry& oldest = order_.back();
    const CacheKind kind = kind_of(oldest);
    remove(oldest);
    ++counters_[index(kind)].evictions;
    if (written_by_the_nic(kind))
      write_back += static_cast<std::uint32_t>(entry_[index(kind)].count());
  }
  return write_back;
}

void ContextCache::drop(CacheKind kind, std::uint64_t id) {
  if (auto& own = own_[index(kind)]; own) {
    if (own->drop(id)) counters_[index(kind)].bytes -= entry_[index(kind)];
    return;
  }
  const auto it = table_.find(key_of(kind, id));
  if (it != table_.end()) remove(*it);
}

std::uint32_t ContextCache::reserve(Bytes bytes) {
  if (!limited_) return 0;
  if (bytes > capacity_) {
    throw ModelError(
        fmt::format("cache: {} to be set aside of {}", to_text(bytes), to_text(capacity_)));
  }
  const std::uint32_t write_back = make_room(bytes);
  capacity_ -= bytes;
  return write_back;
}

}  // namespace horae::rnic
