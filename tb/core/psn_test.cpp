// 24-bit serial arithmetic.
#include "horae/core/psn.hpp"

#include <gtest/gtest.h>

namespace horae::psn_test {
namespace {

constexpr std::uint32_t top = Psn::mask;

TEST(Psn, WrapsAroundAtTwentyFourBits) {
  Psn psn(top);
  ++psn;
  EXPECT_EQ(psn, Psn(0));
  EXPECT_EQ(Psn(top) + 2, Psn(1));
  EXPECT_EQ(Psn(1) - 2, Psn(top));
  EXPECT_EQ(Psn(0x1000001), Psn(1));
}

TEST(Psn, DistanceIsTheShorterWayRound) {
  EXPECT_EQ(Psn(5) - Psn(3), 2);
  EXPECT_EQ(Psn(3) - Psn(5), -2);
  EXPECT_EQ(Psn(1) - Psn(top), 2);
  EXPECT_EQ(Psn(top) - Psn(1), -2);
  EXPECT_EQ(Psn(0x7fffff) - Psn(0), 0x7fffff);
  EXPECT_EQ(Psn(0x800000) - Psn(0), -0x800000);
}

TEST(Psn, OrderHoldsForEveryDistanceAroundTheWrap) {
  for (std::uint32_t base : {0u, 1u, 0x7fffffu, 0x800000u, top - 1, top}) {
    for (std::int32_t ahead : {1, 2, 511, 512, 0x3fffff, 0x7fffff}) {
      const Psn a(base);
      const Psn b = a + ahead;
      EXPECT_TRUE(a.before(b)) << base << " +" << ahead;
      EXPECT_FALSE(b.before(a));
      EXPECT_TRUE(b.after(a));
      EXPECT_EQ(b - a, ahead);
      EXPECT_EQ(a - b, -ahead);
    }
    EXPECT_FALSE(Psn(base).before(Psn(base)));
    EXPECT_FALSE(Psn(base).before(Psn(base) + 0x800000));
    EXPECT_FALSE((Psn(base) + 0x800000).before(Psn(base)));
  }
}

}  // namespace
}  // namespace horae::psn_test
