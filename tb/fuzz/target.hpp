// Shared by fuzz targets. A target takes any bytes; nothing may happen but a result, or one line
// that says what is wrong.
#pragma once

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "horae/core/error.hpp"

namespace horae::fuzz {

/// Entry of a target for one input; entry.cpp calls it. True: something was read of it to the end,
/// false: all that was tried was refused.
bool one_input(std::span<const std::uint8_t> bytes);

/// Ends the process where a property does not hold: what a fuzzer counts as a finding.
inline void require(bool holds, std::string_view what) {
  if (holds) return;
  fmt::print(stderr, "fuzz: {}\n", what);
  std::abort();
}

/// Runs `read`; an InputError of one line is what bad input is to end with. Whether it came to its
/// end.
template <class Read>
bool read_or_refuse(Read&& read) {
  try {
    read();
    return true;
  } catch (const InputError& e) {
    const std::string_view line = e.what();
    require(!line.empty() && line.find('\n') == std::string_view::npos, "a refusal is one line");
    return false;
  }
}

/// Bytes as the text that they may be.
inline std::string_view text_of(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A file in memory, for readers that take a path.
class MemoryFile {
 public:
  MemoryFile() : file_(::memfd_create("fuzz", 0)) {}
  ~MemoryFile() { ::close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", file_); }
  void write(std::span<const std::uint8_t> bytes) {
    // Cut last: pages that stay need not be had again.
    require(::pwrite(file_, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()) &&
                ::ftruncate(file_, static_cast<off_t>(bytes.size())) == 0,
            "no memory for a file");
  }

 private:
  int file_;
};

}  // namespace horae::fuzz
