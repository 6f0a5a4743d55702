// The wire of the NIC up to a time: what goes on it next, and what it waits for.
#include <fmt/format.h>

#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void rnic::refresh(std::size_t i) {
  scheduler_.refresh(i);
  watch_deadline(i);
}

void rnic::arm_timer(std::size_t i) {
  QueuePair& qp = qps_[i];
  const Picoseconds deadline = std::min(qp.sender().next_deadline(), qp.starves_at);
  if (deadline >= qp.timer_at) return;
  qp.timer_at = deadline;
  schedule(deadline, timer_event, static_cast<std::uint16_t>(i), 0);
}

IdleCause rnic::idle_cause(const Gate& next, bool stopped) const {
  // Whose turn it could have been has a gate.
  if (!stopped && next.cause != IdleCause::no_work) return next.cause;
  if (scheduler_.any_can_send())
    return nacks_.stalls_port() && !all_paused() ? IdleCause::retransmit : IdleCause::paused;
  if (!responses_.empty() && responses_.next_ready() <= cursor_) return IdleCause::paused;
  return scheduler_.any_blocked() ? IdleCause::window : IdleCause::no_work;
}

void rnic::idle_until(Picoseconds until, const Gate& next, bool stopped) {
  // Also of a response that is paused: from then on it is what the wire waits for.
  if (!responses_.empty() && responses_.next_ready() > cursor_)
    until = std::min(until, responses_.next_ready());
  if (!host_.wqe_reads.empty()) until = std::min(until, host_.wqe_reads.next());
  wait_until(until, idle_cause(next, stopped));
}

void rnic::decide_before(Picoseconds end) {
  if (sends_apart_) [[unlikely]]
    return ports_ ? decide_ports_before(end) : decide_engine_before(end);
  do {
    if (!host_.wqe_reads.empty()) host_.take_wqes(cursor_);
    const bool response_waits = !responses_.empty() && !paused(config_.ack_traffic_class);
    if (response_waits && responses_.next_ready() <= cursor_) {
      send_response();
      continue;
    }
    Gate next{never, IdleCause::no_work};
    const bool stopped = all_paused() || nacks_.stalls_port();
    const auto here = [this](std::size_t i, QueuePair& qp) {
      return !host_.contexts || host_.contexts->here(i, qp, cursor_);
    };
    const int qp = stopped ? -1 : scheduler_.pick(cursor_, next, here, paused_);
    if (qp >= 0) {
      send_data(static_cast<std::size_t>(qp));
      continue;
    }
    idle_until(std::min(end, next.at), next, stopped);
  } while (cursor_ < end);
}

}  // namespace horae::rnic
