#include "horae/policy/transport/send_times.hpp"

#include <bit>

namespace horae::policy {

SendTimes::SendTimes(SendTimer kind, std::uint32_t window) : kind_(kind) {
  if (kind == SendTimer::connection) return;
  // A window that begins within a group reaches into one more.
  const std::uint32_t most = kind == SendTimer::group ? window / group_packets + 2 : window;
  shared_.resize(std::bit_ceil(most));
  mask_ = static_cast<std::uint32_t>(shared_.size()) - 1;
}

void SendTimes::sent(Psn psn, Picoseconds now) {
  if (waiting_++ == 0) start_ = now;
  if (kind_ == SendTimer::connection) return;
  Shared& s = shared(psn);
  s.time = now;
  ++s.waiting;
  order_.push_back({first_of(psn), now});
  forget();
}

void SendTimes::over(Psn psn) {
  --waiting_;
  if (kind_ == SendTimer::connection) return;
  --shared(psn).waiting;
  forget();
}

// A time is old when its packets wait no more, or one of them was sent again.
void SendTimes::forget() {
  while (!order_.empty()) {
    const Shared& s = shared(order_.front().first);
    if (s.waiting > 0 && s.time == order_.front().time) return;
    order_.pop_front();
  }
}

}  // namespace horae::policy
