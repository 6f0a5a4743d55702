// horae p4 test.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace horae::cli {

/// A command below `horae p4`.
struct P4Command {
  CLI::App* command = nullptr;
  std::function<int()> run;  ///< gives the exit code
};
P4Command add_p4_test(CLI::App& p4);

}  // namespace horae::cli
