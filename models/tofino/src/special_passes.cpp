// Steps that not every packet meets on its way through the chip: the ghost thread, parsers that
// take time, telemetry, bytes. Apart from the way itself, so that it saves no registers.
#include "chip_events.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino {

using dataplane::AnyPass;
using dataplane::Gress;

/// Steps that not every packet meets before its egress pass.
[[gnu::noinline]] void tofino_switch::before_egress(Packet& p, unsigned port, AnyPass& pass,
                                                    ChipPipeline& pipe) {
  if (telemetry_) parse_telemetry(p, port, pass);
  if (timed_) late_ = egress_wait(p, pipe, pass.now(), port);
  if (frames_ && port < ports()) frames_->of(p).cells_behind = cells_in(port, p.traffic_class);
}

/// The telemetry header of a data packet, and what it left behind in its queue.
void tofino_switch::parse_telemetry(Packet& p, unsigned port, AnyPass& pass) {
  if (!p.is_data() || !feedback_of(p).records || port >= ports()) return;
  const std::int64_t behind = traffic_manager_.port(port).depth(p.traffic_class).count();
  const std::int64_t cell = config_.cell.count();
  pass.carries(feedback_of(p), static_cast<std::uint32_t>((behind + cell - 1) / cell));
}

/// Depths are as of the first packet of each period: nobody reads them in between, so no event is
/// spent on those that no packet sees.
void tofino_switch::run_ghost(unsigned pipeline, Picoseconds t) {
  if (t < ghost_due_[pipeline]) return;
  ghost_due_[pipeline] = t - t % ghost_period_ + ghost_period_;
  programs::Program& program = pipe(pipeline).program();
  const std::int64_t cell = config_.cell.count();
  ghost_cells_.clear();
  const unsigned queues = program.ghost_by_queue() ? config_.queues_per_port : 0;
  for (const unsigned port : program.watched_ports()) {
    for (unsigned queue = 0; queue < queues; ++queue) ghost_cells_.push_back(cells_in(port, queue));
    if (queues > 0) continue;
    const std::int64_t bytes = traffic_manager_.port(port).depth().count();
    ghost_cells_.push_back(static_cast<std::uint32_t>((bytes + cell - 1) / cell));
  }
  program.ghost(ghost_cells_, t);
}

/// Steps before the pass of a header that comes at `t`; returns when the parser is through with it.
[[gnu::noinline]] Picoseconds tofino_switch::before_ingress(const Packet& p, unsigned pipeline,
                                                            Picoseconds t) {
  if (ghost_period_ > 0_ps) run_ghost(pipeline, t);
  if (wire_bytes_ != nullptr && !frames_->has(p)) wire_bytes_->arrive(p, frames_->enter(p));
  if (resubmits_) came_as_ = p;
  if (frames_ && parser_.timed())
    return t + parser_.time(pipe(pipeline).program().parsed(p, Gress::ingress, front_port(p), t));
  return t + parser_.time(p);
}

std::uint32_t tofino_switch::cells_in(unsigned port, unsigned queue) const {
  const std::int64_t bytes = traffic_manager_.port(port).depth_of_queue(queue).count();
  return static_cast<std::uint32_t>((bytes + config_.cell.count() - 1) / config_.cell.count());
}

[[gnu::noinline]] void tofino_switch::note_queue(const Packet& p, unsigned port, unsigned queue,
                                                 Picoseconds t) {
  programs::Frame& frame = frames_->of(p);
  frame.queued = t;
  frame.cells_before = cells_in(port, queue);
}

/// The packet leaves for a link, where it has no bytes.
[[gnu::noinline]] void tofino_switch::become_fields(Packet& p) {
  if (!wire_bytes_->leave(p, frames_->of(p).bytes)) ++not_roce_;
  frames_->forget(p);
}

}  // namespace horae::tofino
