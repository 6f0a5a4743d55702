// Where a fitted value may lie.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "objective.hpp"

namespace horae::lab {

/// One end of a plausible range: bisection between the best and where it is surely left.
class RangeEnd {
 public:
  RangeEnd(Objective& objective, const Trial& around, std::size_t axis, unsigned steps)
      : objective_(objective),
        axis_(axis),
        steps_(steps),
        best_(around.values),
        threshold_(around.objective + 1) {}

  /// The value, and whether it is the parameter's bound on this side, at position `bound`.
  std::pair<std::string, bool> find(double bound);

 private:
  std::string value(double position) const;
  bool within(double position);
  std::vector<std::pair<double, bool>> known(double at, double bound) const;

  Objective& objective_;
  std::size_t axis_;
  unsigned steps_;
  std::vector<std::string> best_;
  double threshold_;
};

}  // namespace horae::lab
