// One result of a run, as summary.json has it.
#pragma once

#include <string>

namespace horae::run {

/// a / b; zero when there is nothing to divide by.
inline double ratio(double a, double b) { return b == 0 ? 0.0 : a / b; }

struct NamedResult {
  std::string name;
  double value = 0;
  std::string unit;
};

}  // namespace horae::run
