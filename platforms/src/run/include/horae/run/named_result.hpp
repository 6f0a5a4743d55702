// One result of a run, as summary.json has it.
#pragma once

#include <string>

namespace horae::run {

/// a / b; zero when there is nothing to divide by.
inline double ratio(double a, double b) { return b == 0 ? 0.0 : a / b; }

struct NamedResult {
  std::string name;
  double value = 0;  ///< NaN: none
  std::string unit;
  std::string none = {};  ///< why there is none, where that is not plain
};

}  // namespace horae::run
