// Runs a piece of a test in a child process: SystemC elaborates once per process, so a test that
// compares several simulations runs each in a child of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace horae::test {

/// Failure of a child process.
class ChildFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace detail {

/// Failures of the running test so far; a child inherits its parent's.
inline int failures() {
  const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
  int n = 0;
  for (int i = 0; i < test->result()->total_part_count(); ++i) {
    n += test->result()->GetTestPartResult(i).failed() ? 1 : 0;
  }
  return n;
}

inline void write_all(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

inline std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

}  // namespace detail

/// Runs `work` in a child process and returns the string it returns there. Throws ChildFailure when
/// it throws, when one of its GoogleTest assertions fails, or when the process dies.
template <class F>
std::string in_child(F&& work) {
  constexpr char returned = 'r', threw = 't', failed = 'f';
  constexpr unsigned longest_seconds = 120;
  int ends[2];
  if (::pipe(ends) != 0) throw ChildFailure("no pipe");
  std::fflush(nullptr);  // or the child prints it again
  const pid_t child = ::fork();
  if (child < 0) throw ChildFailure("no process");
  if (child == 0) {
    ::close(ends[0]);
    ::alarm(longest_seconds);  // a child that hangs must not outlive its test
    std::string message;
    try {
      const int before = detail::failures();
      message = returned + std::string(work());
      if (detail::failures() != before) message = failed;
    } catch (const std::exception& e) {
      message = threw + std::string(e.what());
    }
    detail::write_all(ends[1], message);
    std::fflush(nullptr);
    ::_exit(0);  // no destructors of the parent's objects
  }
  ::close(ends[1]);
  const std::string message = detail::read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || message.empty()) {
    throw ChildFailure("the child process died with status " + std::to_string(status));
  }
  if (message[0] == failed) throw ChildFailure("an assertion failed in the child process");
  if (message[0] == threw) throw ChildFailure(message.substr(1));
  return message.substr(1);
}

}  // namespace horae::test
