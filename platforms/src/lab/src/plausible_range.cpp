#include "plausible_range.hpp"

#include <algorithm>
#include <cmath>

namespace horae::lab {

std::pair<std::string, bool> RangeEnd::find(double bound) {
  const double at = objective_.positions(best_)[axis_];
  // Nothing lies beyond: what was tried on the other side says nothing of this one.
  if (value(at) == value(bound)) return {value(bound), true};
  double inside = at, outside = bound;
  bool left = false;
  for (const auto& [position, within] : known(at, bound)) {
    if (within) {
      inside = position;
    } else {
      outside = position;
      left = true;
      break;
    }
  }
  if (!left && within(bound)) return {value(bound), true};
  for (unsigned i = 0; i < steps_; ++i) {
    const double middle = (inside + outside) / 2;
    if (value(middle) == value(inside) || value(middle) == value(outside)) break;
    (within(middle) ? inside : outside) = middle;
  }
  return {value(inside), false};
}

std::string RangeEnd::value(double position) const {
  auto positions = objective_.positions(best_);
  positions[axis_] = position;
  return objective_.texts(positions)[axis_];
}

bool RangeEnd::within(double position) {
  auto values = best_;
  values[axis_] = value(position);
  return objective_.at(values).objective <= threshold_;
}

// What was tried along the axis already, from the best outwards.
std::vector<std::pair<double, bool>> RangeEnd::known(double at, double bound) const {
  std::vector<std::pair<double, bool>> out;
  for (const auto& t : objective_.trials()) {
    auto values = t.values;
    values[axis_] = best_[axis_];
    if (values != best_) continue;
    const double position = objective_.positions(t.values)[axis_];
    if ((bound > at ? position > at : position < at))
      out.emplace_back(position, t.objective <= threshold_);
  }
  std::sort(out.begin(), out.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.first - at) < std::abs(b.first - at);
  });
  return out;
}

}  // namespace horae::lab
