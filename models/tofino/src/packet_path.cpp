// The way of a packet through the chip, event by event: arrival, ingress, queue, egress. It is hot,
// so it stays in one source, and the parts' members on it are inline. The way of most packets is
// one function, handle_all_before(): what others take is apart, so that it saves no registers.
#include <fmt/format.h>

#include <algorithm>

#include "chip_events.hpp"
#include "horae/core/error.hpp"
#include "horae/tofino/tofino_switch.hpp"

namespace horae::tofino {
namespace {

using dataplane::Gress;
using dataplane::Pass;
using dataplane::TrustedPass;
using dataplane::Verdict;

}  // namespace

template <bool own, bool watched, bool closely>
[[gnu::always_inline]] inline void tofino_switch::enqueue_as(Packet& p, unsigned port,
                                                             unsigned queue, Picoseconds t) {
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
    const Picoseconds next = start_port<watched>(port, t);
    if (next != never) starts_.set(port, next);
    return;
  }
  starts_.set(port, start);
}

template <bool own, bool watched>
[[gnu::noinline]] void tofino_switch::enqueue(Packet& p, unsigned port, unsigned queue,
                                              Picoseconds t) {
  if (traffic_manager_.closely()) [[unlikely]]
    return enqueue_as<own, watched, true>(p, port, queue, t);
  enqueue_as<own, watched, false>(p, port, queue, t);
}

/// Runs the program's egress; whether the packet goes on.
template <bool watched>
inline bool tofino_switch::pass_egress(Packet& p, unsigned port, unsigned pipeline,
                                       Picoseconds start) {
  ChipPipeline& pipe = this->pipe(pipeline);
  if (watched || pipe.checked()) [[unlikely]]
    return pass_egress_checked<watched>(p, port, pipe, start);
  return pass_egress_as<false, TrustedPass>(p, port, pipe, start);
}

template <bool watched>
[[gnu::noinline]] bool tofino_switch::pass_egress_checked(Packet& p, unsigned port,
                                                          ChipPipeline& pipe, Picoseconds start) {
  return pass_egress_as<watched, Pass>(p, port, pipe, start);
}

template <bool watched, class KindOfPass>
inline bool tofino_switch::pass_egress_as(Packet& p, unsigned port, ChipPipeline& pipe,
                                          Picoseconds start) {
  KindOfPass pass(p, {pipe.index(), Gress::egress}, passes_++, front_port(p), start);
  pass.leaves_by(port);
  if (p.mirror_type != 0) copies_.take_header(p, pass);
  if (special_egress_) [[unlikely]]
    before_egress(p, port, pass, pipe);
  pipe.run_egress(pass);
  const Picoseconds deparsed = start + pipe.egress_time() + late_;
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) pass_watcher_->passed(*this, pass, start, deparsed);
  }
  if (pass.asks()) [[unlikely]]
    serve_requests(pass, deparsed);
  return pass.verdict() != Verdict::drop;
}

template <bool watched, bool special, class KindOfPass>
[[gnu::always_inline]] inline void tofino_switch::enter_ingress_as(Packet& p, ChipPipeline& pipe,
                                                                   Picoseconds t) {
  const auto [entered, deparsed] = pipe.reserve(t);
  KindOfPass pass(p, {pipe.index(), Gress::ingress}, passes_++, front_port(p), entered);
  if constexpr (special) {
    if ((p.ingress_port & came_again) != 0) pass.comes_again();
    if (generated_by_ != nullptr) pass.comes_from(*generated_by_);
  }
  pipe.run_ingress(pass);
  if constexpr (watched) {
    if (pass_watcher_ != nullptr) pass_watcher_->passed(*this, pass, entered, deparsed);
  }
  if constexpr (special) {
    if (frames_ && !generators_.empty()) trigger_by_message(p, pipe.index(), deparsed);
  }
  if (pass.asks()) [[unlikely]]
    serve_requests(pass, deparsed);
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

template <bool watched>
[[gnu::noinline]] void tofino_switch::enter_ingress(Packet& p, unsigned pipeline, Picoseconds t) {
  ChipPipeline& pipe = this->pipe(pipeline);
  const bool checked = watched || pipe.checked();
  if (special_) [[unlikely]] {
    t = before_ingress(p, pipeline, t);
    return checked ? enter_ingress_as<watched, true, Pass>(p, pipe, t)
                   : enter_ingress_as<false, true, TrustedPass>(p, pipe, t);
  }
  return checked ? enter_ingress_as<watched, false, Pass>(p, pipe, t)
                 : enter_ingress_as<false, false, TrustedPass>(p, pipe, t);
}

/// The egress pass of a packet that goes around; then it is on the loopback port's wire.
template <bool watched>
void tofino_switch::pass_loop_egress(Packet& p, unsigned loopback, Picoseconds t) {
  const unsigned pipeline = LoopbackPorts::pipeline_of(loopback);
  const TrafficManager::Lodging had = traffic_manager_.lodging(p);
  loopbacks_.release(loopback, p, traffic_manager_.buffer().cells_of(p));
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

void tofino_switch::drop(Packet& p, fabric::DropCause cause, Picoseconds t) {
  if (watcher() != nullptr) watcher()->dropped(*this, p, cause, t);
  if (p.mirror_type != 0) copies_.forget(p);
  if (frames_) frames_->forget(p);
  if (cause == fabric::DropCause::program) ++dropped_program_;
  pool().drop(p, cause);
}

/// Starts what is due at `t`, when the port can start. Returns when it can for the next time, or
/// `never`.
template <bool watched, bool closely>
[[gnu::always_inline]] inline Picoseconds tofino_switch::start_port_as(unsigned port,
                                                                       Picoseconds t) {
  const unsigned pipeline = pipeline_of_port_.data()[port];
  return traffic_manager_.serve<closely>(
      port, t + 1_ps, [&](Packet & p, Picoseconds now) __attribute__((always_inline)) {
        leave<watched>(p, port, pipeline, now);
      });
}

template <bool watched>
[[gnu::noinline]] Picoseconds tofino_switch::start_port(unsigned port, Picoseconds t) {
  if (traffic_manager_.closely()) [[unlikely]]
    return start_port_as<watched, true>(port, t);
  return start_port_as<watched, false>(port, t);
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
      release_loopback(packet(), entity, e.time);
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
      trigger(entity, {.what = static_cast<std::uint16_t>(e.payload), .message = {}}, e.time);
      break;
    case make_event:
      make_packet(entity, e.time);
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
    if (!watched && !traffic_manager_.closely()) [[likely]]
      return enqueue_as<false, false, false>(p, entity, 0, e.time);
    enqueue<false, watched>(p, entity, 0, e.time);
  } else {
    enqueue<true, watched>(p, port_in(entity), queue_in(entity), e.time);
  }
  stepped<watched>(e.time);
}

template <bool watched>
void tofino_switch::handle_all_before(Picoseconds end) {
  for (;;) {
    const Picoseconds to_queue = managed_.next_time();
    const Picoseconds from_queue = starts_.next_time();
    const bool lane = to_queue <= from_queue;  // dequeue events come behind those that enqueue
    const Picoseconds t = lane ? to_queue : from_queue;
    const Picoseconds arrival = next_arrival();
    if (!watched && std::min(arrival, t) < events_.soonest()) [[likely]] {
      if (arrival <= t) {  // before what else there is at its time
        Packet& p = take_arrival();
        const unsigned pipeline = pipeline_of_port_.data()[p.ingress_port];
        if (!special_ && !pipe(pipeline).checked()) [[likely]]
          enter_ingress_as<false, false, TrustedPass>(p, pipe(pipeline), arrival);
        else
          enter_ingress<false>(p, pipeline, arrival);
        continue;
      }
      if (t >= end) return;
    } else if (const fabric::Event* const first = first_before(end)) {
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
      continue;
    }
    const unsigned port = starts_.next_port();
    if (!watched && !traffic_manager_.closely()) [[likely]] {
      starts_.set(port, start_port_as<false, false>(port, t));
    } else {
      starts_.set(port, start_port<watched>(port, t));
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
