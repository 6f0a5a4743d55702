// Waveform files (IEEE 1364-2001, 18.2: four-state VCD).
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::views {

/// A variable of a waveform.
struct VcdVariable {
  std::vector<std::string> scope;  ///< outermost first; what is no letter or digit becomes '_'
  std::string name;
  unsigned bits = 1;
};

/// Writes a file of changes, in the order of time and only where a value changes. Timescale 1 ps.
class VcdWriter {
 public:
  /// Declares everything, and every value as `initial` has it at `start`. Variables of one scope
  /// may stand anywhere; names are made unique where they are not.
  VcdWriter(std::ostream& out, const std::vector<VcdVariable>& variables,
            const std::vector<std::int64_t>& initial, Picoseconds start,
            const std::string& comment);
  /// `variable` (by its place) is `value` from `at` on; times never decrease, and the last of
  /// several changes at one time counts.
  void change(Picoseconds at, std::size_t variable, std::int64_t value);
  /// The waveform lasts until `end`.
  void finish(Picoseconds end);

 private:
  void write_time();
  void write_value(std::size_t variable, std::int64_t value);

  std::ostream& out_;
  std::vector<unsigned> bits_;
  std::vector<std::string> codes_;
  std::vector<std::int64_t> shown_;    ///< in the file
  std::vector<std::int64_t> current_;  ///< as of time_
  std::vector<std::size_t> touched_;   ///< at time_
  Picoseconds time_;
};

}  // namespace horae::views
