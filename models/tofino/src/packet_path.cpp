// The way of a packet through the chip, event by event: arrival, ingress, queue, egress. It is hot,
// so it stays in one source, and the parts' members on it are inline.
#include <fmt/format.h>

#include <algorithm>

#include "chip_events.hpp"
#include "horae/core/error.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino {
namespace {

using dataplane::Gress;
using dataplane::Pass;
using dataplane::Verdict;

}  // namespace

template <bool own, bool watched>
void tofino_switch::enqueue(Packet& p, unsigned port, unsigned queue, Picoseconds t) {
  if (traffic_manager_.closely()) [[unlikely]]
    return enqueue_as<own, watched, true>(p, port, queue, t);
  enqueue_as<own, watched, false>(p, port, queue, t);
}

template <bool own, bool watched, bool closely>
void tofino_switch::enqueue_as(Packet& p, unsigned port, unsigned queue, Picoseconds t) {
  if (const auto refusal = traffic_manager_.admit_as<own, closely>(p, port, queue, t))
      [[unlikely]] {
    if (takes_deflected_ && deflect(p, port, *refusal, t)) return;
    return drop(p, *refusal, t);
  }
  if constexpr (watched) watcher()->queued(*this, port, own ? queue : p.traffic_class, p, t);
  if (frames_) [[unlikely]]
    note_queue(p, port, own ? queue : p.traffic_class, t);
  traffic_manager_.join<own>(p, port, queue, t);
  // An idle port starts now. That is an event of its own, behind all others of this time; when
  // there are none it is the next one. Who watches steps sees it as one.
  const Picoseconds start = traffic_manager_.port(port).next_start<closely>();
  if (start >= starts_.of(port)) return;
  if (!watched && start == t && nothing_more_at(t)) {
    count_event();
    return start_port_as<watched, closely>(port, t);
  }
  starts_.set(port, start);
}

/// Steps before egress that few packets need.
[[gnu::noinline]] void tofino_switch::before_egress(Packet& p, unsigned port, Pass& pass,
                                                    ChipPipeline& pipe) {
  if (telemetry_) parse_telemetry(p, port, pass);
  if (timed_) late_ = egress_wait(p, pipe, pass.now(), port);
  if (frames_ && port < ports()) frames_->of(p).cells_behind = cells_in(port, p.traffic_class);
}

/// The telemetry header of a data packet, and what it left behind in its queue.
void tofino_switch::parse_telemetry(Packet& p, unsigned port, Pass& pass) {
  if (!p.is_data() || !feedback_of(p).records || port >= ports()) return;
  const std::int64_t behind = traffic_manager_.port(port).depth(p.traffic_class).count();
  const std::int64_t cell = config_.cell.count();
  pass.carries(feedback_of(p), static_cast<std::uint32_t>((behind + cell - 1) / cell));
}

/// Runs the program's egress; whether the packet goes on.
template <bool watched>
inline bool tofino_switch::pass_egress(Packet& p, unsigned port, unsigned pipeline,
                                       Picoseconds start) {
  ChipPipeline& pipe = this->pipe(pipeline);
  Pass pass(p, {pipeline, Gress::egress}, passes_++, front_port(p), start,
            watched || pipe.checked());
  pass.leaves_by(port);
  if (p.mirror_type != 0) copies_.take_header(p, pass);
  if (special_egress_) [[unlikely]]
    before_egress(p, port, pass, pipe);
  pipe.run_egress(pass);
  const Picoseconds deparsed = start + pipe.egress_time() + late_;
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) pass_watcher_->passed(*this, pass, start, deparsed);
  }
  if (pass.mirror_request()) mirror(pass, deparsed);
  if (pass.queue_request().action != dataplane::QueueRequest::none) request_queue(pass, deparsed);
  return pass.verdict() != Verdict::drop;
}

/// Depths are as of the first packet of each period: nobody reads them in between, so no event is
/// spent on those that no packet sees.
[[gnu::noinline]] void tofino_switch::run_ghost(unsigned pipeline, Picoseconds t) {
  if (t < ghost_due_[pipeline]) return;
  ghost_due_[pipeline] = t - t % ghost_period_ + ghost_period_;
  programs::Program& program = pipe(pipeline).program();
  const std::int64_t cell = config_.cell.count();
  ghost_cells_.clear();
  for (const unsigned port : program.watched_ports()) {
    const std::int64_t bytes = traffic_manager_.port(port).depth().count();
    ghost_cells_.push_back(static_cast<std::uint32_t>((bytes + cell - 1) / cell));
  }
  program.ghost(ghost_cells_);
}

/// Steps before ingress of a header that comes at `t`; returns when the parser is through with it.
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

template <bool watched>
void tofino_switch::enter_ingress(Packet& p, unsigned pipeline, Picoseconds t) {
  if (special_) [[unlikely]]
    return enter_ingress_as<watched, true>(p, pipeline, before_ingress(p, pipeline, t));
  enter_ingress_as<watched, false>(p, pipeline, t);
}

template <bool watched, bool special>
void tofino_switch::enter_ingress_as(Packet& p, unsigned pipeline, Picoseconds t) {
  ChipPipeline& pipe = this->pipe(pipeline);
  const auto [entered, deparsed] = pipe.reserve(t);
  Pass pass(p, {pipeline, Gress::ingress}, passes_++, front_port(p), entered,
            watched || pipe.checked());
  if constexpr (special) {
    if ((p.ingress_port & came_again) != 0) pass.comes_again();
    if (generated_by_ != nullptr) pass.comes_from(*generated_by_);
  }
  pipe.run_ingress(pass);
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) pass_watcher_->passed(*this, pass, entered, deparsed);
  }
  if (pass.mirror_request()) mirror(pass, deparsed);
  if (pass.queue_request().action != dataplane::QueueRequest::none) request_queue(pass, deparsed);
  Picoseconds managed = deparsed + config_.traffic_manager;
  if (pass.verdict() != Verdict::forward) [[unlikely]]
    return leave_ingress_otherwise(p, pass, deparsed);
  if (pass.egress_port() >= port_count_) no_way_out(pass);
  if constexpr (special) managed = managed + kept_whole(p, tx(pass.egress_port()).link().rate);
  ++in_pipeline_;
  if (pass.queue() != 0) [[unlikely]] {
    check_queue(pass, pass.egress_port(), pass.queue());
    return to_manager(managed, enqueue_own_event, pack(pass.egress_port(), pass.queue()), p);
  }
  to_manager(managed, enqueue_event, pass.egress_port(), p);
}

/// The egress pass of a packet that goes around; then it is on the loopback port's wire.
template <bool watched>
void tofino_switch::pass_loop_egress(Packet& p, unsigned loopback, Picoseconds t) {
  const unsigned pipeline = LoopbackPorts::pipeline_of(loopback);
  const TrafficManager::Lodging had = traffic_manager_.lodging(p);
  loopbacks_.let_go(loopback, p, traffic_manager_.buffer().cells_of(p));
  if (!pass_egress<watched>(p, dataplane::loopback_port, pipeline, t)) {
    --in_pipeline_;
    traffic_manager_.leave(had, t);
    return drop(p, fabric::DropCause::program, t);
  }
  if (p.mirror_type != 0) p.ingress_port |= came_around;  // no copy any more
  p.mirror_type = 0;
  traffic_manager_.change(had, p, t);  // egress may have changed its length
  loopbacks_.hold(loopback, p, traffic_manager_.buffer().cells_of(p));
  const Picoseconds on_wire = t + pipes_[pipeline].egress_time() + late_;
  const Picoseconds last_bit = on_wire + loopbacks_.of(loopback).time_on_wire(p);
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) notify_looped(p, loopback, on_wire, last_bit);
  }
  schedule_packet(last_bit + config_.ingress_parser, recirculated_event, loopback, p);
}

/// The egress pass of a packet that has left its queue, and its way out.
template <bool watched>
inline void tofino_switch::leave(Packet& p, unsigned port, unsigned pipeline, Picoseconds start) {
  if (!pass_egress<watched>(p, port, pipeline, start))
    return drop(p, fabric::DropCause::program, start);
  ++forwarded_;
  p.mirror_type = 0;
  p.metadata = 0;
  if (special_egress_) [[unlikely]] {
    if (wire_bytes_ != nullptr) become_fields(p);
    if (timed_) return send_late(p, port, pipeline, start);
  }
  tx(port).send(p, start, pipe(pipeline).egress_latency());
}

/// The packet leaves for a link, where it has no bytes.
[[gnu::noinline]] void tofino_switch::become_fields(Packet& p) {
  if (!wire_bytes_->leave(p, frames_->of(p).bytes)) ++not_roce_;
  frames_->forget(p);
}

void tofino_switch::drop(Packet& p, fabric::DropCause cause, Picoseconds t) {
  if (watcher() != nullptr) watcher()->dropped(*this, p, cause, t);
  if (p.mirror_type != 0) copies_.forget(p);
  if (frames_) frames_->forget(p);
  if (cause == fabric::DropCause::program) ++dropped_program_;
  context_.pool.drop(p, cause);
}

/// Handles what is due at `t`, when the port can start; then it waits for the next time.
template <bool watched>
void tofino_switch::start_port(unsigned port, Picoseconds t) {
  if (traffic_manager_.closely()) [[unlikely]]
    return start_port_as<watched, true>(port, t);
  start_port_as<watched, false>(port, t);
}

template <bool watched, bool closely>
void tofino_switch::start_port_as(unsigned port, Picoseconds t) {
  const unsigned pipeline = pipeline_of_port_.data()[port];
  traffic_manager_.serve<closely>(port, t + 1_ps, [&](Packet& p, Picoseconds start) {
    leave<watched>(p, port, pipeline, start);
  });
  const Picoseconds start = traffic_manager_.port(port).next_start<closely>();
  if (start != never) starts_.set(port, start);
}

void tofino_switch::arm(unsigned port) {
  const Picoseconds start = traffic_manager_.port(port).next_start<true>();
  if (start < starts_.of(port)) starts_.set(port, start);
}

template <bool watched>
void tofino_switch::handle_as(const fabric::Event& e) {
  if constexpr (watched) notify_arrival(e);
  const unsigned entity = fabric::key_entity(e.key);
  const auto packet = [&]() -> Packet& { return *reinterpret_cast<Packet*>(e.payload); };
  switch (fabric::key_kind(e.key)) {
    case fabric::arrival_event: {
      Packet& p = arrived(e);
      enter_ingress<watched>(p, pipeline_of_port_.data()[p.ingress_port], e.time);
      break;
    }
    case enqueue_event:
      --in_pipeline_;
      enqueue<false, watched>(packet(), entity, 0, e.time);
      break;
    case queue_event:
      control_queue(static_cast<std::uint16_t>(entity), e.payload != 0, e.time);
      break;
    case loopback_event:
      loop_back(packet(), entity, e.time);
      break;
    case loopback_egress_event:
      loop_through_egress(packet(), entity, e.time);
      break;
    case loopback_leaves_event:
      pass_loop_egress<watched>(packet(), entity, e.time);
      break;
    case recirculated_event:
      --in_pipeline_;
      let_looped_go(packet(), entity, e.time);
      packet().ingress_port |= came_around;
      if (!generators_.empty()) [[unlikely]]
        trigger_by(packet(), LoopbackPorts::pipeline_of(entity), e.time);
      enter_ingress<watched>(packet(), LoopbackPorts::pipeline_of(entity), e.time);
      break;
    case mirror_event:
      buffer_copy(packet(), entity, e.time);
      break;
    case resubmitted_event:
      --in_pipeline_;
      packet().ingress_port |= came_again;
      enter_ingress<watched>(packet(), entity, e.time);
      break;
    case replicate_event:
      replicate(packet(), entity, e.time);
      break;
    case generate_event:
      generate(entity, static_cast<std::uint16_t>(e.payload), e.time);
      break;
    case generated_event: {
      --in_pipeline_;
      const auto header = generated_.extract(&packet());
      generated_by_ = &header.mapped();
      enter_ingress<watched>(packet(), entity, e.time);
      generated_by_ = nullptr;
      break;
    }
    case fabric::pause_event:
      traffic_manager_.pause(entity, static_cast<unsigned>(e.payload));
      break;
    case fabric::resume_event:
      traffic_manager_.resume(entity, static_cast<unsigned>(e.payload), e.time);
      arm(entity);
      break;
    default:
      throw ModelError(fmt::format("{}: unknown event", name()));
  }
  stepped<watched>(e.time);
}

template <bool watched>
inline void tofino_switch::stepped(Picoseconds t) {
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) pass_watcher_->stepped(*this, t);
  }
}

/// The packet that is first on the lane comes to the traffic manager.
template <bool watched>
inline void tofino_switch::leave_lane() {
  const fabric::Event e = managed_.front();
  managed_.pop();
  --in_pipeline_;
  const std::uint16_t entity = fabric::key_entity(e.key);
  Packet& p = *reinterpret_cast<Packet*>(e.payload);
  if (fabric::key_kind(e.key) == enqueue_event) [[likely]] {
    enqueue<false, watched>(p, entity, 0, e.time);
  } else {
    enqueue<true, watched>(p, port_in(entity), queue_in(entity), e.time);
  }
  stepped<watched>(e.time);
}

template <bool watched>
void tofino_switch::handle_all_before(Picoseconds end) {
  for (;;) {
    const fabric::Event* const first = first_before(end);
    const Picoseconds to_queue = managed_.next_time();
    const Picoseconds from_queue = starts_.next_time();
    const bool lane = to_queue <= from_queue;  // dequeue events come behind those that enqueue
    const Picoseconds t = lane ? to_queue : from_queue;
    if (first != nullptr) {
      const auto key = [&] {
        return lane ? managed_.front().key : fabric::make_key(dequeue_event, 0, 0);
      };
      if (first->time < t || (first->time == t && first->key < key())) {
        count_event();
        take(first, [this](const fabric::Event& e) { handle_as<watched>(e); });
        continue;
      }
    } else if (t >= end) {
      return;
    }
    count_event();
    if (lane) {
      leave_lane<watched>();
    } else {
      start_port<watched>(starts_.take_next(), t);
      stepped<watched>(t);
    }
  }
}

void tofino_switch::handle_before(Picoseconds end) {
  if (watcher() != nullptr) [[unlikely]]
    return handle_all_before<true>(end);
  handle_all_before<false>(end);
}

template void tofino_switch::handle_as<false>(const fabric::Event& e);
template void tofino_switch::handle_as<true>(const fabric::Event& e);

}  // namespace horae::tofino
