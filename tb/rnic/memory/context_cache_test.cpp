// The cache of contexts against a list that does the same slowly, and against closed forms.
#include "horae/rnic/memory/context_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <set>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"

namespace horae::rnic::context_cache_test {
namespace {

/// `capacity` bytes for the cache, entries of 64 bytes but for contexts of 256.
OnChipMemoryConfig small(Bytes capacity) {
  OnChipMemoryConfig c;
  c.limited = true;
  c.qp_context = 256_B;
  c.memory_key = c.translation = c.send_wqe = c.cq_context = 64_B;
  c.tx_buffer = c.rx_buffer = 1_KiB;
  c.total = capacity + 2_KiB;
  return c;
}

Bytes in_use(const ContextCache& cache) {
  Bytes sum;
  for (std::size_t k = 0; k < cache_kinds; ++k)
    sum += cache.counters(static_cast<CacheKind>(k)).bytes;
  return sum;
}

/// A cache without any index, as the reference.
class NaiveLru {
 public:
  explicit NaiveLru(const OnChipMemoryConfig& config)
      : config_(config), capacity_(config.beside_buffers()) {}

  CacheAccess access(CacheKind kind, std::uint64_t id) {
    const Item item{kind, id};
    const auto it = std::find(items_.begin(), items_.end(), item);
    if (it != items_.end()) {
      items_.erase(it);
      items_.push_front(item);
      return {};
    }
    CacheAccess out{1, 0};
    if (config_.entry(kind) > capacity_) return out;
    out.write_back = shrink_to(capacity_ - config_.entry(kind));
    items_.push_front(item);
    return out;
  }
  void drop(CacheKind kind, std::uint64_t id) { items_.remove({kind, id}); }
  std::uint32_t reserve(Bytes bytes) {
    capacity_ -= bytes;
    return shrink_to(capacity_);
  }
  Bytes used() const {
    Bytes sum;
    for (const auto& [kind, id] : items_) sum += config_.entry(kind);
    return sum;
  }
  Bytes capacity() const { return capacity_; }
  std::uint64_t evictions() const { return evictions_; }

 private:
  using Item = std::pair<CacheKind, std::uint64_t>;

  std::uint32_t shrink_to(Bytes most) {
    std::uint32_t write_back = 0;
    while (used() > most) {
      const CacheKind kind = items_.back().first;
      if (kind == CacheKind::queue_pair || kind == CacheKind::completion_queue)
        write_back += static_cast<std::uint32_t>(config_.entry(kind).count());
      items_.pop_back();
      ++evictions_;
    }
    return write_back;
  }

  OnChipMemoryConfig config_;
  Bytes capacity_;
  std::list<Item> items_;
  std::uint64_t evictions_ = 0;
};

class AgainstNaive : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(AgainstNaive, EveryAnswerIsTheSame) {
  RandomStream random(GetParam(), "accesses");
  OnChipMemoryConfig config = small(Bytes(static_cast<std::int64_t>(random.below(12'000))));
  config.translation = 8_B;
  config.cq_context = 100_B;
  ContextCache cache(config);
  NaiveLru naive(config);
  const std::uint64_t ids = 4 + random.below(60);
  std::uint64_t hits = 0, misses = 0, evictions = 0;
  constexpr int steps = 20'000;
  for (int i = 0; i < steps; ++i) {
    const auto kind = static_cast<CacheKind>(random.below(cache_kinds));
    const std::uint64_t id = random.below(ids);
    const std::uint64_t what = random.below(1000);
    if (what < 50) {
      cache.drop(kind, id);
      naive.drop(kind, id);
    } else if (what < 52 && cache.capacity() > 64_B) {
      EXPECT_EQ(cache.reserve(64_B), naive.reserve(64_B));
    } else {
      const CacheAccess ours = cache.access(kind, id), theirs = naive.access(kind, id);
      ASSERT_EQ(ours.reads, theirs.reads) << "access " << i;
      ASSERT_EQ(ours.write_back, theirs.write_back) << "access " << i;
      ++(ours.hit() ? hits : misses);
    }
    ASSERT_EQ(cache.used(), naive.used());
    ASSERT_LE(cache.used(), cache.capacity());
    ASSERT_EQ(cache.used(), in_use(cache));
  }
  std::uint64_t counted_hits = 0, counted_misses = 0;
  for (std::size_t k = 0; k < cache_kinds; ++k) {
    const auto& c = cache.counters(static_cast<CacheKind>(k));
    counted_hits += c.hits;
    counted_misses += c.misses;
    evictions += c.evictions;
    EXPECT_LE(c.bytes, c.most_bytes);
  }
  EXPECT_EQ(counted_hits, hits);
  EXPECT_EQ(counted_misses, misses);
  EXPECT_EQ(evictions, naive.evictions());
  EXPECT_EQ(cache.capacity(), naive.capacity());
}

INSTANTIATE_TEST_SUITE_P(Seeds, AgainstNaive, ::testing::Range<std::uint64_t>(1, 21));

// Cyclic access: what fits misses once each, one entry more misses always.
TEST(ContextCache, CyclicAccessFitsOrThrashes) {
  constexpr std::uint64_t fit = 100, rounds = 5;
  for (const std::uint64_t entries : {fit, fit + 1}) {
    ContextCache cache(small(Bytes(256 * static_cast<std::int64_t>(fit))));
    for (std::uint64_t r = 0; r < rounds; ++r) {
      for (std::uint64_t i = 0; i < entries; ++i) cache.access(CacheKind::queue_pair, i);
    }
    const auto& c = cache.counters(CacheKind::queue_pair);
    EXPECT_EQ(c.misses, entries == fit ? fit : rounds * entries);
    EXPECT_EQ(c.hits, entries == fit ? (rounds - 1) * fit : 0);
    EXPECT_EQ(c.evictions, c.misses - fit);
    EXPECT_EQ(c.most_bytes, Bytes(256 * static_cast<std::int64_t>(fit)));
  }
}

TEST(ContextCache, TheLeastRecentlyUsedGoesFirst) {
  ContextCache cache(small(Bytes(3 * 64)));
  for (const std::uint64_t id : {0, 1, 2}) cache.access(CacheKind::memory_key, id);
  EXPECT_TRUE(cache.access(CacheKind::memory_key, 0).hit());
  EXPECT_FALSE(cache.access(CacheKind::memory_key, 3).hit());  // 1 goes
  for (const std::uint64_t id : {0, 2, 3})
    EXPECT_TRUE(cache.access(CacheKind::memory_key, id).hit());
  EXPECT_FALSE(cache.access(CacheKind::memory_key, 1).hit());
}

TEST(ContextCache, KindsShareOneBudgetAndNotTheirIds) {
  ContextCache cache(small(Bytes(256 + 64)));
  cache.access(CacheKind::queue_pair, 7);
  EXPECT_FALSE(cache.access(CacheKind::send_wqe, 7).hit());
  EXPECT_TRUE(cache.access(CacheKind::queue_pair, 7).hit());
  // The element goes first, which is not enough, then the context, which is written back.
  cache.access(CacheKind::send_wqe, 8);
  EXPECT_EQ(cache.counters(CacheKind::send_wqe).evictions, 1u);
  const CacheAccess other = cache.access(CacheKind::queue_pair, 9);
  EXPECT_EQ(other.write_back, 256u);
  EXPECT_EQ(cache.counters(CacheKind::queue_pair).evictions, 1u);
  EXPECT_TRUE(cache.access(CacheKind::send_wqe, 8).hit());
}

TEST(ContextCache, ATranslationIsTwoDependentReadsAtMost) {
  ContextCache cache(small(1_KiB));
  EXPECT_EQ(cache.translate(1, 10).reads, 2u);
  EXPECT_EQ(cache.translate(1, 11).reads, 1u);
  EXPECT_EQ(cache.translate(2, 10).reads, 1u);
  EXPECT_EQ(cache.translate(2, 11).reads, 0u);
}

TEST(ContextCache, WithoutALimitEverythingHits) {
  OnChipMemoryConfig config = small(64_B);
  config.limited = false;
  ContextCache cache(config);
  for (std::uint64_t i = 0; i < 1000; ++i)
    EXPECT_TRUE(cache.access(CacheKind::queue_pair, i).hit());
  EXPECT_EQ(cache.counters(CacheKind::queue_pair).hits, 1000u);
  EXPECT_EQ(cache.counters(CacheKind::queue_pair).misses, 0u);
  EXPECT_EQ(cache.reserve(1_MiB), 0u);
}

TEST(ContextCache, WhatIsLargerThanAllMissesAlwaysAndHarmsNothing) {
  ContextCache cache(small(128_B));
  cache.access(CacheKind::memory_key, 1);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(cache.access(CacheKind::queue_pair, 1).hit());
  EXPECT_TRUE(cache.access(CacheKind::memory_key, 1).hit());
  EXPECT_EQ(cache.counters(CacheKind::queue_pair).evictions, 0u);
}

TEST(ContextCache, RefusesToSetAsideWhatIsNotThere) {
  ContextCache cache(small(128_B));
  cache.access(CacheKind::completion_queue, 1);
  cache.access(CacheKind::memory_key, 1);
  EXPECT_EQ(cache.reserve(64_B), 64u);  // the completion queue's context goes
  EXPECT_EQ(cache.capacity(), 64_B);
  EXPECT_TRUE(cache.access(CacheKind::memory_key, 1).hit());
  EXPECT_THROW(cache.reserve(65_B), ModelError);
  OnChipMemoryConfig nothing = small(0_B);
  nothing.tx_buffer += 1_B;
  EXPECT_THROW(ContextCache{nothing}, ModelError);
}

// An entry that was used once is found again after many others came and went (the table grows and
// shrinks).
TEST(ContextCache, TheTableGrowsWithoutLosingAnything) {
  ContextCache cache(small(1_MiB));
  constexpr std::uint64_t entries = (1 << 20) / 64;
  for (std::uint64_t i = 0; i < entries; ++i) cache.access(CacheKind::translation, i << 30 | i);
  for (std::uint64_t i = 0; i < entries; ++i)
    ASSERT_TRUE(cache.access(CacheKind::translation, i << 30 | i).hit()) << i;
  EXPECT_EQ(cache.used(), 1_MiB);
}

}  // namespace
}  // namespace horae::rnic::context_cache_test
