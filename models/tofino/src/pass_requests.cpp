// What a pass may ask for beside the way out: a copy, a queue held or released, another round.
#include <fmt/format.h>

#include "chip_events.hpp"
#include "horae/core/error.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino {

using dataplane::Gress;
using dataplane::Pass;

/// Refuses queues that are not the program's.
void tofino_switch::check_queue(const Pass& pass, unsigned port, unsigned queue) const {
  if (traffic_manager_.is_own_queue(port, queue)) return;
  throw ModelError(fmt::format("{}: no queue {} for programs at port {} after {}", name(), queue,
                               port, pass.describe()));
}

void tofino_switch::request_queue(const Pass& pass, Picoseconds deparsed) {
  const auto& request = pass.queue_request();
  check_queue(pass, request.port, request.queue);
  const bool hold = request.action == dataplane::QueueRequest::hold;
  schedule(deparsed + config_.traffic_manager, queue_event, pack(request.port, request.queue),
           ordinal_++, hold ? 1 : 0);
}

void tofino_switch::control_queue(std::uint16_t port_and_queue, bool hold, Picoseconds t) {
  const unsigned port = port_in(port_and_queue);
  const unsigned queue = queue_in(port_and_queue);
  if (hold) return traffic_manager_.hold(port, queue);
  traffic_manager_.release(port, queue, t);
  arm(port);
}

void tofino_switch::mirror(const Pass& pass, Picoseconds deparsed) {
  const auto& request = *pass.mirror_request();
  const bool around =
      request.egress_port == dataplane::loopback_port && pass.where().gress == Gress::ingress;
  if ((request.egress_port >= ports() && !around) || request.type == 0) {
    throw ModelError(
        fmt::format("{}: no valid mirror port or type after {}", name(), pass.describe()));
  }
  Packet& copy = copies_.make(context_.pool, pass, deparsed);
  if (watcher() != nullptr && pass_watcher_ != nullptr)
    pass_watcher_->mirrored(*this, pass.header(), copy, deparsed);
  ++in_pipeline_;
  schedule_packet(deparsed + config_.traffic_manager,
                  around ? loopback_egress_event : enqueue_event,
                  around ? pass.where().pipeline : request.egress_port, copy);
}

void tofino_switch::loop_back(Packet& p, unsigned pipeline, Picoseconds t) {
  if (!traffic_manager_.admit_to_loopback(p)) return drop_at_loopback(p, t);
  LoopbackPort& loopback = loopbacks_[pipeline];
  loopback.take(p, t);
  if (watcher() != nullptr && pass_watcher_ != nullptr)
    notify_looped(p, pipeline, t, loopback.free_at());
  schedule_packet(loopback.free_at() + config_.ingress_parser, recirculated_event, pipeline, p);
}

void tofino_switch::notify_looped(const Packet& p, unsigned pipeline, Picoseconds queued,
                                  Picoseconds last_bit) const {
  const Picoseconds start = last_bit - loopbacks_[pipeline].time_on_wire(p);
  pass_watcher_->looped(*this, pipeline, p, queued, start, last_bit);
}

void tofino_switch::loop_through_egress(Packet& p, unsigned pipeline, Picoseconds t) {
  if (!traffic_manager_.admit_to_loopback(p)) return drop_at_loopback(p, t);
  schedule_packet(loopbacks_[pipeline].take(p, t), loopback_leaves_event, pipeline, p);
}

void tofino_switch::drop_at_loopback(Packet& p, Picoseconds t) {
  --in_pipeline_;
  drop(p, fabric::DropCause::buffer_full, t);
}

}  // namespace horae::tofino
