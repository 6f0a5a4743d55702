// The line that names the result folder of a command.
#pragma once

#include <string>

#include "horae/results/result_folder.hpp"

namespace horae::cli {

/// Puts the folder in place; one line to standard error where it replaced an earlier result.
void commit(results::ResultFolder& folder);

/// One line on a result folder that is in place: its name, and what opens the files in it.
std::string commit_report(const std::string& folder);

}  // namespace horae::cli
