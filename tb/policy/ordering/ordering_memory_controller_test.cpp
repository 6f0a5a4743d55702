// Where Eunomia's memory controller finds room, and what it refuses.
#include <gtest/gtest.h>

#include <vector>

#include "horae/core/error.hpp"
#include "horae/core/random.hpp"
#include "horae/policy/ordering/memory_controller.hpp"

namespace horae::policy::ordering_memory_controller_test {
namespace {

// Searches written as they are told.
std::uint32_t first_run(const std::vector<bool>& free, std::uint32_t n) {
  for (std::uint32_t start = 0; start + n <= free.size(); ++start) {
    std::uint32_t i = 0;
    while (i < n && free[start + i]) ++i;
    if (i == n) return start;
  }
  return FreeMap::none;
}
std::uint32_t last_run(const std::vector<bool>& free, std::uint32_t n) {
  for (auto start = static_cast<std::uint32_t>(free.size()); start-- > 0;) {
    std::uint32_t i = 0;
    while (i < n && start + i < free.size() && free[start + i]) ++i;
    if (i == n) return start;
  }
  return FreeMap::none;
}

TEST(FreeMap, FindsWhatALookAtEveryPlaceFinds) {
  for (const std::uint32_t size : {1u, 10u, 63u, 64u, 65u, 128u, 300u, 1024u}) {
    RandomStream random(size, "free map");
    FreeMap map(size);
    std::vector<bool> free(size, true);
    struct Run {
      std::uint32_t start, n;
    };
    std::vector<Run> runs;
    for (int step = 0; step < 600; ++step) {
      const std::uint32_t n = 1 + random.below(random.chance(0.7) ? 3 : 90);
      const bool front = random.chance(0.5);
      const std::uint32_t start = front ? map.first_run(n) : map.last_run(n);
      ASSERT_EQ(start, front ? first_run(free, n) : last_run(free, n)) << size << " " << step;
      if (start != FreeMap::none && random.chance(step % 200 < 100 ? 0.9 : 0.3)) {
        map.take(start, n);
        for (std::uint32_t i = 0; i < n; ++i) free[start + i] = false;
        runs.push_back({start, n});
      } else if (!runs.empty()) {
        std::swap(runs[random.below(static_cast<std::uint32_t>(runs.size()))], runs.back());
        map.give(runs.back().start, runs.back().n);
        for (std::uint32_t i = 0; i < runs.back().n; ++i) free[runs.back().start + i] = true;
        runs.pop_back();
      }
      std::uint32_t taken = 0;
      for (std::uint32_t i = 0; i < size; ++i) {
        taken += free[i] ? 0 : 1;
        ASSERT_EQ(map.is_free(i), free[i]);
      }
      ASSERT_EQ(map.taken(), taken);
    }
  }
}

TEST(FreeMap, TakingOrGivingTwiceIsADefect) {
  FreeMap map(70);
  map.take(60, 5);
  EXPECT_THROW(map.take(64, 1), ModelError);
  EXPECT_THROW(map.give(59, 1), ModelError);
  EXPECT_THROW(map.take(69, 2), ModelError);
  EXPECT_THROW(map.give(70, 1), ModelError);
  try {
    map.take(70, 1);
    FAIL() << "there is no place 70";
  } catch (const ModelError& e) {
    EXPECT_STREQ(e.what(), "place 70 of 70 is no place");
  }
}

PolicyParameters config(std::uint32_t blocks, std::uint32_t block_bits) {
  return PolicyParameters::with(
      BitmapReach{.bits = 4 * block_bits},
      EunomiaMemorySizes{.block_bits = block_bits, .blocks = blocks, .index_entries = 3});
}

// Twelve words of metadata each, bitmap blocks of two words at any address.
TEST(MemoryController, BlocksComeFromTheFrontAndMetadataFromTheBack) {
  MemoryController m(EunomiaLayout(config(100, 32)));
  OrderingOps ops;
  EXPECT_EQ(m.allocate_metadata(9, ops), 88);
  EXPECT_EQ(ops.searched, 12u);
  EXPECT_EQ(m.allocate_metadata(5, ops), 76);
  EXPECT_EQ(ops.searched, 12u + 24u);
  EXPECT_EQ(m.allocate_block(ops), 0);
  EXPECT_EQ(m.allocate_block(ops), 2);
  EXPECT_EQ(ops.searched, 36u + 2 + 4);
  EXPECT_EQ(ops.allocated, 24u + 4);
  EXPECT_EQ(ops.words_written, 4u);  // blocks are cleared; metadata are the bitmap's to write
  m.release_block(0, ops);
  m.release_metadata(9, ops);
  EXPECT_EQ(ops.released, 14u);
  EXPECT_EQ(m.metadata_start(9), std::nullopt);
  EXPECT_EQ(m.metadata_start(5), 76);
  EXPECT_EQ(m.allocate_metadata(6, ops), 88);  // the highest place again, and row 0
  EXPECT_EQ(m.metadata_start_index()[0].connection, 6u);
  EXPECT_EQ(m.allocate_block(ops), 0);
}

TEST(MemoryController, WhatDoesNotFitInAHoleGoesOn) {
  MemoryController m(EunomiaLayout(config(36, 32)));
  OrderingOps ops;
  EXPECT_EQ(m.allocate_metadata(0, ops), 24);
  EXPECT_EQ(m.allocate_metadata(1, ops), 12);
  m.release_metadata(0, ops);
  for (int i = 0; i < 6; ++i) m.allocate_block(ops);  // 0 .. 11
  EXPECT_EQ(m.allocate_block(ops), 24);
  ops = {};
  EXPECT_EQ(m.allocate_metadata(2, ops), std::nullopt);  // ten words are left
  EXPECT_EQ(ops.searched, 36u);
  EXPECT_EQ(ops.allocated, 0u);
}

TEST(MemoryController, ASecondSetOfMetadataIsADefect) {
  MemoryController m(EunomiaLayout(config(100, 16)));
  OrderingOps ops;
  m.allocate_metadata(1, ops);
  EXPECT_THROW(m.allocate_metadata(1, ops), ModelError);
  EXPECT_THROW(m.release_metadata(2, ops), ModelError);
}

}  // namespace
}  // namespace horae::policy::ordering_memory_controller_test
