// Files that are there whole or not at all.
#include "horae/results/whole_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <sstream>

#include "left_behind.hpp"

namespace horae::results::whole_file_test {
namespace {
namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  WholeFile() {
    std::string name = (fs::temp_directory_path() / "whole_file.XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~WholeFile() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  std::set<std::string> names() const {
    std::set<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_))
      all.insert(entry.path().filename().string());
    return all;
  }
  /// Files left by a process that is killed while it writes `name`.
  static std::string left_beside(const std::string& name, pid_t pid) {
    return test::left_name(name, "partial", pid);
  }

  fs::path folder_;
};

// Where nothing is open the first file that is gets the number 0.
TEST_F(WholeFile, IsWrittenWithoutAStandardInput) {
  const int kept = ::dup(STDIN_FILENO);
  ::close(STDIN_FILENO);
  const std::error_code error = write_whole(folder_ / "a", "text");
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  EXPECT_FALSE(error);
  EXPECT_EQ(read("a"), "text");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(WholeFile, ReplacesWhatWasThereAndLeavesNothingBeside) {
  const std::string large(3'000'000, 'x');
  EXPECT_FALSE(write_whole(folder_ / "a", "first"));
  EXPECT_FALSE(write_whole(folder_ / "a", large));
  EXPECT_EQ(read("a"), large);
  EXPECT_FALSE(write_whole(folder_ / "a", ""));
  EXPECT_EQ(read("a"), "");
  EXPECT_EQ(names(), std::set<std::string>{"a"});
}

TEST_F(WholeFile, WhatCannotBeWrittenChangesNothing) {
  EXPECT_EQ(write_whole(folder_ / "none/a", "text"), std::errc::no_such_file_or_directory);
  fs::create_directory(folder_ / "a");
  write("a/file", "in it");
  EXPECT_TRUE(write_whole(folder_ / "a", "text"));
  EXPECT_EQ(names(), std::set<std::string>{"a"});
  EXPECT_EQ(read("a/file"), "in it");
}

TEST_F(WholeFile, WhatADeadProcessLeftGoesAndALivingOnesStays) {
  const pid_t dead = test::dead_process();
  const std::string living = left_beside("a", ::getppid());
  write(left_beside("a", dead), "half");
  write(living, "half");
  write("a.partial.elsewhere.1", "another host's");
  write("ab", "another file");
  EXPECT_FALSE(write_whole(folder_ / "a", "whole"));
  EXPECT_EQ(read("a"), "whole");
  EXPECT_EQ(names(), (std::set<std::string>{"a", "ab", "a.partial.elsewhere.1", living}));
}

// Its end may never be asked for: a first process of a container that waits for nobody.
TEST_F(WholeFile, WhatAProcessLeftWhoseEndNobodyAskedForGoes) {
  const pid_t dead = ::fork();
  if (dead == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(dead), &ended, WEXITED | WNOWAIT), 0);
  ASSERT_EQ(::kill(dead, 0), 0);
  write(left_beside("a", dead), "half");
  EXPECT_FALSE(write_whole(folder_ / "a", "whole"));
  EXPECT_EQ(names(), std::set<std::string>{"a"});
  ::waitpid(dead, nullptr, 0);
}

TEST_F(WholeFile, WhatDeadProcessesLeftInAFolderGoes) {
  const pid_t dead = test::dead_process();
  const std::set<std::string> kept = {"a", left_beside("b", ::getppid()), "b.partial.elsewhere.1",
                                      left_beside("c", dead) + "x", left_beside("", dead)};
  for (const std::string& name : kept) write(name, "whole");
  write(left_beside("a", dead), "half");
  write(left_beside("d.json", dead), "half");
  clean_files(folder_);
  EXPECT_EQ(names(), kept);
}

// A process that is killed while it waits for the disk still has its file.
TEST_F(WholeFile, WhatAFileOfADeadNumberIsHeldByStaysUntilItIsLetGo) {
  const pid_t dead = test::dead_process();
  const std::string name = left_beside("a", dead);
  write(name, "half");
  const int fd = ::open((folder_ / name).c_str(), O_RDONLY);
  ASSERT_EQ(::flock(fd, LOCK_SH), 0);
  clean_files(folder_);
  EXPECT_EQ(names(), std::set<std::string>{name});
  ::close(fd);
  clean_files(folder_);
  EXPECT_EQ(names(), std::set<std::string>{});
}

}  // namespace
}  // namespace horae::results::whole_file_test
