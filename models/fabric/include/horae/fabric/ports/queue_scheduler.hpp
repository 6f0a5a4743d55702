// Which class of an egress port is served next: priorities, weights and shapers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "horae/core/units.hpp"
#include "horae/fabric/class_config.hpp"

namespace horae::fabric {

/// Strict priority between levels, deficit round robin within one, a token bucket for each class
/// with a rate. Lengths are bytes on the wire. A class conforms while less than `burst` bytes are
/// ahead of its rate: a backlog sends the first burst at once, then a packet each length / rate.
class QueueScheduler {
 public:
  static constexpr unsigned classes = 8;
  /// Bytes that a weight of one may send in a turn.
  static constexpr std::int64_t quantum = 2048;

  explicit QueueScheduler(const std::vector<ClassConfig>& configs);

  /// When the first of `eligible` classes (a bit each, not none) may start, not before `t`.
  Picoseconds earliest(unsigned eligible, Picoseconds t) const {
    if ((eligible & ~shaped_) != 0) return t;
    Picoseconds first = never;
    for (unsigned rest = eligible; rest != 0; rest &= rest - 1)
      first = std::min(first, conforms_at(static_cast<unsigned>(std::countr_zero(rest))));
    return std::max(first, t);
  }

  /// The class that starts at `t` = earliest(): `length(c)` is that of its first packet. It is
  /// charged.
  template <class Length>
  unsigned choose(unsigned eligible, Picoseconds t, Length&& length) {
    unsigned able = eligible;
    for (unsigned rest = eligible & shaped_; rest != 0; rest &= rest - 1) {
      const auto c = static_cast<unsigned>(std::countr_zero(rest));
      if (conforms_at(c) > t) able &= ~(1u << c);
    }
    unsigned level = classes - 1;
    while ((levels_[level] & able) == 0) --level;
    const unsigned chosen = std::has_single_bit(levels_[level])
                                ? static_cast<unsigned>(std::countr_zero(levels_[level]))
                                : take_turn(level, eligible, able, length);
    charge(chosen, length(chosen), t);
    return chosen;
  }

 private:
  struct Class {
    std::int64_t quantum = 0;
    std::int64_t deficit = 0;  ///< bytes that it may send in this turn
    BitRate rate{};
    Picoseconds ahead{};  ///< how long the burst takes at `rate`
    Picoseconds due{};    ///< when nothing is ahead of the rate any more
  };
  struct Turn {
    unsigned of = 0;     ///< a class of the level
    bool begun = false;  ///< it has been given its quantum
  };

  Picoseconds conforms_at(unsigned c) const { return class_[c].due - class_[c].ahead; }

  void charge(unsigned c, Bytes length, Picoseconds t) {
    Class& k = class_[c];
    if ((shaped_ >> c & 1u) != 0) k.due = std::max(k.due, t) + serialisation_time(length, k.rate);
  }

  template <class Length>
  unsigned take_turn(unsigned level, unsigned eligible, unsigned able, Length&& length) {
    Turn& turn = turns_[level];
    for (;;) {
      const unsigned c = turn.of;
      Class& k = class_[c];
      if ((able >> c & 1u) != 0) {
        if (!turn.begun) k.deficit += k.quantum;
        turn.begun = true;
        const std::int64_t head = length(c).count();
        if (k.deficit >= head) {
          k.deficit -= head;
          return c;
        }
      } else if ((eligible >> c & 1u) == 0) {
        k.deficit = 0;  // an empty queue saves nothing
      } else if (k.deficit < length(c).count()) {
        k.deficit +=
            k.quantum;  // held back by its shaper, it has its turns for the packet that waits
      }
      turn = {.of = after(level, c)};
    }
  }
  /// The next class of a level, highest first, then around.
  unsigned after(unsigned level, unsigned c) const {
    const unsigned below = levels_[level] & ((1u << c) - 1);
    return static_cast<unsigned>(std::bit_width(below != 0 ? below : levels_[level])) - 1;
  }

  std::array<Class, classes> class_{};
  std::array<unsigned, classes> levels_{};  ///< classes of each priority
  std::array<Turn, classes> turns_{};
  unsigned shaped_ = 0;  ///< classes with a rate
};

}  // namespace horae::fabric
