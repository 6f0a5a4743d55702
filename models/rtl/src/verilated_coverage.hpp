// Coverage of the hardware descriptions (tb/tools/coverage --rtl): a build of its own, as
// Verilator's coverage and its saving of registers exclude each other.
#pragma once

#include <verilated.h>

#ifdef HORAE_RTL_COVERAGE
#include <unistd.h>
#include <verilated_cov.h>

#include <cstdlib>
#include <string>
#endif

namespace horae::rtl {

#ifdef HORAE_RTL_COVERAGE
constexpr bool for_coverage = true;

/// Puts what was run of the instance into a file of its own in the folder $HORAE_RTL_COVERAGE.
inline void write_coverage(VerilatedContext& context) {
  static unsigned instances = 0;
  const char* const folder = std::getenv("HORAE_RTL_COVERAGE");
  if (folder == nullptr) return;
  const std::string file = std::string(folder) + "/" + std::to_string(::getpid()) + "_" +
                           std::to_string(instances++) + ".dat";
  context.coveragep()->write(file.c_str());
}
#else
constexpr bool for_coverage = false;
inline void write_coverage(VerilatedContext& /*context*/) {}
#endif

}  // namespace horae::rtl
