// Destination: what a timer packet does in ingress.
#include "destination.hpp"

namespace horae::programs::conweave {

bool Destination::is_due(const PassKind auto& pass, std::uint16_t index) {
  // A TAIL that is lost on its way out is not waited for longer than resume_default.
  return is_due_.test(pass, check_resume_.run(pass, index, ticks(pass.now())));
}

/// A timer has recirculated. When the TAIL is late it releases the queue at once; when the TAIL has
/// passed here it waits until that has left. Then, until the queue is empty, it keeps the flow's
/// packets out of it.
void Destination::timer(PassKind auto& pass, View& v) {
  Packet& p = pass.header();
  Bridge& b = v.bridge;
  ++counts_.timer_passes;
  processes_.test(pass, true, false);
  const bool done = is_done_.test(pass, b.timeout);
  const bool over = is_over_.test(pass, b.over);
  v.tail_seen = tail_seen_.is.run(pass, v.index, 1);
  if (done) {
    phase_.set.run(pass, v.index);
    if (over)
      end_.run(pass, v.index);
    else
      empty_.run(pass, v.index);
    counts_packets_.clear.run(pass, v.index);
  }
  std::uint32_t queued = 0;
  if (over)
    clear_queued_.run(pass, v.index);
  else
    queued = read_queued_.run(pass, v.index);
  if (over) return end_timer(pass, v);
  if (done) {
    b.over = queued == p.msn;
  } else {
    const bool timed = resume_at_.read(v.index) > 0 || overdue_.contains(v.index);
    if (is_due(pass, v.index)) {
      b.timeout = !v.tail_seen || b.pre_timeout;
      b.pre_timeout = !b.timeout;
      if (b.timeout) release_late(pass, v, timed);
    }
  }
  write_bridge_.run(pass, [&] { p.metadata = b.bits(); });
  around_.request_through_egress(pass);
}

/// Counts what it is: a queue that a TAIL has released already is not released, and no time was
/// over where a TAIL of a later epoch had come, and then an epoch after it.
void Destination::release_late(PassKind auto& pass, const View& v, bool timed) {
  const std::uint16_t queue = v.bridge.queue;
  control_.release(pass, v.port, ReorderQueues::number_of(queue, config_.queues));
  if (released_.erase(queue) > 0) return;
  ++(timed ? counts_.by_timeout : counts_.by_epoch);
}

/// The queue is empty and its count in egress is zero: it is given back, and the source may go on.
void Destination::end_timer(PassKind auto& pass, const View& v) {
  if (!v.bridge.unqueued) {
    queues_.give_back(pass, v.bridge.queue, v.index);
    --taken_now_;
  }
  // Without a queue it is the TAIL that clears, unless it came before this.
  const bool clears = !v.bridge.unqueued || v.tail_seen;
  if (is_copied_.test(pass, clears, false, false, false)) copy(pass, clear_copy);
  pass.drop();
}

template void Destination::timer(Pass&, View&);
template void Destination::timer(TrustedPass&, View&);

}  // namespace horae::programs::conweave
