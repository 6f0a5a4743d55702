#include "result_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "horae/core/error.hpp"

namespace horae::platforms {
namespace fs = std::filesystem;

ResultFolder::ResultFolder(fs::path target) : target_(std::move(target)) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "out/x/"
  std::error_code error;
  if (fs::exists(target_, error)) {
    const bool empty = fs::is_directory(target_, error) && fs::is_empty(target_, error);
    if (!empty && !fs::exists(target_ / "summary.json", error)) {
      throw InputError(fmt::format(
          "--out {}: is there and holds no earlier result; expected a new name or a result folder",
          target_.string()));
    }
  }
  staging_ = target_;
  staging_ += fmt::format(".partial.{}", ::getpid());
  fs::create_directories(staging_, error);
  if (error)
    throw InputError(
        fmt::format("--out {}: cannot be made: {}", target_.string(), error.message()));
}

ResultFolder::~ResultFolder() {
  std::error_code error;
  if (!committed_) fs::remove_all(staging_, error);
}

void ResultFolder::write(const fs::path& relative, const std::string& content) {
  std::error_code error;
  fs::create_directories((staging_ / relative).parent_path(), error);
  std::ofstream file(staging_ / relative, std::ios::binary);
  file << content;
  file.close();
  if (!file)
    throw InputError(
        fmt::format("--out {}: {} cannot be written", target_.string(), relative.string()));
}

void ResultFolder::commit() {
  std::error_code error;
  fs::path old = target_;
  old += fmt::format(".old.{}", ::getpid());
  const bool replaces = fs::exists(target_, error);
  if (replaces) fs::rename(target_, old);
  fs::rename(staging_, target_, error);
  if (error)
    throw InputError(
        fmt::format("--out {}: cannot be put in place: {}", target_.string(), error.message()));
  committed_ = true;
  if (replaces) fs::remove_all(old, error);
}

}  // namespace horae::platforms
