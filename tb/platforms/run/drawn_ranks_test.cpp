// The drawn platforms over two or three processes, or with threads: the same bytes as by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"
#include "sanitized.hpp"

namespace horae::test::drawn_ranks_test {
namespace {
namespace fs = std::filesystem;

/// Platforms that a test takes one after the other: each twelfth.
constexpr unsigned groups = 12;

/// All files of a run, but for the time that it took.
std::string results_of(const Workplace& place) {
  std::string all;
  for (const auto& name : place.content()) {
    if (!name.starts_with("out/")) continue;
    std::string text = place.read(name);
    if (name == "out/summary.json") {
      auto summary = ordered_json::parse(text);
      summary.erase("wall_s");
      text = summary.dump(1);
    }
    all += name + "\n" + text;
  }
  return all;
}

class DrawnRanks : public testing::TestWithParam<unsigned> {
 protected:
  static std::vector<std::string> platforms() {
    std::vector<std::string> all;
    for (unsigned i = GetParam();; i += groups) {
      const std::string file =
          fmt::format("{}/../tb/platforms/drawn/{:02}.toml", HORAE_PLATFORM_DIR, i);
      if (!fs::exists(file)) return all;
      all.push_back(file);
    }
  }
  static Ended run_as(const Workplace& place, const std::string& platform, const Words& more) {
    Words words = {"run", platform, "--no-progress", "--out", "out"};
    words.insert(words.end(), more.begin(), more.end());
    return run(place, words);
  }
};

TEST_P(DrawnRanks, DoNotShowInTheResults) {
  if (sanitized()) GTEST_SKIP() << "the shipped platforms are run so (Shipped/Ranks)";
  unsigned turn = GetParam();
  for (const std::string& platform : platforms()) {
    const Workplace place;
    const Ended alone = run_as(place, platform, {});
    const std::string expected = results_of(place);
    // Ranks wait for each other where processors are few: each ninth platform has them.
    const bool ranks = turn % 9 == 0;
    const Words more = ranks ? Words{"--ranks", turn % 2 == 0 ? "2" : "3"}
                             : Words{"--threads-from", "0", "--threads", "2"};
    ++turn;
    const Ended ended = run_as(place, platform, more);
    if (ended.err.find("was built without: ") != std::string::npos)
      GTEST_SKIP() << "this build has no MPI";
    EXPECT_EQ(ended.exit_code, alone.exit_code) << platform << more[0] << ended.err;
    EXPECT_EQ(results_of(place), expected) << platform << more[0];
  }
}

INSTANTIATE_TEST_SUITE_P(All, DrawnRanks, testing::Range(0u, groups));

}  // namespace
}  // namespace horae::test::drawn_ranks_test
