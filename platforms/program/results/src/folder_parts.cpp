#include "folder_parts.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace horae::results {
namespace fs = std::filesystem;

std::error_code last_error() { return {errno, std::generic_category()}; }

namespace {

constexpr std::array<int, 3> interrupt_signals = {SIGINT, SIGTERM, SIGHUP};

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "host";
}

/// Whether a process is dead and only its number is kept for its parent. Such a one has no files.
bool is_zombie(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');  // a name may have any sign
  return name_end + 2 < text.size() && (text[name_end + 2] == 'Z' || text[name_end + 2] == 'X');
}

/// Whether the process whose number ends a name is another one and lives.
bool lives(const fs::path& path) {
  const auto pid = static_cast<pid_t>(std::atol(path.extension().c_str() + 1));
  return pid != ::getpid() && (::kill(pid, 0) == 0 || errno == EPERM) && !is_zombie(pid);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether no living process has a file or folder: neither its number nor its lock, which is taken
/// by `fd` then. (Two containers of one name have processes of their own, but their locks are the
/// same.)
bool is_left(const fs::path& path, int& fd) {
  if (lives(path)) return false;
  fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  return fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

std::error_code sync(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return last_error();
  // EINVAL, ENOTSUP: a file system that has nothing to sync.
  const bool failed = ::fsync(fd) != 0 && errno != EINVAL && errno != ENOTSUP && errno != EROFS;
  const std::error_code error = failed ? last_error() : std::error_code();
  ::close(fd);
  return error;
}

std::error_code sync_tree(const fs::path& folder) {
  std::error_code error;
  for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (const auto failed = sync(it->path())) return failed;
  }
  return error ? error : sync(folder);
}

bool is_at(int fd, const fs::path& path) {
  struct stat here {
  }, there{};
  return ::fstat(fd, &here) == 0 && ::stat(path.c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

std::error_code exchange(const fs::path& from, const fs::path& to) {
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE) == 0)
    return {};
  if (errno != EINVAL && errno != ENOSYS) return last_error();
  std::error_code error;
  const fs::path aside = beside(to, "aside");
  fs::rename(to, aside, error);
  if (error) return error;
  fs::rename(from, to, error);
  std::error_code back;
  fs::rename(aside, error ? to : from, back);
  return error ? error : back;
}

std::error_code LiveFolder::make(const fs::path& path) {
  // Who cleans up may take a folder between its making and its lock.
  for (int tries = 0; tries < 10; ++tries) {
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) return last_error();
    fd_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd_ < 0) {
      if (errno == ENOENT) continue;
      return last_error();
    }
    ::flock(fd_, LOCK_SH | LOCK_NB);
    if (is_at(fd_, path)) return {};
    release();
  }
  return std::make_error_code(std::errc::device_or_resource_busy);
}

void LiveFolder::release() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

HeldInterrupts::HeldInterrupts() {
  sigset_t held;
  ::sigemptyset(&held);
  for (const int signal : interrupt_signals) ::sigaddset(&held, signal);
  ::sigprocmask(SIG_BLOCK, &held, &before_);
}

bool HeldInterrupts::any() const {
  sigset_t pending;
  ::sigemptyset(&pending);
  ::sigpending(&pending);
  return std::any_of(interrupt_signals.begin(), interrupt_signals.end(),
                     [&](int s) { return ::sigismember(&pending, s) == 1; });
}

fs::path beside(const fs::path& path, std::string_view kind) {
  fs::path out = path;
  out += fmt::format(".{}.{}.{}", kind, host_name(), ::getpid());
  return out;
}

void clean_beside(const fs::path& path) {
  std::error_code error;
  std::vector<fs::path> mine;
  const fs::path around = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(around, error)) {
    const std::string name = entry.path().filename().string();
    for (const char* kind : {"partial", "probe", "aside", "old"}) {
      const std::string begin =
          fmt::format("{}.{}.{}.", path.filename().string(), kind, host_name());
      if (name.starts_with(begin) && is_number(std::string_view(name).substr(begin.size())))
        mine.push_back(entry.path());
    }
  }
  for (const fs::path& left : mine) {
    int fd = -1;
    const bool gone = is_left(left, fd);
    const bool written =
        left.filename().string().starts_with(path.filename().string() + ".partial");
    const bool free = !fs::exists(path, error) || fs::is_empty(path, error);
    if (gone && !written && free && fs::exists(left / "summary.json", error)) {
      fs::rename(left, path, error);  // a result of before: its process was killed on the way
    } else if (gone) {
      fs::remove_all(left, error);
    }
    if (fd >= 0) ::close(fd);
  }
}

void remove_left_files(const fs::path& folder, std::string_view kind) {
  std::error_code error;
  std::vector<fs::path> left;
  const std::string middle = fmt::format(".{}.{}.", kind, host_name());
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t at = name.rfind(middle);
    if (at == std::string::npos || at == 0) continue;
    if (is_number(std::string_view(name).substr(at + middle.size()))) left.push_back(entry.path());
  }
  for (const fs::path& file : left) {
    int fd = -1;
    if (is_left(file, fd)) fs::remove(file, error);
    if (fd >= 0) ::close(fd);
  }
}

}  // namespace horae::results
