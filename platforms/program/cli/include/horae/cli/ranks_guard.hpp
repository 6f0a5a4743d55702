// How the processes of one run end.
#pragma once

#include <functional>

#include "horae/fabric/rank_exchange.hpp"

namespace horae::cli {

/// Does the work of this rank and returns the exit code of its process; that of the run is rank
/// 0's. What one rank throws ends all of them: it is told to the others, and rank 0 says it, in one
/// line, with the rank. Input that all ranks refuse is thrown by rank 0 as if it were alone.
int run_guarded(fabric::rank_exchange& ranks, const std::function<int()>& work);

}  // namespace horae::cli
