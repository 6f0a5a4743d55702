#include "horae/replay/port.hpp"

#include <algorithm>
#include <cstddef>

#include "horae/core/roce.hpp"
#include "horae/replay/recorder.hpp"

namespace horae::replay {

replay_port::replay_port(sc_core::sc_module_name name, fabric::sim_context& context, Trace* trace,
                         Picoseconds lead, ReplayRecorder* recorder)
    : device(name, context, 1), trace_(trace), lead_(lead), recorder_(recorder) {
  held_until_.fill(never);
}

Picoseconds replay_port::next_start() const {
  if (trace_ == nullptr) return never;
  if (!asked_) {
    next_ = trace_->peek();
    asked_ = true;
  }
  if (next_ == nullptr) return never;
  const Picoseconds due =
      std::max({next_->at + lead_ - tx(0).link().delay, tx(0).busy_until(), pause_frame_until_});
  if (next_->pause) return due;  // no pause holds pause frames
  if ((paused_ >> next_->dissection.packet.traffic_class & 1) != 0) return never;
  return std::max(due, resumed_);
}

Picoseconds replay_port::next_own_time() const {
  const Picoseconds first = *std::min_element(held_until_.begin(), held_until_.end());
  const Picoseconds over = first == never ? never : first - tx(0).link().delay;
  return std::min({events_.next_time(), next_start(), over});
}

void replay_port::settle(Picoseconds end) {
  for (Picoseconds start = next_start(); start < end; start = next_start()) {
    if (next_->pause) {
      send_pause_frame(start);
      continue;
    }
    const Picoseconds delay = tx(0).link().delay;
    const Picoseconds late = start + delay - lead_ - next_->at;
    if (late > Picoseconds(0) && trace_->timed()) {
      ++counters_.late;
      counters_.lateness = std::max(counters_.lateness, late);
    }
    Packet& p = context_.pool.create();
    p = next_->dissection.packet;
    p.created = start + delay;
    p.id = recorder_ != nullptr ? recorder_->enter(*this, *next_, p.created) : counters_.sent;
    if (frames_ != nullptr) enter_bytes(p);
    ++counters_.sent;
    counters_.sent_frames += p.frame_size();
    counters_.last_in = std::max(counters_.last_in, p.created + tx(0).serialisation(p.wire_size()));
    trace_->take();
    asked_ = false;
    tx(0).send(p, start);
  }
  let_go_before(end + tx(0).link().delay);
}

void replay_port::send_pause_frame(Picoseconds start) {
  constexpr std::int64_t quantum = 64;  // bytes; 512 bit times: IEEE 802.3, 31B.2
  const capture::PauseRequest asked = *next_->pause;
  trace_->take();
  asked_ = false;
  pause_frame_until_ = start + tx(0).serialisation(l1_bytes(Bytes(wire::minimum_frame)));
  const Picoseconds arrival = pause_frame_until_ + tx(0).link().delay;
  let_go_before(arrival);
  for (unsigned c = 0; c < held_until_.size(); ++c) {
    if ((asked.classes >> c & 1) == 0) continue;
    const bool pause = asked.quanta[c] > 0;
    if (pause != (held_until_[c] != never)) hold(c, pause, arrival);
    held_until_[c] =
        pause ? arrival + serialisation_time(Bytes(asked.quanta[c] * quantum), tx(0).link().rate)
              : never;
  }
}

void replay_port::hold(unsigned traffic_class, bool pause, Picoseconds at) {
  Packet carrier;
  carrier.traffic_class = static_cast<std::uint8_t>(traffic_class);
  fabric::packet_phase phase = pause ? fabric::packet_phase::pause : fabric::packet_phase::resume;
  sc_core::sc_time time = fabric::to_sc_time(at);
  rx(0)->nb_transport_bw(carrier, phase, time);
}

void replay_port::let_go_before(Picoseconds end) {
  for (;;) {
    const auto first = std::min_element(held_until_.begin(), held_until_.end());
    if (*first >= end) return;
    hold(static_cast<unsigned>(first - held_until_.begin()), false, *first);
    *first = never;
  }
}

/// The FCS is the chip's to make and to check.
void replay_port::enter_bytes(const Packet& p) {
  const std::size_t fcs = fcs_ ? std::size_t{wire::fcs} : 0;
  const std::size_t length = std::max<std::size_t>(next_->length, fcs) - fcs;
  frames_->enter(p, next_->bytes.first(std::min(next_->bytes.size(), length)), length);
}

void replay_port::handle(const fabric::Event& e) {
  switch (fabric::key_kind(e.key)) {
    case fabric::arrival_event:
      arrive(arrived(e), e.time);
      break;
    case fabric::pause_event:
      settle(e.time);
      paused_ |= 1u << e.payload;
      break;
    case fabric::resume_event:
      settle(e.time);
      paused_ &= ~(1u << e.payload);
      resumed_ = e.time;
      break;
    default:
      break;
  }
}

void replay_port::arrive(Packet& p, Picoseconds last_bit) {
  const auto& way = tx(0);
  const Picoseconds out = last_bit - way.link().delay - way.serialisation(p.wire_size());
  ++counters_.received;
  counters_.received_frames += p.frame_size();
  counters_.last_out = std::max(counters_.last_out, out);
  if (is_made_inside(p)) {
    ++counters_.copies_received;
  } else {
    latency_.add((out - p.created).count());
  }
  if (frames_ != nullptr) frames_->forget(p);
  context_.pool.deliver(p);
}

}  // namespace horae::replay
