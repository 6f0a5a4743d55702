// Runs the program as a user does and keeps what it said: tests of platforms look at it from
// outside. HORAE_PLATFORM_DIR is where the shipped platforms are.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace horae::test {

using nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// The program under test.
const char* program_path();

/// A folder of its own for each test, gone with it. Programs run in it, so that files have short
/// names in messages.
class Workplace {
 public:
  Workplace() {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Workplace() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const std::filesystem::path& path() const { return path_; }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream file(path_ / name, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + name);
  }

  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  ordered_json read_json(const std::string& name) const { return ordered_json::parse(read(name)); }

  /// Everything in it by relative name, sorted.
  Words content() const {
    Words names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      names.push_back(std::filesystem::relative(entry.path(), path_).string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

/// How a program ended.
struct Ended {
  int exit_code = -1;  ///< -1: by a signal
  int signal = 0;
  std::string out;
  std::string err;

  ordered_json json() const { return ordered_json::parse(out); }
};

/// The program under way.
class Program {
 public:
  Program(const Workplace& place, const Words& arguments) {
    out_ = temporary();
    err_ = temporary();
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ == 0) {
      constexpr unsigned longest_seconds = 120;
      ::alarm(longest_seconds);  // survives exec: what hangs must not outlive its test
      ::dup2(out_, STDOUT_FILENO);
      ::dup2(err_, STDERR_FILENO);
      std::vector<char*> argv = {const_cast<char*>("horae")};
      for (const auto& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
      argv.push_back(nullptr);
      if (::chdir(place.path().c_str()) == 0) ::execv(program_path(), argv.data());
      ::_exit(127);
    }
  }
  ~Program() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      wait_for();
    }
    ::close(out_);
    ::close(err_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  pid_t pid() const { return pid_; }
  void send(int signal) const { ::kill(pid_, signal); }

  Ended end() {
    const int status = wait_for();
    pid_ = -1;
    Ended ended;
    if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
    ended.out = all_of(out_);
    ended.err = all_of(err_);
    return ended;
  }

 private:
  /// A file without a name: never full, as a pipe may be, and gone with its descriptor.
  static int temporary() {
    const int fd = ::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) throw std::runtime_error("no temporary file");
    return fd;
  }
  static std::string all_of(int fd) {
    std::string text(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n =
          ::pread(fd, text.data() + done, text.size() - done, static_cast<off_t>(done));
      if (n <= 0) throw std::runtime_error("cannot read what the program said");
      done += static_cast<std::size_t>(n);
    }
    return text;
  }
  int wait_for() const {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
  }

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
};

inline Ended run(const Workplace& place, const Words& arguments) {
  return Program(place, arguments).end();
}

/// The program must refuse the arguments: `message` behind "horae: " is all it says, and nothing in
/// the folder changes.
inline void expect_refused(const Workplace& place, const Words& arguments,
                           const std::string& message) {
  const Words before = place.content();
  const Ended ended = run(place, arguments);
  EXPECT_EQ(ended.err, "horae: " + message + "\n");
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(place.content(), before);
}

/// The arguments, and `--set` with each setting.
inline Words with_settings(Words arguments, const Words& settings) {
  for (const auto& s : settings) arguments.insert(arguments.end(), {"--set", s});
  return arguments;
}

/// A JSON value as TOML: tables inline, so that the order of keys stays.
inline std::string toml_of(const ordered_json& value) {
  std::string out;
  const auto join = [&](char open, char close, auto&& item) {
    out += open;
    for (auto it = value.begin(); it != value.end(); ++it)
      out += (it == value.begin() ? "" : ", ") + item(it);
    out += close;
  };
  if (value.is_object()) {
    join('{', '}', [](const auto& it) { return it.key() + " = " + toml_of(it.value()); });
  } else if (value.is_array()) {
    join('[', ']', [](const auto& it) { return toml_of(*it); });
  } else {
    out = value.dump();
  }
  return out;
}

/// The effective configuration of a summary, as the text of a platform.
inline std::string config_text(const ordered_json& summary) {
  std::string text;
  for (const auto& [key, value] : summary.at("config").items())
    text += key + " = " + toml_of(value) + "\n";
  return text;
}

/// `horae run FILE --json ...`, which must succeed, as its summary.
inline ordered_json summary_of(const Workplace& place, const std::string& file,
                               const Words& settings = {}, int exit_code = 0) {
  const Ended ended = run(place, with_settings({"run", file, "--json"}, settings));
  if (ended.exit_code != exit_code || !ordered_json::accept(ended.out)) {
    throw std::runtime_error(
        fmt::format("exit code {}, signal {}: {}", ended.exit_code, ended.signal, ended.err));
  }
  return ended.json();
}

inline double result(const ordered_json& summary, const std::string& name) {
  return summary.at("results").at(name).at("value").get<double>();
}

/// Two NICs on one chip, a few messages under way: the smallest platform, line by line the same for
/// every test that counts lines.
inline const std::string tiny = R"([platform]
name = "tiny"

[sim]
duration = "20 us"

[nic]
kind = "rnic"
reliability = { window = 64, rto = "50 us" }

[chip]
kind = "tofino"
program = { name = "forward" }

[[device]]
names = ["a", "b"]
profile = "nic"
[[device]]
names = ["t"]
profile = "chip"

[[link]]
between = ["a", "t"]
[[link]]
between = ["t", "b"]

[[traffic]]
kind = "messages"
from = ["a"]
to = ["b"]
message = "4 KiB"
depth = 2
)";

}  // namespace horae::test
