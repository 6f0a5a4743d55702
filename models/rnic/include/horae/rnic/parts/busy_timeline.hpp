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
    Interval& last = *(busy_.data() + busy_.size() - 1);
    if (last.begin <= earliest) {
      if (last.end >= earliest) {
        last.end += duration;
        return last.end;
      }
      const Interval next{earliest, earliest + duration};
      if (last.end >= now_) return append(next);
      last = next;  // all that is known is past
      return next.end;
    }
    return reserve_among(earliest, duration);
  }

  /// Nothing will be asked for before `now` any more.
  void forget_before(Picoseconds now) { now_ = now; }

 private:
  struct Interval {
    Picoseconds begin, end;
  };

  [[gnu::noinline]] Picoseconds append(Interval interval) {
    if (busy_.size() >= most_) forget();
    busy_.push_back(interval);
    return interval.end;
  }

  /// Not after everything known.
  [[gnu::noinline]] Picoseconds reserve_among(Picoseconds earliest, Picoseconds duration) {
    // The first interval that ends at or after `earliest`; the latest are the likeliest.
    std::size_t i = busy_.size();
    while (i > 0 && busy_[i - 1].end >= earliest) --i;
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

  void forget() {
    const auto past = [this](const Interval& i) { return i.end < now_; };
    // The last stays, so that there always is one.
    busy_.erase(busy_.begin(), std::find_if_not(busy_.begin(), busy_.end() - 1, past));
    most_ = std::max(least_kept, busy_.size() * 2);
  }

  static constexpr std::size_t least_kept = 64;

  std::vector<Interval> busy_{Interval{}};  ///< apart or touching, in order, never none
  Picoseconds now_{};
  std::size_t most_ = least_kept;  ///< before the past is looked for
};

}  // namespace horae::rnic
