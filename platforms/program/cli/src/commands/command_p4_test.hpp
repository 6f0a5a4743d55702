// horae p4 test.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace horae::cli {

struct P4Test {
  CLI::App* command = nullptr;
  std::function<int()> run;  ///< gives the exit code
};
P4Test add_p4_test(CLI::App& p4);

}  // namespace horae::cli
