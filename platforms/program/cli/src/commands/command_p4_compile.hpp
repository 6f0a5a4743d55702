// horae p4 compile: a program as C++.
#pragma once

#include <CLI/CLI.hpp>

#include "command_p4_test.hpp"

namespace horae::cli {

P4Command add_p4_compile(CLI::App& p4);

}  // namespace horae::cli
