// horae p4 bfrt.
#pragma once

#include <CLI/CLI.hpp>

#include "command_p4_test.hpp"

namespace horae::cli {

P4Command add_p4_bfrt(CLI::App& p4);

}  // namespace horae::cli
