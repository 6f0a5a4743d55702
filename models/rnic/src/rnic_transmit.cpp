// The NIC's transmit side: whose packet goes on the wire next, and what it waits for.
#include <fmt/format.h>

#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {
namespace {

/// What the last packets of queue pairs' messages say of how much is left (remaining_tag).
constexpr std::uint32_t most_left = (1u << 14) - 1;
/// Four bytes of the AETH's form: the PSN a SACK, or a NACK of IRN, names beside the expected one.
constexpr int received_psn_bytes = 4;

}  // namespace

void rnic::refresh(std::size_t i) {
  QueuePair& qp = *qps_[i];
  const bool can_send = qp.sender().can_send();
  if (can_send && !qp.in_ready_ring) {
    qp.in_ready_ring = true;
    ready_.push_back(static_cast<std::uint16_t>(i));
  }
  const bool blocked = !can_send && qp.sender().unsent() > 0;
  if (blocked != qp.window_blocked) {
    qp.window_blocked = blocked;
    window_blocked_ += blocked ? 1 : -1;
  }
  arm_timer(i);
}

void rnic::arm_timer(std::size_t i) {
  // A deadline that moved away is looked at again when its event comes; one that came nearer has an
  // event of its own.
  QueuePair& qp = *qps_[i];
  const Picoseconds deadline = qp.sender().next_deadline();
  if (deadline >= qp.timer_at) return;
  qp.timer_at = deadline;
  schedule(deadline, timer_event, static_cast<std::uint16_t>(i), 0);
}

void rnic::next_turn() {
  // rotate() must not be given the end.
  if (ready_.size() > 1) ready_.rotate(ready_.begin() + 1);
}

BitRate rnic::rate_of(QueuePair& qp, Picoseconds now) const {
  if (!qp.reaction) return config_.qp_rate;
  const BitRate allowed = qp.reaction->rate(now);
  return config_.qp_rate.count() > 0 ? std::min(config_.qp_rate, allowed) : allowed;
}

void rnic::end_turn(QueuePair& qp, Picoseconds now) {
  if (qp.burst_bytes == 0) return;
  if (const BitRate rate = rate_of(qp, now); rate.count() > 0) {
    const Picoseconds earned = serialisation_time(Bytes(qp.burst_bytes), rate);
    qp.allowed_at = std::max(qp.allowed_at, qp.burst_start) + earned;
  }
  qp.burst_bytes = 0;
}

rnic::Gate rnic::gate(std::size_t i) const {
  const QueuePair& qp = *qps_[i];
  Gate g{qp.allowed_at, IdleCause::shaper};
  if (!gated_) return g;
  const auto later = [&g](Picoseconds t, IdleCause cause) {
    if (t > g.at) g = {t, cause};
  };
  later(qp.locked_until, IdleCause::lock);
  later(qp.context_ready, IdleCause::context);
  if (qp.stalled) later(never, IdleCause::retransmit);
  if (qp.sender().retransmission_due()) return g;  // its payload was read while it was served
  if (qp.hold_until) later(never, IdleCause::recovery);
  if (qp.gap_until && qp.sender().oldest_unacked().before(*qp.gap_until) &&
      qp.sender().unacked() >= retransmit_.gap_window()) {
    later(never, IdleCause::gap_window);
  }
  if (fetcher_) {
    if (const Picoseconds ready = fetcher_->ready(i); ready > g.at)
      later(ready, fetcher_->cause(i));
  }
  return g;
}

int rnic::pick(Picoseconds now, Gate& next) {
  next = {never, IdleCause::no_work};
  for (std::size_t n = ready_.size(); n-- > 0;) {
    const std::uint16_t i = ready_.front();
    QueuePair& qp = *qps_[i];
    if (!qp.sender().can_send()) {  // what it had to send was acknowledged meanwhile
      end_turn(qp, now);
      qp.in_ready_ring = false;
      ready_.pop_front();
      continue;
    }
    Gate g = gate(i);
    if (g.at <= now) {
      if (!cache_ || context_here(i, now)) return i;
      g = {qp.context_ready, IdleCause::context};
    }
    if (g.at < next.at || next.cause == IdleCause::no_work) next = g;
    next_turn();
  }
  return -1;
}

IdleCause rnic::idle_cause(const Gate& next) const {
  const bool ready = std::any_of(ready_.begin(), ready_.end(),
                                 [this](std::uint16_t i) { return qps_[i]->sender().can_send(); });
  if (ready) {
    if (paused(config_.traffic_class)) return IdleCause::paused;
    return port_stalls_ > 0 ? IdleCause::retransmit : next.cause;
  }
  if (!responses_.empty() && responses_.front().ready <= cursor_) return IdleCause::paused;
  return window_blocked_ > 0 ? IdleCause::window : IdleCause::no_work;
}

void rnic::take_wqes(Picoseconds t) {
  while (!wqes_due_.empty() && wqes_due_.begin()->first <= t) {
    const auto [at, qp] = *wqes_due_.begin();
    wqes_due_.erase(wqes_due_.begin());
    fetcher_->wqe_arrived(qp, at);
  }
}

void rnic::transmit_before(Picoseconds end) {
  while (cursor_ < end) {
    if (!wqes_due_.empty()) take_wqes(cursor_);
    const bool response_waits = !responses_.empty() && !paused(config_.ack_traffic_class);
    if (response_waits && responses_.front().ready <= cursor_) {
      send_response();
      continue;
    }
    Gate next{never, IdleCause::no_work};
    const bool stopped = paused(config_.traffic_class) || port_stalls_ > 0;
    const int qp = stopped ? -1 : pick(cursor_, next);
    if (qp >= 0) {
      send_data(static_cast<std::size_t>(qp));
      continue;
    }
    Picoseconds until = std::min(end, next.at);
    if (response_waits) until = std::min(until, responses_.front().ready);
    if (!wqes_due_.empty()) until = std::min(until, wqes_due_.begin()->first);
    const IdleCause cause = idle_cause(next);
    counters_.idle[static_cast<std::size_t>(cause)] += until - cursor_;
    if (auto* t = recorder())
      t->span("wire", fmt::format("idle: {}", name_of(cause)), cursor_, until);
    cursor_ = until;
  }
  // Those that are done while the last packet is being sent, before anything later.
  if (!wqes_due_.empty()) take_wqes(end - 1_ps);
}

Packet& rnic::new_packet(const QueuePair& qp, Opcode opcode, Bytes payload) {
  Packet& p = context_.pool.create();
  p.id = static_cast<std::uint64_t>(id_) << 40 | packets_created_++;
  p.created = cursor_;
  p.src = id_;
  p.dst = qp.config().peer;
  p.dest_qp = qp.config().remote;
  p.entropy = qp.config().entropy;
  p.opcode = opcode;
  p.payload = static_cast<std::uint16_t>(payload.count());
  p.ecn = Ecn::ect0;
  return p;
}

void rnic::send_response() {
  const PendingResponse r = responses_.front();
  responses_.pop_front();
  if (r.cnp) {
    Packet& cnp = new_packet(*qps_[r.qp], Opcode::cnp, Bytes(0));
    cnp.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::cnp, Bytes(0)).count());
    cnp.traffic_class = static_cast<std::uint8_t>(config_.ack_traffic_class);
    ++counters_.cnps_sent;
    put_on_wire(cnp, "CNP");
    return;
  }
  Packet& p = new_packet(*qps_[r.qp], Opcode::acknowledge, Bytes(0));
  // A NACK names the expected PSN, an ACK the one before it.
  p.psn = r.response.nack ? r.response.psn : r.response.psn - 1;
  p.msn = r.response.msn;
  p.syndrome = r.response.nack ? syndrome::nak_psn_sequence : syndrome::ack;
  p.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::acknowledge, Bytes(0)).count());
  p.traffic_class = static_cast<std::uint8_t>(config_.ack_traffic_class);
  if (r.response.received) {
    // The PSN that arrived, four bytes more on the wire; the model keeps its distance.
    p.bth_reserved = static_cast<std::uint16_t>(*r.response.received - r.response.psn);
    p.frame = static_cast<std::uint16_t>(p.frame + received_psn_bytes);
  }
  if (r.response.sack()) {
    p.psn = r.response.psn;
    p.syndrome = syndrome::sack;
    ++counters_.sacks_sent;
    return put_on_wire(p, "SACK");
  }
  ++(r.response.nack ? counters_.nacks_sent : counters_.acks_sent);
  put_on_wire(p, r.response.nack ? "NACK" : "ACK");
}

void rnic::put_on_wire(Packet& response, const char* what) {
  const Picoseconds start = cursor_;
  const std::uint32_t psn = response.psn.value();
  const bool numbered = response.opcode == Opcode::acknowledge;
  tx(0).send(response, start, config_.tx_latency);
  cursor_ = tx(0).busy_until();
  if (auto* t = recorder()) {
    t->span("wire", numbered ? fmt::format("{} {}", what, psn) : what, start, cursor_);
  }
}

void rnic::record_sent(const Packet& p, policy::SendKind kind, Picoseconds start) {
  timeline_->span("wire", fmt::format("PSN {} {}", p.psn.value(), name_of(kind)), start, cursor_);
  if (fetcher_) timeline_->level("TX buffer, bytes", start, fetcher_->used().count());
}

void rnic::send_data(std::size_t i) {
  QueuePair& qp = *qps_[i];
  const policy::Transmission t = qp.sender().next(cursor_);
  const PacketPlace place = qp.place(t.psn);
  Packet& p = new_packet(qp, place.opcode, Bytes(place.payload));
  p.psn = t.psn;
  p.ack_request = t.ack_request || ends_message(place.opcode);
  p.retransmission = t.kind != policy::SendKind::fresh;
  p.traffic_class = static_cast<std::uint8_t>(config_.traffic_class);
  Bytes frame = frame_bytes(place.opcode, Bytes(place.payload));
  if (config_.reth_on_every_packet && !has_reth(place.opcode)) frame += Bytes(wire::reth);
  if (config_.remaining_tag) {
    p.bth_reserved = static_cast<std::uint16_t>(std::min<std::uint32_t>(place.left, most_left));
  }
  if (ordering_) {
    frame += Bytes(head_bytes);
    p.msn = qp.config().first_send.value();
    if (!qp.posted(t.psn + 1)) p.bth_reserved |= last_bit;
  }
  p.frame = static_cast<std::uint16_t>(frame.count());
  const auto kind = static_cast<std::size_t>(t.kind);
  ++counters_.sent[kind];
  counters_.sent_frames[kind] += p.frame;

  const Bytes wire = p.wire_size();
  const Picoseconds start = cursor_;
  qp.context_ready = Picoseconds(-1);
  if (fetcher_) {
    if (t.kind == policy::SendKind::fresh) {
      fetcher_->take(i, start);
    } else if (place.payload > 0 &&
               (t.kind == policy::SendKind::rewind || t.kind == policy::SendKind::timeout)) {
      // Streamed from memory behind the first one, whose read was waited for.
      read_for_retransmission(i, Bytes(place.payload), start);
    }
  }
  tx(0).send(p, start, config_.tx_latency);
  cursor_ = tx(0).busy_until();
  if (recorder() != nullptr) record_sent(p, t.kind, start);

  if (qp.reaction) qp.reaction->on_sent(wire, start);
  // Whose turn is next, and when this one may send again.
  if (qp.burst_bytes == 0) qp.burst_start = start;
  qp.burst_bytes += wire.count();
  const bool more = qp.sender().can_send();
  // A turn also ends with nothing left to send, and what it sent counts against the rate.
  const bool turn_over =
      !more || config_.shaping == Shaping::per_packet || qp.burst_bytes >= config_.quantum.count();
  if (turn_over) end_turn(qp, start);
  if (!more) {
    qp.in_ready_ring = false;
    ready_.pop_front();
  } else if (turn_over) {
    next_turn();
  }
  refresh(i);
}

}  // namespace horae::rnic
