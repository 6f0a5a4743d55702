#include "horae/replay/port.hpp"

#include <algorithm>
#include <cstddef>

#include "horae/core/roce.hpp"
#include "horae/replay/recorder.hpp"

namespace horae::replay {

replay_port::replay_port(sc_core::sc_module_name name, fabric::sim_context& context, Trace* trace,
                         Picoseconds lead, ReplayRecorder* recorder)
    : device(name, context, 1), trace_(trace), lead_(lead), recorder_(recorder) {}

Picoseconds replay_port::next_start() const {
  if (trace_ == nullptr) return never;
  if (!asked_) {
    next_ = trace_->peek();
    asked_ = true;
  }
  if (next_ == nullptr || (paused_ >> next_->dissection.packet.traffic_class & 1) != 0)
    return never;
  const Picoseconds due = next_->at + lead_ - tx(0).link().delay;
  return std::max({due, tx(0).busy_until(), resumed_});
}

Picoseconds replay_port::next_own_time() const {
  return std::min(events_.next_time(), next_start());
}

void replay_port::settle(Picoseconds end) {
  for (Picoseconds start = next_start(); start < end; start = next_start()) {
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
  if (is_copy(p)) {
    ++counters_.copies_received;
  } else {
    latency_.add((out - p.created).count());
  }
  if (frames_ != nullptr) frames_->forget(p);
  context_.pool.deliver(p);
}

}  // namespace horae::replay
