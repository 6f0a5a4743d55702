// Which atomics wait for which.
#include "horae/rnic/parts/atomic_slots.hpp"

#include <gtest/gtest.h>

namespace horae::rnic::atomic_slots_test {
namespace {

TEST(AtomicSlots, ASlotIsOfTheLowBitsOfAnAddress) {
  const AtomicSlots slots(4096);
  EXPECT_EQ(slots.slot_of(0x12345), 0x345u);
  EXPECT_EQ(slots.slot_of(0x345), slots.slot_of(0x1345));
  EXPECT_NE(slots.slot_of(0x345), slots.slot_of(0x34d));
  EXPECT_EQ(AtomicSlots(1).slot_of(0x12345), 0u);
}

TEST(AtomicSlots, OperationsHoldASlotInTheirOrder) {
  AtomicSlots slots(16);
  EXPECT_TRUE(slots.add({.qp = 1, .address = 8}));
  EXPECT_TRUE(slots.add({.qp = 2, .address = 0}));
  EXPECT_FALSE(slots.add({.qp = 3, .address = 24}));
  EXPECT_FALSE(slots.add({.qp = 4, .address = 8}));
  EXPECT_EQ(slots.next(8)->qp, 3);
  EXPECT_FALSE(slots.next(0));
  EXPECT_EQ(slots.next(8)->qp, 4);
  EXPECT_FALSE(slots.next(8));
  EXPECT_TRUE(slots.add({.qp = 5, .address = 8}));
}

}  // namespace
}  // namespace horae::rnic::atomic_slots_test
