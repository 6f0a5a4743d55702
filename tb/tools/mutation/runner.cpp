// Runs tests of a binary with mutations, each in a child process. See runner.hpp and switch.hpp.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

#include "switch.hpp"

namespace horae_mutation {

namespace {

constexpr rlim_t kMemory = 6ull << 30;  // a mutation may ask for more and more
constexpr rlim_t kFile = 1ull << 30;    // or write for ever
constexpr unsigned kWall =
    120;  // seconds more than 20 times the processor time: it waits for nothing

struct Test {
  int limit;  // seconds of processor time
  std::string name;
};

std::vector<Test> all_tests() {
  std::vector<Test> out;
  const auto& unit = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s) {
    const auto& suite = *unit.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& test = *suite.GetTestInfo(t);
      const std::string name = std::string(suite.name()) + "." + test.name();
      if (name.find("DISABLED_") == std::string::npos) out.push_back({3600, name});
    }
  }
  return out;
}

std::vector<Test> tests_of(const char* file) {
  std::vector<Test> out;
  std::ifstream in(file);
  for (Test test; in >> test.limit >> test.name;) out.push_back(test);
  return out;
}

void limit(int what, rlim_t value) {
  const rlimit both{value, value};
  ::setrlimit(what, &both);
}

[[noreturn]] void run_here(const Test& test) {
  ::setpgid(0, 0);
  const auto seconds = static_cast<rlim_t>(test.limit);
  const rlimit processor{seconds, seconds + 1};
  ::setrlimit(RLIMIT_CPU, &processor);
  limit(RLIMIT_AS, kMemory);
  limit(RLIMIT_FSIZE, kFile);
  limit(RLIMIT_CORE, 0);
  ::alarm(kWall + 20 * static_cast<unsigned>(test.limit));
  if (std::getenv("HORAE_MUTATION_LOUD") == nullptr) {
    std::freopen("/dev/null", "w", stdout);
    std::freopen("/dev/null", "w", stderr);
  }
  ::testing::GTEST_FLAG(filter) = test.name;
  const int failed = ::testing::UnitTest::GetInstance()->Run();
  std::fflush(nullptr);
  ::_exit(failed);
}

std::string outcome(int status) {
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "passed" : "failed";
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL) return "timeout";
  return "signal " + std::to_string(signal);
}

double seconds(const rusage& usage) {
  const auto of = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

}  // namespace

int run_tests() {
  mark(0, 0);
  // Static initialisers ran before every test.
  const std::vector<unsigned char> before(reached, reached + kSwitches);
  const char* file = std::getenv("HORAE_MUTATION_TESTS");
  const char* report = std::getenv("HORAE_MUTATION_REPORT");
  if (std::getenv("HORAE_MUTATION_LIST") != nullptr) {
    for (const auto& test : all_tests()) std::cout << test.name << '\n';
    return 0;
  }
  std::ofstream out(report == nullptr ? "/dev/stdout" : report);
  for (const auto& test : file == nullptr ? all_tests() : tests_of(file)) {
    std::memcpy(reached, before.data(), kSwitches);
    out.flush();
    const pid_t child = ::fork();
    if (child == 0) run_here(test);
    int status = 0;
    rusage usage{};
    if (child < 0 || ::wait4(child, &status, 0, &usage) != child) return 3;
    ::kill(-child, SIGKILL);  // what it may have left
    const std::string how = outcome(status);
    out << test.name << '\t' << how << '\t' << seconds(usage) << '\t' << std::hex;
    for (std::size_t i = 0; i < kSwitches; ++i) out << static_cast<int>(reached[i]);
    out << std::dec << '\n';
    if (how != "passed" && std::getenv("HORAE_MUTATION_TO_END") == nullptr) return 1;
  }
  return 0;
}

}  // namespace horae_mutation
