// A text file that grows while a run goes on.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>

#include "horae/core/cxx20.hpp"

namespace horae::results {

/// Lines for a file, written in large pieces. Without a file it takes nothing; check with bool.
class ResultStream {
 public:
  ResultStream() = default;
  /// Creates the file, which messages call `shown`; InputError where that fails.
  ResultStream(const std::filesystem::path& path, std::string shown);

  explicit operator bool() const { return file_ != nullptr; }
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    if (buffer_.size() >= piece) flush();
  }
  /// Everything is in the file, or an InputError. Nothing may follow.
  void close();

 private:
  static constexpr std::size_t piece = 64 * 1024;
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void flush();
  [[noreturn]] void refuse(int error) const;

  std::unique_ptr<std::FILE, Close> file_;
  std::string shown_;
  fmt::memory_buffer buffer_;
};

}  // namespace horae::results
