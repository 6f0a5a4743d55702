// The circular bitmap over PSNs.
#include "horae/policy/transport/sequence_bitmap.hpp"

#include <gtest/gtest.h>

#include <set>

#include "horae/core/random.hpp"

namespace horae::policy::sequence_bitmap_test {
namespace {

TEST(SequenceBitmap, SizeIsAPowerOfTwoOfWholeWords) {
  EXPECT_EQ(SequenceBitmap(1, Psn(0)).size(), 64u);
  EXPECT_EQ(SequenceBitmap(64, Psn(0)).size(), 64u);
  EXPECT_EQ(SequenceBitmap(65, Psn(0)).size(), 128u);
  EXPECT_EQ(SequenceBitmap(512, Psn(0)).size(), 512u);
  EXPECT_EQ(SequenceBitmap(513, Psn(0)).size(), 1024u);
  EXPECT_EQ(SequenceBitmap(512, Psn(0)).memory(), Bytes(64));
  EXPECT_EQ(SequenceBitmap(1, Psn(0)).memory(), Bytes(8));
}

TEST(SequenceBitmap, CoversExactlyItsSizeFromTheBaseOn) {
  for (const std::uint32_t base : {0u, 37u, 0x7fffffu, 0xfffe01u, 0xffffffu}) {
    const SequenceBitmap map(512, Psn(base));
    EXPECT_EQ(map.base(), Psn(base));
    EXPECT_FALSE(map.covers(Psn(base) - 1));
    EXPECT_TRUE(map.covers(Psn(base)));
    EXPECT_TRUE(map.covers(Psn(base) + 511));
    EXPECT_FALSE(map.covers(Psn(base) + 512));
    EXPECT_FALSE(map.covers(Psn(base) + 0x800000));
  }
}

TEST(SequenceBitmap, StepTakesOneBitAndLeavesItClearForItsSuccessor) {
  SequenceBitmap map(64, Psn(0xffffff));
  map.set(Psn(0xffffff));
  EXPECT_TRUE(map.step());
  EXPECT_EQ(map.base(), Psn(0));
  EXPECT_FALSE(map.step());
  EXPECT_EQ(map.base(), Psn(1));
  // 0xffffff + 64 shares the bit that was set and taken.
  EXPECT_FALSE(map.test(Psn(63)));
}

TEST(SequenceBitmap, AdvanceStopsAtTheFirstHole) {
  SequenceBitmap map(512, Psn(0xfffff0));
  EXPECT_EQ(map.advance(), 0u);
  for (int i = 0; i < 100; ++i) {
    if (i != 40) map.set(Psn(0xfffff0) + i);
  }
  EXPECT_EQ(map.advance(), 40u);
  EXPECT_EQ(map.base(), Psn(0xfffff0) + 40);
  map.set(map.base());
  EXPECT_EQ(map.advance(), 60u);
  EXPECT_EQ(map.base(), Psn(0xfffff0) + 100);
}

TEST(SequenceBitmap, AdvanceOverAFullMapTakesAllOfItOnce) {
  SequenceBitmap map(512, Psn(0xffff80));
  for (int i = 0; i < 512; ++i) map.set(Psn(0xffff80) + i);
  EXPECT_EQ(map.advance(), 512u);
  EXPECT_EQ(map.base(), Psn(0xffff80) + 512);
  EXPECT_EQ(map.advance(), 0u);
}

// Against a set of numbers, over more than the map's size, across the wrap.
TEST(SequenceBitmap, BehavesAsASetOfNumbers) {
  RandomStream random(1, "bitmap");
  const Psn first(0xfffc00);
  SequenceBitmap map(128, first);
  std::set<std::int32_t> set;
  std::int32_t base = 0;
  while (base < 5000) {
    const auto psn = base + static_cast<std::int32_t>(random.below(128));
    ASSERT_TRUE(map.covers(first + psn));
    ASSERT_EQ(map.test(first + psn), set.contains(psn)) << psn;
    map.set(first + psn);
    set.insert(psn);
    const std::uint64_t choice = random.below(8);
    if (choice == 7) {
      const auto taken = static_cast<std::int32_t>(random.below(100));
      std::uint32_t were_set = 0;
      for (std::int32_t i = 0; i < taken; ++i) were_set += set.erase(base + i) != 0 ? 1u : 0u;
      ASSERT_EQ(map.take(static_cast<std::uint32_t>(taken)), were_set);
      base += taken;
      ASSERT_EQ(map.base(), first + base);
    }
    if (choice > 1) continue;
    std::int32_t run = 0;
    while (set.erase(base + run) != 0) ++run;
    ASSERT_EQ(map.advance(), static_cast<std::uint32_t>(run));
    base += run;
    ASSERT_EQ(map.base(), first + base);
  }
}

TEST(SequenceBitmap, ItsBasePassesWhatNeverGotItsBit) {
  SequenceBitmap map(64, Psn(0xfffffe));
  map.set(Psn(0));
  map.set(Psn(1));
  EXPECT_EQ(map.advance(), 0u);
  map.pass_clear();
  EXPECT_EQ(map.base(), Psn(0xffffff));
  EXPECT_EQ(map.advance(), 0u);
  map.pass_clear();
  EXPECT_EQ(map.advance(), 2u);
  EXPECT_EQ(map.base(), Psn(2));
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_FALSE(map.test(Psn(i))) << i;
}

}  // namespace
}  // namespace horae::policy::sequence_bitmap_test
