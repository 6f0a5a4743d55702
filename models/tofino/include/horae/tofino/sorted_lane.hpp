// Events with nearly the same delay: in order without a calendar.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::tofino {

/// Items in their order (`<`, by `time` first), most of which are put in behind all others: one
/// array, whose front moves on as items leave and which is moved back to its start when it is at
/// the end. A push and a pop are some 15 instructions (callgrind) where boost::circular_buffer,
/// which looks for its ends in both, takes 35, and a calendar, which files and sorts, above 100.
template <class T>
class SortedLane {
 public:
  SortedLane() : items_(16) { begin_at_start(0); }
  SortedLane(const SortedLane&) = delete;
  SortedLane& operator=(const SortedLane&) = delete;

  [[gnu::always_inline]] void push(const T& item) {
    if (last_ == limit_) [[unlikely]]
      make_room();
    T* at = last_++;
    // Most overtake none or a few; a search for the rest.
    for (int steps = 0; at != first_ && item < at[-1]; --at) {
      if (++steps > few) [[unlikely]] {
        at = open_place(item, at);
        break;
      }
      *at = at[-1];
    }
    *at = item;
    last_->time = never;
  }
  bool empty() const { return first_ == last_; }
  /// The earliest (not empty).
  const T& front() const { return *first_; }
  void pop() { ++first_; }
  /// Time of the earliest, or `never`.
  Picoseconds next_time() const { return first_->time; }
  /// Calls `f` with every item, the earliest first.
  template <class F>
  void for_each(F&& f) const {
    std::for_each(first_, last_, f);
  }

 private:
  static constexpr int few = 3;

  /// Moves up what comes behind an item and before `end`, a free place; its place.
  [[gnu::noinline]] T* open_place(const T& item, T* end) {
    T* const at = std::upper_bound(first_, end, item);
    std::move_backward(at, end, end + 1);
    return at;
  }
  [[gnu::noinline]] void make_room() {
    const auto waiting = static_cast<std::size_t>(last_ - first_);
    std::move(first_, last_, items_.data());
    if (2 * waiting > items_.size()) items_.resize(2 * items_.size());
    begin_at_start(waiting);
  }
  void begin_at_start(std::size_t waiting) {
    first_ = items_.data();
    last_ = first_ + waiting;
    limit_ = first_ + items_.size() - 1;
    last_->time = never;
  }

  std::vector<T> items_;
  T* first_;
  T* last_;   ///< behind the last: an item at `never`
  T* limit_;  ///< as far as `last_` goes
};

}  // namespace horae::tofino
