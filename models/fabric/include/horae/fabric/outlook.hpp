// Events that can still happen in a simulation in which nothing arrives any more.
#pragma once

#include <algorithm>
#include <cstdint>

#include "horae/core/units.hpp"

namespace horae::fabric {

/// Collected from devices when a run makes no progress. What comes again and again, as it came
/// before, is no prospect: timers that ran out in vain as often as Repetition says, what was sent
/// because of them (Packet::again), and what packet generators make.
struct Outlook {
  Picoseconds until{-1};  ///< the latest time at which anything else is due; negative: nothing is
  /// Said by who asks: messages are to be completed. If not, what goes around in a switch is
  /// repetition too, as there is nothing that it could let go for.
  bool work_left = true;
  std::uint64_t chances = 0;  ///< packets that links have lost or damaged at random, or counted
                              ///< towards an injection: another try may come through

  void expect(Picoseconds t) {
    if (t != never) until = std::max(until, t);
  }
};

/// How often the same may be tried before it is repetition. Whoever runs the simulation begins an
/// era with every progress, and with every change of the network.
struct Repetition {
  std::uint32_t era = 0;
  /// Tries that are not. A queue pair's retry counter has three bits, so a NIC gives up after
  /// seven at the latest (rdma-core, ibv_modify_qp(3): retry_cnt).
  std::uint32_t most = 7;
};

/// Tries of one kind, of one who tries.
struct Tries {
  std::uint32_t era = 0;
  std::uint32_t count = 0;  ///< in that era
  Picoseconds last{};

  /// One more at `t`; those sooner than `apart` after the last that counted are of the same try.
  void add(const Repetition& repetition, Picoseconds t, Picoseconds apart) {
    if (count == 0 || era != repetition.era) {
      *this = {.era = repetition.era, .count = 1, .last = t};
    } else if (t - last >= apart) {
      ++count;
      last = t;
    }
  }
  std::uint32_t in(const Repetition& repetition) const { return era == repetition.era ? count : 0; }
};

}  // namespace horae::fabric
