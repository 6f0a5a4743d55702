// A result folder that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace horae::platforms {

/// Collects files beside the target and renames the folder into place on commit(). An earlier
/// result folder (one with a summary.json) of that name is replaced; anything else there is an
/// InputError, at construction. Without commit() nothing remains.
class ResultFolder {
 public:
  explicit ResultFolder(std::filesystem::path target);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  /// Writes a file (sub-folders are made). A write that fails is an InputError.
  void write(const std::filesystem::path& relative, const std::string& content);
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path staging_;
  bool committed_ = false;
};

}  // namespace horae::platforms
