// How long a port was held back by PFC.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::fabric {

/// Times during which a sending port had a pause in force, per class and for any of them. Devices
/// learn of a pause before it takes effect, so a change waits here until time has reached it.
class PauseLog {
 public:
  static constexpr unsigned classes = 8;

  /// A pause (or resume) takes effect at `at`; times never decrease. No question will be asked of
  /// a time before `now`.
  void change(unsigned traffic_class, bool pause, Picoseconds at, Picoseconds now) {
    std::size_t due = 0;
    while (due < coming_.size() && coming_[due].at <= now) state_.apply(coming_[due++]);
    coming_.erase(coming_.begin(), coming_.begin() + static_cast<std::ptrdiff_t>(due));
    coming_.push_back({at, static_cast<std::uint8_t>(traffic_class), pause});
    if (keeps_) kept_.push_back(coming_.back());
  }
  /// Keeps every change from now on, for turns().
  void keep() { keeps_ = true; }
  /// The port was held from `at` on, or no longer.
  struct Turn {
    Picoseconds at;
    bool held;
  };
  /// When at least one class began to be held, and when none was any more, before `end`; of the
  /// changes that were kept.
  std::vector<Turn> turns(Picoseconds end) const {
    std::vector<Turn> out;
    unsigned mask = 0;
    for (const Change& c : kept_) {
      if (c.at >= end) break;
      const unsigned bit = 1u << c.traffic_class;
      const unsigned before = std::exchange(mask, c.pause ? mask | bit : mask & ~bit);
      if ((before == 0) != (mask == 0)) out.push_back({c.at, mask != 0});
    }
    return out;
  }
  /// Time up to `now` in which the class was held.
  Picoseconds held(unsigned traffic_class, Picoseconds now) const {
    return at(now).total(1u + traffic_class, now);
  }
  /// Time up to `now` in which at least one class was held.
  Picoseconds held(Picoseconds now) const { return at(now).total(any, now); }

 private:
  static constexpr unsigned any = 0;
  struct Change {
    Picoseconds at;
    std::uint8_t traffic_class;
    bool pause;
  };
  struct State {
    unsigned mask = 0;
    std::array<Picoseconds, 1 + classes> since{};
    std::array<Picoseconds, 1 + classes> sum{};

    bool open(unsigned i) const { return i == any ? mask != 0 : (mask >> (i - 1) & 1u) != 0; }
    Picoseconds total(unsigned i, Picoseconds now) const {
      return open(i) ? sum[i] + (now - since[i]) : sum[i];
    }
    void apply(const Change& c) {
      const unsigned before = mask;
      const unsigned bit = 1u << c.traffic_class;
      mask = c.pause ? mask | bit : mask & ~bit;
      if (mask == before) return;
      turn(1u + c.traffic_class, c.pause, c.at);
      if ((before == 0) != (mask == 0)) turn(any, c.pause, c.at);
    }
    void turn(unsigned i, bool pause, Picoseconds t) {
      if (pause) {
        since[i] = t;
      } else {
        sum[i] += t - since[i];
      }
    }
  };

  State at(Picoseconds now) const {
    State s = state_;
    for (const auto& c : coming_) {
      if (c.at > now) break;
      s.apply(c);
    }
    return s;
  }

  State state_;
  std::vector<Change> coming_;
  bool keeps_ = false;
  std::vector<Change> kept_;
};

}  // namespace horae::fabric
