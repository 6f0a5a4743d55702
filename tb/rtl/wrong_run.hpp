// Shared by tests of hardware that differs from its model.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "horae/core/error.hpp"

namespace horae::rtl_test {

/// A folder of the test's own that is gone afterwards.
struct Folder {
  explicit Folder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }

  std::vector<std::string> lines_of(const std::string& name) const {
    std::ifstream file(path / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  std::filesystem::path path;
};

/// Message with which `run` was refused or ended; empty: none.
template <class Error, class Run>
std::string ended_with(Run run) {
  try {
    run();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

/// One line, both histories that differ in their last line alone, and a waveform.
inline void expect_difference(const std::string& said, const std::string& start,
                              const Folder& folder) {
  EXPECT_EQ(said.find(start + ": model and RTL differ at request "), 0u) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
  auto model = folder.lines_of("model.txt"), rtl = folder.lines_of("rtl.txt");
  ASSERT_FALSE(model.empty());
  EXPECT_NE(model.back(), rtl.back());
  model.pop_back();
  rtl.pop_back();
  EXPECT_EQ(model, rtl);
  EXPECT_GT(std::filesystem::file_size(folder.path / "waveform.vcd"), 500u);
}

}  // namespace horae::rtl_test
