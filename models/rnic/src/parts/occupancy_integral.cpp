#include "horae/rnic/parts/occupancy_integral.hpp"

namespace horae::rnic {

void OccupancyIntegral::add_up_to(Picoseconds now) {
  const auto lasted = static_cast<std::uint64_t>((now - last_).count());
  const auto over_time = [lasted](Bytes bytes) {
    return detail::Wide{1} * static_cast<std::uint64_t>(bytes.count()) * lasted;
  };
  byte_ps_ += over_time(memory_.total());
  bitmap_byte_ps_ += over_time(memory_.bitmap);
  last_ = now;
}

void OccupancyIntegral::reset(const policy::OrderingMemory& memory, Picoseconds now) {
  *this = {};
  since_ = last_ = now;
  memory_ = memory;
  most_ = memory.total();
}

OrderingUse OccupancyIntegral::use(Picoseconds now) const {
  now = std::max(now, last_);
  const auto whole = static_cast<double>((now - since_).count());
  if (whole <= 0) return {.most = most_};
  OccupancyIntegral all = *this;
  all.add_up_to(now);
  return {static_cast<double>(all.byte_ps_) / whole,
          static_cast<double>(all.bitmap_byte_ps_) / whole, most_};
}

}  // namespace horae::rnic
