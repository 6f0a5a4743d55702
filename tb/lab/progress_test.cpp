// When a line of progress is due, and what it says.
#include "horae/results/progress.hpp"

#include <gtest/gtest.h>

namespace horae::results::progress_test {
namespace {

using namespace std::chrono_literals;

TEST(Progress, IsDueOnATerminalAfterTwoSecondsFiveTimesASecond) {
  EXPECT_FALSE(Progress::due(true, 2s, 2s));
  EXPECT_TRUE(Progress::due(true, 2s + 1ns, 2s + 1ns));
  EXPECT_FALSE(Progress::due(true, 1h, 200ms));
  EXPECT_TRUE(Progress::due(true, 1h, 200ms + 1ns));
}

TEST(Progress, IsDueElsewhereOnceAMinute) {
  EXPECT_FALSE(Progress::due(false, 1h, 60s));
  EXPECT_TRUE(Progress::due(false, 1h, 60s + 1ns));
  EXPECT_TRUE(Progress::due(false, 0s, 61s));
}

TEST(Progress, TellsTheTimeLeftByTheShareThatIsDone) {
  EXPECT_EQ(Progress::line(0.25, "3 of 12", 10), " 25.0 %  3 of 12  30 s left");
  EXPECT_EQ(Progress::line(1, "all", 10), "100.0 %  all  0 s left");
  EXPECT_EQ(Progress::line(0, "none", 10), "  0.0 %  none  ? s left");
}

TEST(Progress, OfAFreshOneIsNotDueWhetherItIsAskedForOrNot) {
  const Progress silent(false), asked(true);
  EXPECT_FALSE(silent.due());
  EXPECT_FALSE(asked.due());
  EXPECT_GE(asked.elapsed_seconds(), 0);
  EXPECT_LT(asked.elapsed_seconds(), 60);
}

}  // namespace
}  // namespace horae::results::progress_test
