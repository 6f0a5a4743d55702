// When a resource that serves one thing at a time is taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::rnic {

/// Reservations of a resource, made ahead of time and not in the order of their times: each takes
/// the first free time at or after its earliest start, in pieces when it must. So the resource is
/// never idle while something that was known waits for it, and a reservation once made stands.
class BusyTimeline {
 public:
  /// Takes `duration` (above zero) from `earliest` on; returns its end.
  Picoseconds reserve(Picoseconds earliest, Picoseconds duration) {
    // The latest reservations are where most new ones go.
    std::size_t i = busy_.size();
    while (i > head_ && busy_[i - 1].end >= earliest) --i;
    if (i == busy_.size()) {
      busy_.push_back({earliest, earliest + duration});
      return earliest + duration;
    }
    return reserve_among(i, earliest, duration);
  }

  /// Nothing will be asked for before `now` any more.
  void forget_before(Picoseconds now) {
    while (head_ < busy_.size() && busy_[head_].end < now) ++head_;
    if (head_ == busy_.size()) {
      busy_.clear();
      head_ = 0;
    } else if (head_ > 64 && head_ * 2 > busy_.size()) {
      drop_forgotten();
    }
  }

 private:
  struct Interval {
    Picoseconds begin, end;
  };

  /// `i`: the first interval that ends at or after `earliest`.
  Picoseconds reserve_among(std::size_t i, Picoseconds earliest, Picoseconds duration) {
    const Picoseconds begin = std::min(earliest, busy_[i].begin);
    std::size_t next = i;
    Picoseconds at = earliest;
    if (busy_[i].begin <= earliest) {
      at = busy_[i].end;
      ++next;
    }
    for (; next < busy_.size() && busy_[next].begin - at < duration; ++next) {
      duration -= busy_[next].begin - at;
      at = busy_[next].end;
    }
    const Interval merged{begin, at + duration};
    if (next == i) {
      busy_.insert(busy_.begin() + static_cast<std::ptrdiff_t>(i), merged);
    } else {
      busy_[i] = merged;
      busy_.erase(busy_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                  busy_.begin() + static_cast<std::ptrdiff_t>(next));
    }
    return merged.end;
  }
  void drop_forgotten() {
    busy_.erase(busy_.begin(), busy_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }

  std::vector<Interval> busy_;  ///< apart and in order; those before head_ are forgotten
  std::size_t head_ = 0;
};

}  // namespace horae::rnic
