// Destination: what a timer packet does in ingress.
#include "destination.hpp"

namespace horae::programs::conweave {

bool Destination::is_due(const Pass& pass, std::uint16_t index) {
  const std::uint32_t now = ticks(pass.now());
  return is_due_.test(pass, resume_at_.apply(pass, index, [&](std::uint32_t& cell) {
    const bool due = cell < now;
    // A TAIL that is lost on its way out is not waited for longer than this.
    if (due) cell = now + default_ticks_;
    return due;
  }));
}

/// A timer has recirculated. When the TAIL is late it releases the queue at once; when the TAIL has
/// passed here it waits until that has left. Then, until the queue is empty, it keeps the flow's
/// packets out of it.
void Destination::timer(Pass& pass, View& v) {
  Packet& p = pass.header();
  Bridge& b = v.bridge;
  ++counts_.timer_passes;
  processes_.test(pass, true, false);
  const bool done = is_done_.test(pass, b.timeout);
  const bool over = is_over_.test(pass, b.over);
  v.tail_seen = tail_seen_.apply(pass, v.index, [](const std::uint8_t& cell) { return cell == 1; });
  if (done) {
    phase_.apply(pass, v.index, [](std::uint8_t& cell) { cell = 1; });
    counts_packets_.apply(pass, v.index, [](std::uint8_t& cell) { cell = 0; });
    reordering_.apply(pass, v.index, [](std::uint8_t& cell) { cell = 0; });
  }
  const std::uint32_t queued = queued_.apply(pass, v.index, [&](std::uint32_t& cell) {
    if (over) cell = 0;
    return cell;
  });
  if (over) return end_timer(pass, v);
  if (done) {
    b.over = queued == p.msn;
  } else if (is_due(pass, v.index)) {
    b.timeout = !v.tail_seen || b.pre_timeout;
    b.pre_timeout = !b.timeout;
    if (b.timeout) {
      control_.release(pass, v.port, ReorderQueues::number_of(b.queue, config_.queues));
      ++counts_.by_timeout;
    }
  }
  write_bridge_.run(pass, [&] { p.metadata = b.bits(); });
  around_.request_through_egress(pass);
}

/// The queue is empty and its count in egress is zero: it is given back, and the source may go on.
void Destination::end_timer(Pass& pass, const View& v) {
  if (!v.bridge.unqueued) {
    queues_.give_back(pass, v.bridge.queue, v.index);
    --taken_now_;
  }
  // Without a queue it is the TAIL that clears, unless it came before this.
  const bool clears = !v.bridge.unqueued || v.tail_seen;
  if (is_copied_.test(pass, clears, false, false, false)) copy(pass, clear_copy);
  pass.drop();
}

}  // namespace horae::programs::conweave
