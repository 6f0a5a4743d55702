// Dummy packets that circulate through a loopback port for ever, to make every trip longer.
#pragma once

#include <cstddef>
#include <vector>

#include "horae/core/units.hpp"

namespace horae::tofino {

/// The dummies queue in the port first in first out, together with the packets of the program, and
/// are back `lap` after they left it. They have no events: when a packet is queued, those before
/// it are worked out. Without packets for long, a round is like the one before, and all but the
/// last are left out.
class DummyRing {
 public:
  /// `bytes` in all, on the wire, in dummies of `size` (the last one may be shorter); queued at
  /// time zero.
  DummyRing(Bytes bytes, BitRate rate, Picoseconds lap);

  /// When the wire is free for a packet queued at `t`, after all dummies queued before it or with
  /// it; `free_at`: after the packets before it. Times of calls never decrease.
  Picoseconds serve(Picoseconds t, Picoseconds free_at);

  static constexpr Bytes size = Bytes(1500);

 private:
  void skip_rounds(Picoseconds t, Picoseconds& free_at);
  Picoseconds serve_next(Picoseconds free_at);

  struct Dummy {
    Picoseconds queued{};
    Picoseconds on_wire{};
  };
  std::vector<Dummy> dummies_;  ///< in the order of the queue, from `next_` on
  std::size_t next_ = 0;
  Picoseconds round_{};  ///< all of them on the wire
  Picoseconds lap_;
};

}  // namespace horae::tofino
