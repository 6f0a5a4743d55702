// The NIC with a packet engine: what is sent and received takes time of its units beside the wire.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void check_engine(const RnicConfig& config) {
  if (!config.engine) return;
  if (config.engine->contexts > 0 && config.engine->visit == 0_ps) {
    throw InputError(
        fmt::format("engine.contexts = {} without engine.visit: found no time that a visit takes; "
                    "expected engine.visit above 0",
                    config.engine->contexts));
  }
}

void rnic::receive_apart(Packet& p, Picoseconds now) {
  const std::size_t i = qps_.index_of(p.dest_qp);
  if (!engine_ || p.opcode == Opcode::none || i >= qps_.size()) return receive_in_context(p, now);
  if (p.is_data() && host_.modelled() && !host_.rx_buffer.has_room(Bytes(p.payload), now)) {
    ++counters_.rx_buffer_drops;
    return drop_received(p, fabric::DropCause::buffer_full, now);
  }
  const Picoseconds done = engine_->receive(i, !p.is_data(), now);
  if (done == now) return receive_in_context(p, now);
  if (p.is_data() && host_.modelled()) host_.rx_buffer.take(Bytes(p.payload), done);
  engine_->packet_waits();
  schedule(done, engine_event, 0, event_ordinal_++, reinterpret_cast<std::uintptr_t>(&p));
}

bool rnic::respond_by_engine() {
  const std::size_t i = responses_.front().qp;
  if (engine_->responds_from(i) > cursor_) return false;
  engine_->respond(i, cursor_);
  send_response();
  return true;
}

void rnic::wait_for_unit(Gate& next) const {
  const Picoseconds begins = engine_->responds_from(responses_.front().qp);
  if (begins < next.at) next = {begins, IdleCause::engine};
}

bool rnic::begins_message(const QueuePair& qp) const {
  if (!engine_->has_ceiling() || qp.sender().retransmission_due()) return false;
  const Psn next = qp.next_new();
  return qp.posted(next) && has_reth(qp.place_ahead(next).opcode);
}

bool rnic::engine_turns_away(std::size_t i, QueuePair& qp, Gate& busy) {
  const Picoseconds free = engine_->sends_from(i, begins_message(qp));
  if (free <= cursor_) return false;
  if (free < busy.at) busy = {free, IdleCause::engine};
  turned_away_.emplace_back(&qp, qp.context_ready);
  qp.context_ready = free;
  return true;
}

int rnic::pick_for_engine(Gate& next) {
  Gate busy{never, IdleCause::no_work};  // the first unit to be free of those that are waited for
  const auto here = [&](std::size_t i, QueuePair& qp) {
    return (!host_.contexts || host_.contexts->here(i, qp, cursor_)) &&
           !engine_turns_away(i, qp, busy);
  };
  const int qp = scheduler_.pick_in_order(cursor_, next, here, paused_);
  readmit(next, busy);
  return qp;
}

void rnic::readmit(Gate& next, const Gate& waited) {
  for (const auto& [waiting, context_ready] : turned_away_) waiting->context_ready = context_ready;
  if (!turned_away_.empty() && next.cause == IdleCause::context && next.at == waited.at)
    next.cause = waited.cause;
  turned_away_.clear();
}

void rnic::decide_engine_before(Picoseconds end) {
  do {
    if (!host_.wqe_reads.empty()) host_.take_wqes(cursor_);
    const bool response = !responses_.empty() && !paused(config_.ack_traffic_class);
    const bool response_due = response && responses_.next_ready() <= cursor_;
    if (response_due && respond_by_engine()) continue;
    const bool stopped = all_paused() || nacks_.stalls_port();
    Gate next{never, IdleCause::no_work};
    const Picoseconds free = engine_->any_from();
    int qp = -1;
    if (!stopped && free <= cursor_) {
      qp = pick_for_engine(next);
    } else if (!stopped && scheduler_.any_can_send()) {
      next = {free, IdleCause::engine};
    }
    if (qp >= 0) {
      const auto i = static_cast<std::size_t>(qp);
      engine_->send(i, begins_message(qps_[i]), cursor_);
      send_data(i);
      continue;
    }
    if (response_due) wait_for_unit(next);
    idle_until(std::min(end, next.at), next, stopped);
  } while (cursor_ < end);
}

Picoseconds rnic::next_engine_time() const {
  Picoseconds t = events_.next_time();
  if (!host_.wqe_reads.empty()) t = std::min(t, std::max(cursor_, host_.wqe_reads.next()));
  if (!responses_.empty() && !paused(config_.ack_traffic_class)) {
    const Picoseconds free = engine_->responds_from(responses_.front().qp);
    t = std::min(t, std::max({cursor_, responses_.next_ready(), free}));
  }
  if (all_paused() || nacks_.stalls_port()) return t;
  scheduler_.for_each_sending(
      [&](const QueuePair& qp, std::size_t i) {
        const Picoseconds free = engine_->sends_from(i, begins_message(qp));
        t = std::min(t, std::max({cursor_, scheduler_.gate(i).at, free}));
      },
      paused_);
  return t;
}

}  // namespace horae::rnic
