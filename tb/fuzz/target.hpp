// What fuzz targets share. A target takes any bytes; nothing may happen but a result, or one line
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

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace horae::fuzz {

/// Ends the process where a property does not hold: what a fuzzer counts as a finding.
inline void require(bool holds, std::string_view what) {
  if (holds) return;
  fmt::print(stderr, "fuzz: {}\n", what);
  std::abort();
}

/// Runs `read`; an InputError of one line is what bad input is to end with.
template <class Read>
void read_or_refuse(Read&& read) {
  try {
    read();
  } catch (const InputError& e) {
    const std::string_view line = e.what();
    require(!line.empty() && line.find('\n') == std::string_view::npos, "a refusal is one line");
  }
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
    require(::ftruncate(file_, 0) == 0 && ::pwrite(file_, bytes.data(), bytes.size(), 0) ==
                                              static_cast<ssize_t>(bytes.size()),
            "no memory for a file");
  }

 private:
  int file_;
};

}  // namespace horae::fuzz
