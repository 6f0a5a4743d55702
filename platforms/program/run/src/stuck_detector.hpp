// When a run that makes no progress is stuck.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "horae/elaboration/simulation.hpp"

namespace horae::run {

/// A run is stuck when nothing was delivered for `sim.stuck_after` and nothing can happen any more
/// but what has happened in vain: no packet on a wire, no timer that has not run out often, no
/// shaper, no message with a time, no change of the network within the run. All ranks ask the same
/// at the same times and are told the same.
class StuckDetector {
 public:
  explicit StuckDetector(elaboration::Simulation& simulation);

  /// Something new has happened at `now`.
  void begin_anew(Picoseconds now);
  /// Nothing was delivered up to `now` since the last call: whether the run is stuck; without
  /// `work_left`, messages to be completed, whether what is still in flight only repeats.
  bool ends(Picoseconds now, bool work_left);
  /// Something is known to be due then, before which the run is not stuck; negative: nothing is.
  Picoseconds expected() const { return expected_; }

 private:
  /// Whether the network changed since the last call.
  bool network_changed(Picoseconds now);

  elaboration::Simulation& simulation_;
  std::vector<Picoseconds> changes_;  ///< of the network, ascending
  std::size_t changed_ = 0;           ///< of these, so many are over
  Picoseconds since_{};               ///< of the last progress
  Picoseconds expected_{-1};          ///< not before is it worth a look
  std::uint64_t chances_ = 0;         ///< fabric::Outlook's, at the last look
};

}  // namespace horae::run
