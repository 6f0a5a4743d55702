// The laboratory of `horae explain`: makes the runs that a question needs, each once. What follows
// from them is the answer's.
#pragma once

#include <string>
#include <vector>

#include "horae/lab/runs.hpp"
#include "horae/question/question.hpp"

namespace horae::lab {

/// Makes runs by configuration, with the question's store and jobs. Of each run it remembers what
/// the question looks at, under any reading, and why senders were idle.
class Laboratory {
 public:
  /// The question outlives the laboratory.
  explicit Laboratory(const question::Question& question);

  const question::Question& question() const { return question_; }
  const RunStore& runs() const { return runs_; }

  /// As RunStore::end_by.
  void end_by(const results::Deadline& deadline) { runs_.end_by(deadline); }
  /// Makes the runs that are not there; `title` begins the progress line.
  void run_all(const std::vector<RunRequest>& requests, const std::string& title);
  /// The results of a run, which is made if it is not there.
  const RunRecord& run(const RunRequest& request) { return runs_.run(request); }

 private:
  const question::Question& question_;
  RunStore runs_;
};

/// Results whose names begin so are shares of time that senders were idle, by cause.
inline constexpr std::string_view idle_prefix = "senders.idle_";

}  // namespace horae::lab
