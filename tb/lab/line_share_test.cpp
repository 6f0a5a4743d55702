// A sender's share of its line: what rounding may add is taken off, what is more is found.
#include "horae/run/line_share.hpp"

#include <gtest/gtest.h>

namespace horae::run::line_share_test {
namespace {

TEST(LineShare, OnlyRoundingIsTakenOff) {
  // 1 us of a line of 100 Gbps: 0.1 bits in a picosecond.
  constexpr double line = 1e5, picosecond = 0.1;
  EXPECT_EQ(within_line(99'999.5, line, picosecond), 99'999.5);
  EXPECT_EQ(within_line(line, line, picosecond), line);
  EXPECT_EQ(within_line(line + 0.1, line, picosecond), line);
  EXPECT_THROW(within_line(line + 0.2, line, picosecond), ModelError);
  EXPECT_THROW(within_line(line + 512, line, picosecond), ModelError);
}

}  // namespace
}  // namespace horae::run::line_share_test
