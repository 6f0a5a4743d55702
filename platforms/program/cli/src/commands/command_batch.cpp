// horae batch: many command lines in one process, each in a fork of it.
#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "horae/cli/command.hpp"
#include "horae/cli/program.hpp"
#include "horae/core/error.hpp"
#include "horae/results/exit_code.hpp"

namespace horae::cli {
namespace {

using nlohmann::ordered_json;

/// Output of a child: memory that has no name and is never full, as a pipe may be.
class Said {
 public:
  Said() : fd_(::memfd_create("horae batch", MFD_CLOEXEC)) {
    if (fd_ < 0) throw ModelError("batch: no memory for what a command line prints");
  }
  ~Said() { ::close(fd_); }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;

  int fd() const { return fd_; }

  std::string text() const {
    std::string text(static_cast<std::size_t>(std::max<off_t>(0, ::lseek(fd_, 0, SEEK_END))), '\0');
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n =
          ::pread(fd_, text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw ModelError("batch: what a command line printed cannot be read");
      done += static_cast<std::size_t>(n);
    }
    return text;
  }

 private:
  int fd_;
};

[[noreturn]] void run_line(std::vector<std::string> words, const Said& out, const Said& err,
                           unsigned limit_s) {
  // Standard input has the next lines, which are not the child's: not those to come, and not those
  // that were read ahead. Its place in a file is shared with the parent, so it goes first.
  ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  if (std::freopen("/dev/null", "r", stdin) == nullptr) ::_exit(results::exit_failed);
  ::dup2(out.fd(), STDOUT_FILENO);
  ::dup2(err.fd(), STDERR_FILENO);
  ::alarm(limit_s);
  words.insert(words.begin(), "horae");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int code = run_program(static_cast<int>(words.size()), argv.data());
  std::fflush(nullptr);
  // No destructors: SystemC's globals belong to the parent's copy as well.
  ::_exit(code);
}

/// Runs one command line to its end.
ordered_json ended(const std::vector<std::string>& words, unsigned limit_s) {
  const Said out, err;
  std::fflush(nullptr);  // or the child prints it again
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw ModelError("batch: no child process");
  if (child == 0) {
    // A batch that is killed takes its child along.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(results::exit_failed);
    run_line(words, out, err, limit_s);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ordered_json line;
  line["exit"] = WIFEXITED(status) ? ordered_json(WEXITSTATUS(status)) : ordered_json(nullptr);
  line["signal"] = WIFSIGNALED(status) ? ordered_json(WTERMSIG(status)) : ordered_json(nullptr);
  line["out"] = out.text();
  line["err"] = err.text();
  return line;
}

std::vector<std::string> words_of(const std::string& line, std::size_t number) {
  const auto json = ordered_json::parse(line, nullptr, false);
  bool words = json.is_array();
  for (std::size_t i = 0; words && i < json.size(); ++i) {
    words = json[i].is_string() &&
            json[i].get_ref<const std::string&>().find('\0') == std::string::npos;
  }
  if (!words) {
    throw InputError(
        fmt::format("standard input:{}:1: expected the words of a command line as a JSON array of "
                    "strings: [\"run\", \"p.toml\", \"--json\"]",
                    number));
  }
  return json.get<std::vector<std::string>>();
}

int batch(unsigned limit_s) {
  std::string line;
  for (std::size_t number = 1; std::getline(std::cin, line); ++number) {
    const auto one = ended(words_of(line, number), limit_s);
    fmt::print("{}\n", one.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    if (std::fflush(stdout) != 0) throw ModelError("standard output: cannot be written");
  }
  return results::exit_done;
}

}  // namespace

Command add_batch(CLI::App& app) {
  const auto limit_s = std::make_shared<unsigned>(0);
  CLI::App* command = add_command(
      app, "batch", "Command lines from standard input, each in a process forked from this one.",
      "Standard input has a JSON array of words in each line; printed is a JSON object for each:\n"
      "exit (null after a signal), signal (or null), out, err.\n\n"
      "A line: [\"run\", \"platforms/flow_list.toml\", \"--json\"]\n"
      "Example: cat lines | horae batch --limit 60");
  constexpr unsigned longest_s = 1'000'000;
  command
      ->add_option("--limit", *limit_s,
                   "each command line is ended (signal 14) after so long; default 0: never")
      ->type_name("SECONDS")
      ->check(whole_number(longest_s));
  return {command, [limit_s] { return batch(*limit_s); }};
}

}  // namespace horae::cli
