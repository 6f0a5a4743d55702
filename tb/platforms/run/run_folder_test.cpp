// The result folder: what it replaces, and that a run which is refused or ended leaves none.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "run_parts.hpp"

namespace horae::test::run_folder_test {
namespace {

TEST(ResultFolder, ReplacesAnEarlierResultAndNothingElse) {
  const Workplace place;
  place.write("p.toml", lossy);
  place.write("out/near.txt", "near\n");
  const Words arguments = {"run", "p.toml", "--json", "--out", "out/r"};
  ASSERT_EQ(run(place, arguments).exit_code, 0);
  EXPECT_TRUE(place.has("out/r/series.csv"));
  Words again = arguments;
  again.insert(again.end(), {"--set", "sim.seed=9", "--set", "sim.sample=0us"});
  ASSERT_EQ(run(place, again).exit_code, 0);
  EXPECT_EQ(place.read_json("out/r/summary.json").at("seed"), 9);
  EXPECT_EQ(place.content(), (Words{"out", "out/near.txt", "out/r", "out/r/flows.csv",
                                    "out/r/links.csv", "out/r/summary.json", "p.toml"}));
}

TEST(ResultFolder, OfARunThatIsRefusedStaysAsItWas) {
  const Workplace place;
  place.write("p.toml", tiny);
  ASSERT_EQ(run(place, {"run", "p.toml", "--out", "out"}).exit_code, 0);
  const std::string before = place.read("out/summary.json");
  EXPECT_EQ(run(place, {"run", "p.toml", "--out", "out", "--set", "nic.mtu=8KiB"}).exit_code, 2);
  EXPECT_EQ(place.read("out/summary.json"), before);
  EXPECT_EQ(place.content(),
            (Words{"out", "out/flows.csv", "out/links.csv", "out/summary.json", "p.toml"}));
}

/// A run, or a sweep, of many seconds is ended by `signal` after a moment: nothing is left.
void expect_no_trace(int signal, const std::string& platform,
                     std::chrono::milliseconds after = std::chrono::milliseconds(150)) {
  using namespace std::chrono_literals;
  const Workplace place;
  place.write("p.toml", platform);
  Program program(place, {"run", "p.toml", "--out", "out/r", "--set", "sim.duration=100s"});
  std::this_thread::sleep_for(after);
  program.send(signal);
  const auto sent = std::chrono::steady_clock::now();
  const Ended ended = program.end();
  EXPECT_LT(std::chrono::steady_clock::now() - sent, 5s);
  EXPECT_EQ(ended.signal, signal) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(place.content(), Words{"p.toml"});
}

/// Processes that run in a folder.
int processes_in(const std::filesystem::path& folder) {
  int n = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code error;
    n += std::filesystem::read_symlink(entry.path() / "cwd", error) == folder && !error ? 1 : 0;
  }
  return n;
}

TEST(Interrupt, LeavesNothing) {
  using namespace std::chrono_literals;
  for (const int signal : {SIGINT, SIGTERM}) expect_no_trace(signal, tiny);
  // Signals that cannot be held back must not come while the folder is tried.
  expect_no_trace(SIGKILL, tiny, 1000ms);
}

TEST(Interrupt, LeavesNothingWhileTheFolderIsTried) {
  for (int ms = 0; ms < 60; ms += 3) expect_no_trace(SIGTERM, tiny, std::chrono::milliseconds(ms));
}

TEST(Interrupt, OfASweepEndsItsPoints) {
  using namespace std::chrono_literals;
  const Workplace place;
  place.write("p.toml", tiny + R"([[sweep.point]]
label = "one"
[[sweep.point]]
label = "two"
)");
  Program program(place,
                  {"run", "p.toml", "--out", "r", "--jobs", "2", "--set", "sim.duration=100s"});
  const auto reach = [&](int n) {
    for (int i = 0; i < 1000; ++i) {
      if (processes_in(place.path()) == n) return true;
      std::this_thread::sleep_for(10ms);
    }
    return false;
  };
  ASSERT_TRUE(reach(3));
  program.send(SIGTERM);
  EXPECT_EQ(program.end().signal, SIGTERM);
  EXPECT_TRUE(reach(0));
  EXPECT_EQ(place.content(), Words{"p.toml"});
}

}  // namespace
}  // namespace horae::test::run_folder_test
