// System calls that put a folder in place and that std::filesystem does not have.
#pragma once

#include <signal.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace horae::results {

/// Message of the system call that failed last.
std::error_code last_error();
/// Everything in a folder, and its names, is on the disk.
std::error_code sync_tree(const std::filesystem::path& folder);
/// Writes the content of a file, or the names in a folder, to the disk.
std::error_code sync(const std::filesystem::path& path);

/// Whether what is open is still what has that name.
bool is_at(int fd, const std::filesystem::path& path);

/// Puts folder `from` in the place of folder `to`, and what was there in the place of `from`: at
/// once where the file system can exchange names, else with a moment in which there is no `to`.
std::error_code exchange(const std::filesystem::path& from, const std::filesystem::path& to);

/// A folder that says that its process lives, by a lock on it.
class LiveFolder {
 public:
  /// Makes it; its parent is there.
  std::error_code make(const std::filesystem::path& path);
  /// Lets it go; it stays.
  void release();
  ~LiveFolder() { release(); }

 private:
  int fd_ = -1;
};

/// While it lives an interrupt waits: what ends the program in between would leave folders behind.
class HeldInterrupts {
 public:
  HeldInterrupts();
  ~HeldInterrupts() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldInterrupts(const HeldInterrupts&) = delete;
  HeldInterrupts& operator=(const HeldInterrupts&) = delete;

  /// Whether one waits.
  bool any() const;

 private:
  sigset_t before_{};
};

/// "PATH.KIND.HOST.PID": beside a file or folder, of this process.
std::filesystem::path beside(const std::filesystem::path& path, std::string_view kind);
/// Puts right what processes of this host that were killed left beside it: what they wrote
/// goes, what they moved out of its place comes back if that is empty or not there.
void clean_beside(const std::filesystem::path& path);
/// Removes the files "NAME.KIND.HOST.PID" of a folder that processes of this host left which are
/// dead now.
void remove_left_files(const std::filesystem::path& folder, std::string_view kind);

}  // namespace horae::results
