// The laboratory's progress.
#pragma once

#include <functional>
#include <string>

#include "horae/results/progress.hpp"

namespace horae::lab {

/// A progress line for one part of the work.
std::function<void(std::size_t, std::size_t)> watch_line(results::Progress& progress,
                                                         const std::string& title);

}  // namespace horae::lab
