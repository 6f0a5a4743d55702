// Eunomia's memory beside that of others, as its paper has it (Figure 9, Table 2).
#include <gtest/gtest.h>

#include "eunomia_memory.hpp"

namespace horae::validate::ordering_memory_test {
namespace {

// "As the OOO percentages exceed 60%, Eunomia's average memory utilization surpasses that of the
// static bitmap."
TEST(EunomiaMemory, CountedAsInSection4ItSurpassesStaticBitmapsAbove60Percent) {
  EXPECT_NEAR(crossover(Count::section_4, degrees()), 60, 2.5);
  EXPECT_LT(mean(eunomia_bytes, Count::section_4, 60, degrees()),
            mean(static_bytes, Count::section_4, 60, degrees()));
}

// Each reordering connection has a row of the index, and each open one its DBA, which section 4
// does not count: with them it is sooner.
TEST(EunomiaMemory, CountedInFullItSurpassesThemAbove53Percent) {
  const double at = crossover(Count::all, degrees());
  EXPECT_GT(at, 50);
  EXPECT_LT(at, 55);
}

TEST(EunomiaMemory, LessReorderingMovesTheCrossoverUp) {
  for (const Count count : {Count::section_4, Count::all}) {
    double before = 101;
    for (const std::uint32_t degree : degrees()) {
      const double at = crossover(count, {degree});
      EXPECT_LT(at, before) << degree;
      EXPECT_GT(at, 40) << degree;
      before = at;
    }
  }
}

TEST(EunomiaMemory, BitmapsAloneNeverTakeMoreThanStaticOnes) {
  for (std::uint32_t share = 0; share <= 100; share += Figure9::share_step) {
    for (const std::uint32_t degree : degrees()) {
      EXPECT_EQ(static_bytes(Count::bitmap, share, degree), 32);
      EXPECT_EQ(static_bytes(Count::all, share, degree), 41);
      EXPECT_LE(eunomia_bytes(Count::bitmap, share, degree), 32);
    }
  }
  EXPECT_EQ(eunomia_bytes(Count::bitmap, 0, 100), 0);
  EXPECT_EQ(eunomia_bytes(Count::bitmap, 100, 100), 32);
}

TEST(EunomiaMemory, Table2) {
  const Table2Row irn = table2_row("irn");
  EXPECT_EQ(irn.most.bitmap, 125_B);
  EXPECT_EQ(irn.most.fixed, 20_B);
  EXPECT_EQ(irn.least.total(), irn.most.total());
  EXPECT_EQ(irn.packets, 100u);
  const Table2Row mp_rdma = table2_row("mp_rdma");
  EXPECT_EQ(mp_rdma.most.bitmap, 17_B);
  EXPECT_EQ(mp_rdma.most.fixed, 49_B);
  EXPECT_EQ(mp_rdma.packets, 64u);
  const Table2Row eunomia = table2_row("eunomia");
  EXPECT_EQ(eunomia.least.total(), 4_B);
  EXPECT_EQ(eunomia.packets, 256u);
}

// Table 2's 82 B are 16 B of variables, 34 B of addresses and 32 B of bitmap (section 3.4). Section
// 4 has 24 words of metadata, so 32 B of addresses: 80 B, and 3 B in the index. With the 4 B that
// are Table 2's least it is 87 B.
TEST(EunomiaMemory, WhatItsMostIsMadeOf) {
  const Table2Parts p = eunomia_parts();
  EXPECT_EQ(p.variables, 16_B);
  EXPECT_EQ(p.addresses, 32_B);
  EXPECT_EQ(p.bitmap, 32_B);
  EXPECT_EQ(p.index_row, 3_B);
  EXPECT_EQ(p.dba, 4_B);
  EXPECT_EQ(table2_row("eunomia").most.total(), 87_B);
}

}  // namespace
}  // namespace horae::validate::ordering_memory_test
