// A result folder that appears whole or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::results {

class HeldInterrupts;
class LiveFolder;

/// Collects files beside the target and renames the folder into place on commit(). An earlier
/// result folder (a summary.json, and nothing that is no result) of that name is replaced; anything
/// else there is an InputError, at construction; so is a place that commit() could not take, which
/// is tried. A link is followed. Without commit() nothing remains, and before the first write()
/// nothing is there: a run that is interrupted or killed leaves no trace. From the first write() to
/// the end of this object, interrupts wait; what a kill leaves then, the next one of the name
/// cleans up. All is on the disk before it is in place.
class ResultFolder {
 public:
  explicit ResultFolder(std::filesystem::path target);
  ~ResultFolder();
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  /// Writes a file (sub-folders are made). A write that fails is an InputError.
  void write(const std::filesystem::path& relative, const std::string& content);
  /// The same for what is too long for a string.
  void write(const std::filesystem::path& relative,
             const std::function<void(std::ostream&)>& content);
  /// Where a file of the folder is written to, for a caller that writes it itself; sub-folders are
  /// made.
  std::filesystem::path place(const std::filesystem::path& relative);
  /// Whether an interrupt waits. Who writes for long asks, and gives up by an exception.
  bool interrupted() const;
  void commit();
  /// Whether commit() replaced an earlier result.
  bool replaced() const { return replaced_; }
  /// The target as the user named it.
  const std::string& name() const { return shown_; }

 private:
  void check_target() const;
  /// Puts an empty folder in place and takes it away again.
  void prove_target();
  void begin_writing();
  void make_staging();
  void remove_staging();

  std::unique_ptr<HeldInterrupts> held_;  ///< while it is written; first, so the last to go
  std::string shown_;                     ///< the target as the user named it
  std::filesystem::path target_;
  std::filesystem::path staging_;
  std::unique_ptr<LiveFolder> alive_;        ///< the staging folder's
  std::vector<std::filesystem::path> made_;  ///< folders above the target, outermost first
  bool committed_ = false;
  bool replaced_ = false;
};

}  // namespace horae::results
