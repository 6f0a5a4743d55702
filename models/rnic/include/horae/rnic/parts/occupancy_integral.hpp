// Memory of an ordering engine in use over time. No SystemC.
#pragma once

#include <algorithm>

#include "horae/policy/ordering/ordering.hpp"

namespace horae::rnic {

/// Memory in use from the last reset on.
struct OrderingUse {
  double mean_bytes = 0;         ///< all of it; 0 over no time
  double mean_bitmap_bytes = 0;  ///< blocks of bitmaps; likewise
  Bytes most{};                  ///< at most, all of it
};

/// The time integral of an engine's memory, in whole bytes times picoseconds: the same on any
/// machine, however the time is cut. Times never decrease.
class OccupancyIntegral {
 public:
  /// From `now` on it is so much. Costs two comparisons when nothing changed.
  void change(const policy::OrderingMemory& memory, Picoseconds now) {
    if (memory.total() == memory_.total() && memory.bitmap == memory_.bitmap) return;
    add_up_to(now);
    memory_ = memory;
    most_ = std::max(most_, memory.total());
  }
  /// The integral begins anew, with what is in use.
  void reset(const policy::OrderingMemory& memory, Picoseconds now);
  /// Up to `now`, or up to the last change if that was later.
  OrderingUse use(Picoseconds now) const;

 private:
  void add_up_to(Picoseconds now);

  Picoseconds since_{};  ///< the integrals begin
  Picoseconds last_{};   ///< they reach so far
  policy::OrderingMemory memory_{};
  Bytes most_{};
  detail::Wide byte_ps_ = 0, bitmap_byte_ps_ = 0;
};

}  // namespace horae::rnic
