#include "horae/results/children.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <deque>
#include <memory>

#include "horae/core/error.hpp"
#include "horae/results/exit_code.hpp"

namespace horae::results {
namespace {

using nlohmann::ordered_json;

/// A task in a child process; its result comes through a pipe as one JSON text.
class Child {
 public:
  Child(std::size_t index, const Task& task) : index_(index) {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw ModelError("no pipe for a child process");
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) {
      ::close(fds[0]);
      ::close(fds[1]);
      throw ModelError("no child process");
    }
    if (pid_ == 0) {
      // A parent that is killed takes its children along.
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != parent) ::_exit(exit_failed);
      ::close(fds[0]);
      run(task, fds[1]);  // does not return
    }
    ::close(fds[1]);
    fd_ = fds[0];
  }
  ~Child() {
    if (fd_ >= 0) ::close(fd_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int fd() const { return fd_; }
  std::size_t index() const { return index_; }

  /// Reads what is there; true when the child is done.
  bool read_some() {
    char buffer[65536];
    const ssize_t n = ::read(fd_, buffer, sizeof buffer);
    if (n > 0) {
      text_.append(buffer, static_cast<std::size_t>(n));
      return false;
    }
    return n == 0 || errno != EINTR;
  }

  /// The result of a child that is done; throws what the child threw.
  ordered_json result(const Task& task) {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    if (text_.empty()) {
      throw ModelError(fmt::format("{}: the run ended with {} {} and no result", task.title,
                                   WIFSIGNALED(status) ? "signal" : "status",
                                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
    }
    ordered_json message = ordered_json::parse(text_);
    if (message.contains("bad_input")) {
      throw input_error(task.where,
                        fmt::format("{}: {}", task.title, message["bad_input"].get<std::string>()));
    }
    if (message.contains("error"))
      throw ModelError(fmt::format("{}: {}", task.title, message["error"].get<std::string>()));
    return std::move(message["result"]);
  }

 private:
  [[noreturn]] static void run(const Task& task, int fd) {
    ordered_json message;
    try {
      message = {{"result", task.work()}};
    } catch (const InputError& e) {
      message = {{"bad_input", e.what()}};
    } catch (const std::exception& e) {
      message = {{"error", e.what()}};
    }
    const std::string text = message.dump();
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t n = ::write(fd, text.data() + sent, text.size() - sent);
      if (n <= 0) break;
      sent += static_cast<std::size_t>(n);
    }
    // No destructors: SystemC's globals belong to the parent's copy as well.
    ::_exit(0);
  }

  std::size_t index_;
  pid_t pid_ = -1;
  int fd_ = -1;
  std::string text_;
};

}  // namespace

std::vector<ordered_json> in_children(const std::vector<Task>& tasks, unsigned jobs,
                                      const std::function<void(std::size_t)>& watch,
                                      const Deadline& deadline) {
  std::vector<ordered_json> results(tasks.size());
  std::deque<std::unique_ptr<Child>> running;
  std::size_t next = 0, done = 0;
  while (done < tasks.size()) {
    if (deadline && std::chrono::steady_clock::now() >= *deadline) throw OutOfTime();
    while (next < tasks.size() && running.size() < jobs) {
      running.push_back(std::make_unique<Child>(next, tasks[next]));
      ++next;
    }
    std::vector<pollfd> fds;
    for (const auto& child : running) fds.push_back({child->fd(), POLLIN, 0});
    ::poll(fds.data(), fds.size(), 250);
    for (std::size_t i = running.size(); i-- > 0;) {
      if ((fds[i].revents & (POLLIN | POLLHUP | POLLERR)) == 0 || !running[i]->read_some())
        continue;
      const std::size_t index = running[i]->index();
      results[index] = running[i]->result(tasks[index]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      ++done;
    }
    if (watch) watch(done);
  }
  return results;
}

SharedCounter::SharedCounter() {
  void* memory =
      ::mmap(nullptr, sizeof(*value_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw ModelError("no memory to share with child processes");
  value_ = new (memory) std::atomic<std::uint64_t>(0);
}

SharedCounter::~SharedCounter() { ::munmap(value_, sizeof(*value_)); }

}  // namespace horae::results
