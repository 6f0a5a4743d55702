// Memory of the program that parts of an elaborated platform take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "horae/core/cxx20.hpp"

namespace horae::elaboration {

/// Charges what the program allocates, by the allocator's own account (mallinfo2 of glibc), to what
/// was built meanwhile. So it counts all that a part holds, SystemC's share included, and what the
/// allocator adds. Numbers differ from machine to machine by a few bytes; they are no results of a
/// run.
class MemoryMeter {
 public:
  struct Line {
    std::string what;
    std::size_t count = 0;   ///< of that kind
    std::int64_t bytes = 0;  ///< of all of them
  };

  MemoryMeter() : last_(allocated()) {}

  /// Charges memory allocated since the last call, or construction, to `count` more of `what`.
  void charge(std::string_view what, std::size_t count = 1);

  /// In the order in which they were first charged.
  const std::vector<Line>& lines() const { return lines_; }

  /// Bytes allocated by the program and not given back; 0 where another allocator is in its place.
  static std::int64_t allocated();
  /// Bytes of the program in the machine's memory.
  static std::int64_t resident();

 private:
  std::vector<Line> lines_;
  std::int64_t last_;
};

}  // namespace horae::elaboration
