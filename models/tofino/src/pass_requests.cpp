// Requests of a pass beside the way out: a copy, a queue held or released, another round.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "chip_events.hpp"
#include "horae/core/error.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino {

using dataplane::AnyPass;
using dataplane::Gress;

/// Refuses queues that are not the program's.
void tofino_switch::check_queue(const AnyPass& pass, unsigned port, unsigned queue) const {
  if (traffic_manager_.is_own_queue(port, queue)) return;
  throw ModelError(fmt::format("{}: no queue {} for programs at port {} after {}", name(), queue,
                               port, pass.describe()));
}

void tofino_switch::serve_requests(const AnyPass& pass, Picoseconds deparsed) {
  if (pass.mirror_request()) mirror(pass, deparsed);
  if (pass.queue_request().action != dataplane::QueueRequest::none) request_queue(pass, deparsed);
}

void tofino_switch::request_queue(const AnyPass& pass, Picoseconds deparsed) {
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

void tofino_switch::mirror(const AnyPass& pass, Picoseconds deparsed) {
  const auto& request = *pass.mirror_request();
  const bool around = request.egress_port == dataplane::loopback_port &&
                      (pass.where().gress == Gress::ingress || frames_ != nullptr);
  if ((request.egress_port >= ports() && !around) || request.type == 0) {
    throw ModelError(
        fmt::format("{}: no valid mirror port or type after {}", name(), pass.describe()));
  }
  Packet& copy = copies_.make(pool(), pass, deparsed);
  if (frames_) frames_->mirrored(pass.header(), copy);
  if (watcher() != nullptr && pass_watcher_ != nullptr)
    pass_watcher_->mirrored(*this, pass.header(), copy, deparsed);
  ++in_pipeline_;
  const unsigned pipeline = pass.where().pipeline;
  Picoseconds whole = deparsed;
  if (cut_through_ && pass.where().gress == Gress::ingress)
    whole = whole + still_to_come(pass.header(), pass.ingress_port());
  if (!mirror_buffers_.empty())
    return schedule_packet(whole, mirror_event,
                           pack(around ? no_port : request.egress_port, pipeline), copy);
  schedule_packet(whole + config_.traffic_manager, around ? loopback_egress_event : enqueue_event,
                  around ? loopbacks_.number(pipeline, 0) : request.egress_port, copy);
}

/// A copy comes to the mirror buffer of its pipeline.
void tofino_switch::buffer_copy(Packet& copy, unsigned port_and_pipeline, Picoseconds t) {
  const unsigned pipeline = queue_in(static_cast<std::uint16_t>(port_and_pipeline));
  const unsigned port = port_in(static_cast<std::uint16_t>(port_and_pipeline));
  const auto out = mirror_buffers_.at(pipeline).take(copy, t);
  if (!out) {
    --in_pipeline_;
    return drop(copy, fabric::DropCause::buffer_full, t);
  }
  const bool around = port == no_port;
  schedule_packet(*out + config_.traffic_manager, around ? loopback_egress_event : enqueue_event,
                  around ? loopbacks_.number(pipeline, 0) : port, copy);
}

void tofino_switch::no_way_out(const AnyPass& pass) const {
  throw ModelError(fmt::format("{}: no valid egress port after {}", name(), pass.describe()));
}

/// Serves what ingress wants in place of a way out.
void tofino_switch::leave_ingress_otherwise(Packet& p, const AnyPass& pass, Picoseconds deparsed) {
  const Picoseconds managed = deparsed + config_.traffic_manager;
  const unsigned pipeline = pass.where().pipeline;
  const auto refuse = [&](const std::string& what) {
    throw ModelError(fmt::format("{}: {} after {}", name(), what, pass.describe()));
  };
  switch (pass.verdict()) {
    case dataplane::Verdict::drop:
      return drop(p, fabric::DropCause::program, deparsed);
    case dataplane::Verdict::recirculate: {
      if (pass.loopback_pipeline() >= pipes_.size())
        refuse(fmt::format("no pipeline {} to come around in", pass.loopback_pipeline()));
      if (pass.loopback() >= loopbacks_.per_pipeline())
        refuse(fmt::format("no loopback port {} of a pipeline", pass.loopback()));
      const unsigned loopback = loopbacks_.number(pass.loopback_pipeline(), pass.loopback());
      ++in_pipeline_;
      return schedule_packet(managed + kept_whole(p, loopbacks_.of(loopback).rate()),
                             pass.through_egress() ? loopback_egress_event : loopback_event,
                             loopback, p);
    }
    case dataplane::Verdict::resubmit: {
      if ((p.ingress_port & came_around) != 0 || pass.generated() != nullptr)
        refuse("what came by a loopback port cannot be resubmitted");
      const std::uint16_t data = p.metadata;
      p = came_as_;
      p.metadata = data;
      ++in_pipeline_;
      ++resubmitted_;
      return schedule_packet(deparsed + config_.ingress_parser, resubmitted_event, pipeline, p);
    }
    case dataplane::Verdict::multicast: {
      const auto replicas = pipes_[pipeline].program().replicas(pass.group());
      if (pass.group() >= most_groups) refuse(fmt::format("no multicast group {}", pass.group()));
      Picoseconds whole{};
      for (const unsigned port : replicas) {
        if (programs::is_loopback(port) && port - programs::loopback_of(0) < pipes_.size())
          continue;
        if (port >= ports()) refuse(fmt::format("no port {} for multicast group", port));
        whole = std::max(whole, kept_whole(p, tx(port).link().rate));
      }
      ++in_pipeline_;
      return schedule_packet(managed + whole, replicate_event, pack_group(pass.group(), pipeline),
                             p);
    }
    default:
      no_way_out(pass);
  }
}

/// Dummies circulate from time zero on, and have their part of the buffer.
void tofino_switch::fill_loopbacks() {
  if (!config_.loopback || config_.loopback->dummy_bytes.count() == 0) return;
  const Bytes dummies = config_.loopback->dummy_bytes;
  const std::int64_t cells = (dummies.count() + config_.cell.count() - 1) / config_.cell.count();
  const auto ports = static_cast<std::int64_t>(loopbacks_.size());
  if (!traffic_manager_.set_aside(cells * ports)) {
    throw InputError(fmt::format("{}: loopback.dummy_bytes take {} cells of the buffer's {}",
                                 name(), cells * ports, config_.cells));
  }
  for (unsigned pipeline = 0; pipeline < pipes_.size(); ++pipeline) {
    const Picoseconds lap =
        config_.ingress_parser + pipes_[pipeline].ingress_time() + config_.traffic_manager;
    for (unsigned port = 0; port < loopbacks_.per_pipeline(); ++port)
      loopbacks_.of(loopbacks_.number(pipeline, port)).fill(dummies, lap);
  }
}

/// Takes a packet for a loopback port into the buffer, or drops it.
bool tofino_switch::hold_looped(Packet& p, unsigned loopback, Picoseconds t) {
  const std::int64_t cells = traffic_manager_.buffer().cells_of(p);
  std::optional<fabric::DropCause> refusal = fabric::DropCause::queue_full;
  if (loopbacks_.admit(loopback, p, cells)) refusal = traffic_manager_.admit_to_loopback(p, t);
  if (!refusal) {
    loopbacks_.hold(loopback, p, cells);
    return true;
  }
  --in_pipeline_;
  drop(p, *refusal, t);
  return false;
}

/// It gives its part of the buffer back.
void tofino_switch::release_loopback(const Packet& p, unsigned loopback, Picoseconds t) {
  traffic_manager_.leave_loopback(p, t);
  loopbacks_.release(loopback, p, traffic_manager_.buffer().cells_of(p));
}

void tofino_switch::loop_back(Packet& p, unsigned loopback, Picoseconds t) {
  if (!hold_looped(p, loopback, t)) return;
  LoopbackPort& port = loopbacks_.of(loopback);
  port.take(p, t);
  if (watcher() != nullptr && pass_watcher_ != nullptr)
    notify_looped(p, loopback, t, port.free_at());
  schedule_packet(port.free_at() + config_.ingress_parser, recirculated_event, loopback, p);
}

void tofino_switch::notify_looped(const Packet& p, unsigned loopback, Picoseconds queued,
                                  Picoseconds last_bit) const {
  const Picoseconds start = last_bit - loopbacks_.of(loopback).time_on_wire(p);
  pass_watcher_->looped(*this, LoopbackPorts::pipeline_of(loopback), p, queued, start, last_bit);
}

bool tofino_switch::deflect(Packet& p, unsigned port, fabric::DropCause cause, Picoseconds t) {
  const bool queue = cause == fabric::DropCause::queue_full;
  if (!queue && cause != fabric::DropCause::buffer_full) return false;
  if (frames_) {
    if (!std::exchange(frames_->of(p).deflects, false)) return false;
  } else if (!p.is_data() || p.trimmed || p.mirror_type != 0) {
    return false;
  }
  // Whatever becomes of it, it is no drop of its queue: the loopback port counts those that it
  // refuses.
  ++(queue ? refused_queue_ : refused_buffer_);
  p.deflected = true;
  ++in_pipeline_;
  const unsigned loopback = loopbacks_.number(pipeline_of_port_[port], 0);
  if (!hold_looped(p, loopback, t)) return true;
  ++deflected_;
  if (frames_) frames_->of(p).queued = t;
  schedule_packet(loopbacks_.of(loopback).take(p, t), loopback_leaves_event, loopback, p);
  return true;
}

void tofino_switch::loop_through_egress(Packet& p, unsigned loopback, Picoseconds t) {
  if (!hold_looped(p, loopback, t)) return;
  if (frames_) frames_->of(p).queued = t;
  schedule_packet(loopbacks_.of(loopback).take(p, t), loopback_leaves_event, loopback, p);
}

}  // namespace horae::tofino
