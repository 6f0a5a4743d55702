// Scripts that shells load to complete horae's command lines.
#pragma once

#include <map>
#include <string>

namespace horae::cli {

/// Scripts by shell.
const std::map<std::string, std::string>& completion_scripts();

}  // namespace horae::cli
