// 24-bit serial arithmetic for callers of C.
#include "horae/facade/psn.h"

#include <gtest/gtest.h>

namespace horae::facade_psn_test {
namespace {

constexpr std::uint32_t half = 1u << 23;

TEST(FacadePsn, GoesRoundBothWays) {
  EXPECT_EQ(horae_psn_add(0xffffff, 1), 0u);
  EXPECT_EQ(horae_psn_add(0, -1), 0xffffffu);
  EXPECT_EQ(horae_psn_add(5, 1 << 24), 5u);
  EXPECT_EQ(horae_psn_add(0x1000005, 2), 7u);  // the low 24 bits count
  EXPECT_EQ(horae_psn_distance(0xfffff0, 0x10), 0x20);
  EXPECT_EQ(horae_psn_distance(0x10, 0xfffff0), -0x20);
  EXPECT_EQ(horae_psn_distance(0, half), -static_cast<std::int32_t>(half));
}

TEST(FacadePsn, ComparesByTheShorterWay) {
  EXPECT_EQ(horae_psn_before(0xfffff0, 0x10), 1);
  EXPECT_EQ(horae_psn_before(0x10, 0xfffff0), 0);
  EXPECT_EQ(horae_psn_after(0x10, 0xfffff0), 1);
  EXPECT_EQ(horae_psn_before(9, 9), 0);
  EXPECT_EQ(horae_psn_after(9, 9), 0);
  EXPECT_EQ(horae_psn_before(0, half), 0);
  EXPECT_EQ(horae_psn_after(0, half), 0);
  EXPECT_EQ(horae_psn_before(0, half - 1), 1);
}

}  // namespace
}  // namespace horae::facade_psn_test
