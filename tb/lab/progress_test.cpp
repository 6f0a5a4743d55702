// When a line of progress is due, and what it says.
#include "horae/results/progress.hpp"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>

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

/// The output of a process of its own whose terminal is this one.
template <class F>
std::string on_a_terminal(F&& work) {
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  std::string all;
  std::array<char, 256> some{};
  for (ssize_t n; (n = ::read(terminal, some.data(), some.size())) > 0;)
    all.append(some.data(), static_cast<std::size_t>(n));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return all;
}

TEST(Progress, OverwritesItselfOnATerminalAndGoesAtTheEnd) {
  const std::string printed = on_a_terminal([] {
    Progress asked(true), silent(false);
    asked.update(0.1, "too early");
    std::this_thread::sleep_for(2020ms);
    asked.update(0.5, "one");
    asked.update(0.6, "too soon");
    silent.update(0.5, "silent");
    std::this_thread::sleep_for(220ms);
    asked.update(0.75, "two");
  });
  EXPECT_EQ(printed, "\r\033[K 50.0 %  one  2 s left\r\033[K 75.0 %  two  1 s left\r\033[K");
}

TEST(Progress, ThatWasNotShownLeavesNothingOnATerminal) {
  EXPECT_EQ(on_a_terminal([] { Progress asked(true); }), "");
}

}  // namespace
}  // namespace horae::results::progress_test
