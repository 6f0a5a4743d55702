// The name that a slip of the pen was meant to be.
#include "horae/core/error.hpp"

#include <gtest/gtest.h>

namespace horae::error_test {
namespace {

TEST(NearestName, OneWrongLetterIsOneStep) {
  EXPECT_EQ(nearest_name("bundwidth", {"bandwidth"}), "bandwidth");
  EXPECT_EQ(nearest_name("bxndwxdth", {"bandwidth"}), "bandwidth");
}

TEST(NearestName, AThirdOfTheLengthIsNearAndMoreIsNot) {
  EXPECT_EQ(nearest_name("bxndwxdtx", {"bandwidth"}), "bandwidth");  // 3 of 9
  EXPECT_EQ(nearest_name("bxnxwxdtx", {"bandwidth"}), "");
  EXPECT_EQ(nearest_name("rxtx", {"rate"}), "rate");  // 2 of 4: short names have two
  EXPECT_EQ(nearest_name("abcdef", {"abuvwxyz"}), "");
}

TEST(NearestName, IsTheNearestOfSeveral) {
  EXPECT_EQ(nearest_name("delai", {"dells", "delay", "relay"}), "delay");
}

}  // namespace
}  // namespace horae::error_test
