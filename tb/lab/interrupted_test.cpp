// An interrupt while results are being written is held, and known to who asks.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "horae/results/result_folder.hpp"

namespace horae::results::interrupted_test {
namespace {

namespace fs = std::filesystem;

/// Ends the process with 0, or with the number of what was not as expected: without destructors,
/// since the signal ends it when the folder lets go of it.
[[noreturn]] void write_interrupted(const fs::path& place, int signal) {
  ResultFolder folder(place);
  if (folder.interrupted()) ::_exit(1);
  folder.write("summary.json", "{}\n");
  if (folder.interrupted()) ::_exit(2);
  ::raise(signal);
  if (!folder.interrupted()) ::_exit(3);
  folder.commit();
  ::_exit(fs::exists(place / "summary.json") ? 0 : 4);
}

class Interrupted : public testing::TestWithParam<int> {};

TEST_P(Interrupted, IsKnownFromTheFirstWriteOn) {
  std::string pattern = (fs::temp_directory_path() / "interrupted.XXXXXX").string();
  const fs::path place = ::mkdtemp(pattern.data());
  const pid_t child = ::fork();
  if (child == 0) write_interrupted(place / "out", GetParam());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
  fs::remove_all(place);
}

INSTANTIATE_TEST_SUITE_P(All, Interrupted, ::testing::Values(SIGINT, SIGTERM, SIGHUP));

}  // namespace
}  // namespace horae::results::interrupted_test
