// The progress line on a terminal.
#pragma once

#include <chrono>
#include <string>

#include "horae/core/cxx20.hpp"

namespace horae::results {

/// Writes a line to standard error, once a run takes longer than two seconds. It overwrites itself
/// on a terminal; elsewhere there is one a minute. Never influences a result.
class Progress {
 public:
  /// `enabled` false: silent.
  explicit Progress(bool enabled);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `share` of the work is done (0..1); `text` says where it stands. Adds the time left.
  void update(double share, const std::string& text);
  double elapsed_seconds() const;
  /// Whether update() would write now: for callers that would compute `text` in vain.
  bool due() const;

  using Clock = std::chrono::steady_clock;
  /// The rule of due(), so long after the start and after the last line.
  static bool due(bool terminal, Clock::duration since_start, Clock::duration since_last);
  /// The line of update(), `elapsed` seconds after the start, without what ends it.
  static std::string line(double share, const std::string& text, double elapsed);

 private:
  bool enabled_;
  bool terminal_;
  bool shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

}  // namespace horae::results
