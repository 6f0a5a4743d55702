// How the program ends.
#pragma once

#include <string_view>

#include "horae/core/cxx20.hpp"

namespace horae::results {

/// Exit codes of the program.
enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,  ///< a check or comparison failed, or a model broke a rule
  exit_bad_input = 2,
  exit_does_not_fit = 3,
  exit_stuck = 4,
};

/// How a run ended: `verdict` of its summary.
enum class Verdict {
  complete,
  error,    ///< queue pairs gave up (retry_count): their messages ended with an error
  timeout,  ///< messages unfinished at the end of a run that was to finish
  stuck,    ///< nothing moves any more, with messages unfinished
  refused,  ///< nothing ran: it does not fit the chip or the NIC
};
std::string_view name_of(Verdict verdict);

}  // namespace horae::results
