// Timeline of a NIC's blocks around one NACK. No SystemC.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::rnic {

/// Records what the blocks of one NIC are occupied with, from a little before the first NACK that
/// is served at or after `from` until a little after the service. Costs one branch per packet where
/// it is not in use.
class Timeline {
 public:
  enum class Kind : std::uint8_t {
    span,     ///< a block is occupied; spans of a track do not overlap
    overlap,  ///< one of several things under way at once (reads in flight)
    instant,
    level,  ///< `value` from `start` on
  };
  struct Entry {
    Kind kind;
    const char* track;
    std::string name;
    Picoseconds start{};
    Picoseconds end{};
    std::int64_t value = 0;
  };

  /// Time that is kept before the service begins and after it ends.
  static constexpr Picoseconds margin = 4_us;

  explicit Timeline(Picoseconds from) : from_(from) {}

  bool recording() const { return !done_; }
  void span(const char* track, std::string name, Picoseconds start, Picoseconds end) {
    add({Kind::span, track, std::move(name), start, end});
  }
  void overlap(const char* track, std::string name, Picoseconds start, Picoseconds end) {
    add({Kind::overlap, track, std::move(name), start, end});
  }
  void instant(const char* track, std::string name, Picoseconds at) {
    add({Kind::instant, track, std::move(name), at, at});
  }
  void level(const char* track, Picoseconds at, std::int64_t value) {
    add({Kind::level, track, "", at, at, value});
  }
  /// A service begins; whether its end is waited for. The first one that begins in time is the one
  /// recorded.
  bool service_begins(Picoseconds now);
  /// One whose end is waited for ends.
  void service_ends(Picoseconds now);

  /// In the order in which they were recorded.
  const std::deque<Entry>& entries() const { return entries_; }

 private:
  void add(Entry entry);

  Picoseconds from_;
  Picoseconds until_ = never;
  bool triggered_ = false;
  bool done_ = false;
  std::uint32_t open_ = 0;
  std::deque<Entry> entries_;
};

}  // namespace horae::rnic
