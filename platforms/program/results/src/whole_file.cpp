#include "horae/results/whole_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "folder_parts.hpp"

namespace horae::results {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view kind = "partial";

/// A new file whose lock says that its process lives; below 0: see errno.
int open_locked(const fs::path& path) {
  // Who cleans up may take a file between its making and its lock.
  for (int tries = 0; tries < 10; ++tries) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return fd;
    ::flock(fd, LOCK_SH | LOCK_NB);
    if (is_at(fd, path)) return fd;
    ::close(fd);
  }
  errno = EBUSY;
  return -1;
}

std::error_code write_locked(const fs::path& path, std::string_view text, bool synced) {
  const int fd = open_locked(path);
  if (fd < 0) return last_error();
  std::error_code error;
  while (!text.empty() && !error) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno != EINTR) error = last_error();
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  // Only now, when the disk has it, may it take a name that others read.
  if (!error && synced) error = sync(path);
  ::close(fd);
  return error;
}

std::error_code put(const fs::path& file, std::string_view text, bool synced) {
  clean_beside(file);
  const fs::path written = beside(file, kind);
  std::error_code error = write_locked(written, text, synced);
  if (!error) fs::rename(written, file, error);
  if (error) {
    std::error_code ignored;
    fs::remove(written, ignored);
  }
  return error;
}

}  // namespace

std::error_code write_whole(const fs::path& file, std::string_view text) {
  const std::error_code error = put(file, text, true);
  return error ? error : sync(file.has_parent_path() ? file.parent_path() : fs::path("."));
}

std::error_code write_whole_unsynced(const fs::path& file, std::string_view text) {
  return put(file, text, false);
}

void clean_files(const fs::path& folder) { remove_left_files(folder, kind); }

}  // namespace horae::results
