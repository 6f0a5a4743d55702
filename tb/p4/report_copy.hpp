// A copy of a report folder to be damaged.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace horae::p4 {

/// The hand-made program: a condition around an exact table with a counter for each entry, a
/// keyless action, and a register indexed by what the table wrote.
inline const std::string counted = HORAE_P4_REPORTS "/counted";

/// Gone with the test.
class ReportCopy {
 public:
  explicit ReportCopy(const std::string& folder) {
    std::string pattern = (std::filesystem::temp_directory_path() / "horae.XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
    std::filesystem::copy(folder, path_,
                          std::filesystem::copy_options::recursive |
                              std::filesystem::copy_options::overwrite_existing);
  }
  ~ReportCopy() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ReportCopy(const ReportCopy&) = delete;
  ReportCopy& operator=(const ReportCopy&) = delete;

  const std::string& path() const { return path_; }

  std::string read(const std::string& file) const {
    std::ifstream in(path_ + "/" + file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(path_ + "/" + file, std::ios::binary) << text;
  }
  /// Replaces the first `from`, which must be there.
  void replace(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read(file);
    const auto at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error(file + " has no " + from);
    write(file, text.replace(at, from.size(), to));
  }
  void remove(const std::string& file) const { std::filesystem::remove_all(path_ + "/" + file); }

 private:
  std::string path_;
};

}  // namespace horae::p4
