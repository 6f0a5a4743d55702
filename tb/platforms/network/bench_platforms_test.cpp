// platforms/bench: every file is read, plain and with Themis ToRs; the small one runs to its end.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "program.hpp"

namespace horae::test::bench_platforms_test {
namespace {

const std::string folder = std::string(HORAE_PLATFORM_DIR) + "/bench";
const Words themis = {"--set", "leaf_spine.leaf=themis_tor", "--set", "nic.transport=rnic_sr"};

TEST(BenchPlatforms, AreRead) {
  const Workplace place;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".toml") continue;
    ++files;
    const Ended ended = run(place, {"config", entry.path().string(), "--json"});
    ASSERT_EQ(ended.exit_code, 0) << entry.path() << ": " << ended.err;
    EXPECT_EQ(ended.json().at("config").at("platform").at("name"), entry.path().stem().string());
  }
  EXPECT_EQ(files, 4);
}

TEST(BenchPlatforms, TheSmallRaceFinishes) {
  const Workplace place;
  for (const bool chips : {false, true}) {
    Words words = {"run", folder + "/race_128.toml", "--json", "--set", "traffic[0].message=64KiB"};
    if (chips) words.insert(words.end(), themis.begin(), themis.end());
    const Ended ended = run(place, words);
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const auto summary = ended.json();
    EXPECT_EQ(summary.at("verdict"), "complete");
    EXPECT_EQ(summary.at("results").at("senders.messages_completed").at("value"), 128);
  }
}

// More nodes than a program's table has by default.
TEST(BenchPlatforms, TheLargeRacesElaborateWithThemis) {
  const Workplace place;
  for (const char* file : {"/race_1024.toml", "/race_4096.toml"}) {
    Words words = {"config", folder + file, "--memory", "--set", "leaf_spine.leaves=2"};
    words.insert(words.end(), themis.begin(), themis.end());
    const Ended ended = run(place, words);
    EXPECT_EQ(ended.exit_code, 0) << file << ": " << ended.err;
  }
}

}  // namespace
}  // namespace horae::test::bench_platforms_test
