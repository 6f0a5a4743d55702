// A result folder beside what killed processes left of it, and what it puts in whose place.
#include "horae/results/result_folder.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "horae/core/error.hpp"
#include "left_behind.hpp"

namespace horae::results::result_folder_test {
namespace {
namespace fs = std::filesystem;

class Folders : public testing::Test {
 protected:
  Folders() {
    std::string name = (fs::temp_directory_path() / "result_folder.XXXXXX").string();
    place_ = ::mkdtemp(name.data());
  }
  ~Folders() override { fs::remove_all(place_); }

  /// A folder with a summary, or a file of the name.
  void put(const std::string& name, const std::string& summary) const {
    fs::create_directories(place_ / name);
    std::ofstream(place_ / name / "summary.json") << summary;
  }
  std::string summary(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(place_ / name / "summary.json").rdbuf();
    return text.str();
  }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(place_))
      all.insert(entry.path().filename().string());
    return all;
  }

  fs::path place_;
};

TEST_F(Folders, AResultThatAKilledProcessPutAsideIsBack) {
  const pid_t dead = test::dead_process();
  for (const char* kind : {"aside", "old", "probe"}) {
    put(test::left_name("r", kind, dead), "earlier");
    const ResultFolder folder(place_ / "r");
    EXPECT_EQ(summary("r"), "earlier") << kind;
    EXPECT_EQ(names(), std::set<std::string>{"r"}) << kind;
    fs::remove_all(place_ / "r");
  }
}

TEST_F(Folders, WhatAKilledProcessWasWritingGoes) {
  const pid_t dead = test::dead_process();
  put(test::left_name("r", "partial", dead), "half");
  const ResultFolder folder(place_ / "r");
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(Folders, WithoutASummaryNothingIsPutBack) {
  fs::create_directories(place_ / test::left_name("r", "old", test::dead_process()));
  const ResultFolder folder(place_ / "r");
  EXPECT_EQ(names(), std::set<std::string>{});
}

TEST_F(Folders, BesideAResultWhatWasPutAsideGoes) {
  put("r", "now");
  put(test::left_name("r", "old", test::dead_process()), "earlier");
  const ResultFolder folder(place_ / "r");
  EXPECT_EQ(summary("r"), "now");
  EXPECT_EQ(names(), std::set<std::string>{"r"});
}

TEST_F(Folders, AnEmptyFolderOfTheNameGivesWayToWhatWasPutAside) {
  fs::create_directories(place_ / "r");
  put(test::left_name("r", "old", test::dead_process()), "earlier");
  const ResultFolder folder(place_ / "r");
  EXPECT_EQ(summary("r"), "earlier");
}

TEST_F(Folders, OfOtherNamesHostsAndLivingProcessesNothingIsTaken) {
  const pid_t dead = test::dead_process();
  const std::set<std::string> kept = {test::left_name("r", "old", ::getppid()),
                                      test::left_name("other", "old", dead),
                                      test::left_name("r", "older", dead),
                                      test::left_name("r", "old", dead) + "x",
                                      "r.old.elsewhere.1",
                                      "r2"};
  for (const auto& name : kept) put(name, "kept");
  const ResultFolder folder(place_ / "r");
  EXPECT_EQ(names(), kept);
}

TEST_F(Folders, AppearsWhenItIsCommittedAndSaysWhetherItReplaced) {
  {
    ResultFolder folder(place_ / "r");
    EXPECT_EQ(names(), std::set<std::string>{}) << "before the first file";
    folder.write("summary.json", "first");
    folder.write("points/a/flows.csv", "x");
    EXPECT_FALSE(fs::exists(place_ / "r"));
    folder.commit();
    EXPECT_FALSE(folder.replaced());
    EXPECT_EQ(summary("r"), "first");
  }
  {
    ResultFolder folder(place_ / "r/");
    folder.write("summary.json", "second");
    EXPECT_EQ(summary("r"), "first");
    folder.commit();
    EXPECT_TRUE(folder.replaced());
    EXPECT_EQ(summary("r"), "second");
    EXPECT_FALSE(fs::exists(place_ / "r/points"));
  }
  {
    ResultFolder folder(place_ / "r");
    folder.write("summary.json", "given up");
  }
  EXPECT_EQ(summary("r"), "second");
  EXPECT_EQ(names(), std::set<std::string>{"r"});
}

TEST_F(Folders, FoldersAboveItAreMadeAndGoWithIt) {
  {
    ResultFolder folder(place_ / "a/b/r");
    folder.write("summary.json", "x");
    EXPECT_TRUE(fs::exists(place_ / "a/b"));
  }
  EXPECT_EQ(names(), std::set<std::string>{});
  ResultFolder folder(place_ / "a/b/r");
  folder.write("summary.json", "x");
  folder.commit();
  EXPECT_EQ(summary("a/b/r"), "x");
}

TEST_F(Folders, WhatIsNoResultIsNotReplaced) {
  const auto refused = [&](const std::string& name, const std::string& why) {
    try {
      const ResultFolder folder(place_ / name);
      ADD_FAILURE() << name;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
  };
  fs::create_directories(place_ / "work");
  std::ofstream(place_ / "work/notes.txt") << "mine";
  refused("work", "is there and holds no earlier result");
  put("mixed", "x");
  std::ofstream(place_ / "mixed/zz.txt") << "mine";
  std::ofstream(place_ / "mixed/notes.txt") << "mine";
  refused("mixed", "holds 'notes.txt', which is no part of a result");
  std::ofstream(place_ / "file") << "x";
  refused("file", "is there and holds no earlier result");
  fs::create_symlink(place_ / "nowhere", place_ / "link");
  refused("link", "is a link to");
  EXPECT_THROW(ResultFolder(""), InputError);
}

TEST_F(Folders, AnInterruptWaitsFromTheFirstFileOn) {
  ResultFolder folder(place_ / "r");
  EXPECT_FALSE(folder.interrupted());
  struct sigaction before {
  }, ignored{};
  ignored.sa_handler = [](int) {};
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ASSERT_EQ(::sigaction(signal, &ignored, &before), 0);
    {
      ResultFolder held(place_ / "held");
      held.write("summary.json", "x");
      EXPECT_FALSE(held.interrupted());
      ::raise(signal);
      EXPECT_TRUE(held.interrupted()) << signal;
    }
    ASSERT_EQ(::sigaction(signal, &before, nullptr), 0);
  }
  EXPECT_EQ(names(), std::set<std::string>{});
}

}  // namespace
}  // namespace horae::results::result_folder_test
