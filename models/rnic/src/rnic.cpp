#include "horae/rnic/rnic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"

namespace horae::rnic {
namespace {

enum : std::uint8_t {
  response_event = fabric::device_events,  // entity: queue pair; payload: NACK flag << 32 | PSN
  timer_event,
  post_event,
};

}  // namespace

rnic::rnic(sc_core::sc_module_name name, fabric::sim_context& context, const RnicConfig& config,
           NodeId id)
    : device(name, context, 1),
      config_(config),
      id_(id),
      transport_(policy::find_transport(config.transport)) {
  set_receive_latency(config.rx_latency);
}

rnic::~rnic() = default;

Qpn rnic::add_queue_pair(QueuePairConfig config) {
  constexpr std::size_t most = 65536;  // entities of event keys are 16 bits
  if (qps_.size() == most) throw ModelError(fmt::format("{}: too many queue pairs", name()));
  qps_.push_back(
      std::make_unique<QueuePair>(std::move(config), transport_, config_.reliability, config_.mtu));
  return Qpn(first_qpn + static_cast<std::uint32_t>(qps_.size()) - 1);
}

void rnic::begin() {
  if (config_.reliability.rto <= context_.clock.window()) {
    throw InputError(
        fmt::format("{}: the retransmission timeout must be longer than the time window of {} ps",
                    name(), context_.clock.window().count()));
  }
  ready_.set_capacity(qps_.size());
  for (std::size_t i = 0; i < qps_.size(); ++i) post(i, Picoseconds(0));
}

void rnic::reset_histograms() {
  reorder_depth_ = {};
  for (auto& qp : qps_) qp->reset_histograms();
}

bool rnic::finished() const {
  return std::all_of(qps_.begin(), qps_.end(),
                     [](const auto& qp) { return !qp->has_source() || qp->finished(); });
}

std::size_t rnic::index_of(Qpn qpn) const {
  const std::size_t i = qpn.value() - first_qpn;
  if (i >= qps_.size()) {
    throw ModelError(fmt::format("{}: a packet for queue pair {:#x}, which does not exist", name(),
                                 qpn.value()));
  }
  return i;
}

void rnic::handle(const fabric::Event& e) {
  // What was decided before this event does not know of it.
  transmit_before(e.time);
  switch (fabric::key_kind(e.key)) {
    case fabric::arrival_event:
      receive(arrived(e), e.time);
      break;
    case fabric::pause_event:
      paused_ |= 1u << e.payload;
      break;
    case fabric::resume_event:
      paused_ &= ~(1u << e.payload);
      break;
    case response_event:
      take_response(fabric::key_entity(e.key), e.payload >> 32 != 0,
                    Psn(static_cast<std::uint32_t>(e.payload)), e.time);
      break;
    case timer_event:
      expire(fabric::key_entity(e.key), e.time);
      break;
    case post_event:
      qps_[fabric::key_entity(e.key)]->post_scheduled = false;
      post(fabric::key_entity(e.key), e.time);
      break;
    default:
      throw ModelError(fmt::format("{}: unknown event", name()));
  }
}

void rnic::receive(Packet& p, Picoseconds now) {
  if (p.dst != id_) {
    throw ModelError(
        fmt::format("{}: a packet for node {} arrived at node {}", name(), p.dst, id_));
  }
  if (p.is_data()) {
    receive_data(p, now);
  } else if (p.opcode == Opcode::acknowledge) {
    receive_ack(p, now);
  }
  context_.pool.deliver(p);
}

void rnic::receive_data(const Packet& p, Picoseconds now) {
  const std::size_t i = index_of(p.dest_qp);
  QueuePair& qp = *qps_[i];
  const policy::ReceiveOutcome out =
      qp.receiver().on_data(p.psn, p.ack_request, ends_message(p.opcode));
  ++counters_.data_received;
  counters_.bitmap_words += out.ops.bitmap_words;
  switch (out.placement) {
    case policy::Placement::deliver:
      counters_.delivered_bytes += p.payload;
      qp.progress().delivered_bytes += p.payload;
      break;
    case policy::Placement::duplicate:
      ++counters_.duplicates;
      break;
    case policy::Placement::discard:
      ++counters_.discarded;
      break;
  }
  if (out.ahead > 0) {
    ++counters_.out_of_order;
    reorder_depth_.add(out.ahead);
  }
  if (!out.response) return;
  // One response engine: an ACK decided after a NACK does not overtake it.
  Picoseconds ready = now + (out.response->nack ? config_.nack_delay : config_.ack_delay);
  if (!responses_.empty()) ready = std::max(ready, responses_.back().ready);
  responses_.push_back({ready, static_cast<std::uint16_t>(i), *out.response});
}

void rnic::receive_ack(const Packet& p, Picoseconds now) {
  const std::size_t i = index_of(p.dest_qp);
  const bool nack = p.is_nack();
  ++(nack ? counters_.nacks_received : counters_.acks_received);
  // Responses are taken in their order: an ACK does not overtake a NACK that is being served.
  const Picoseconds due =
      std::max(now + (nack ? config_.nack_reaction : Picoseconds(0)), responses_due_);
  if (!nack && responses_due_ < now) return take_response(i, nack, p.psn, now);
  responses_due_ = due;
  schedule(due, response_event, static_cast<std::uint16_t>(i), response_ordinal_++,
           static_cast<std::uint64_t>(nack) << 32 | p.psn.value());
}

void rnic::take_response(std::size_t i, bool nack, Psn psn, Picoseconds now) {
  policy::TransportSender& sender = qps_[i]->sender();
  if (!nack) {
    // On the wire an ACK names the last packet received (IBTA vol. 1, 9.7.5.1.3).
    return progressed(i, sender.on_ack(psn + 1, now), now);
  }
  const policy::AckOutcome outcome = sender.on_nack(psn, now);
  ++(outcome.served ? counters_.nacks_served : counters_.nacks_stale);
  progressed(i, outcome, now);
}

void rnic::progressed(std::size_t i, const policy::AckOutcome& outcome, Picoseconds now) {
  if (outcome.newly_acked > 0) {
    QueuePair& qp = *qps_[i];
    const std::uint64_t bytes_before = qp.progress().completed_bytes;
    const std::uint32_t completed = qp.acknowledged(outcome.newly_acked, now);
    counters_.messages_completed += completed;
    counters_.bytes_completed += qp.progress().completed_bytes - bytes_before;
    if (completed > 0) return post(i, now);
  }
  refresh(i);
}

void rnic::post(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  const Picoseconds due = qp.post_due(now);
  if (due != never && !qp.post_scheduled) {
    qp.post_scheduled = true;
    schedule(due, post_event, static_cast<std::uint16_t>(i), 0);
  }
  refresh(i);
}

void rnic::expire(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  qp.timer_armed = false;
  if (qp.sender().next_deadline() <= now) {
    ++counters_.timeouts;
    qp.sender().on_timeout(now);
  }
  refresh(i);
}

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
  // One pending event per queue pair: a deadline that moved is looked at again when it comes.
  QueuePair& qp = *qps_[i];
  if (qp.timer_armed) return;
  const Picoseconds deadline = qp.sender().next_deadline();
  if (deadline == never) return;
  qp.timer_armed = true;
  schedule(deadline, timer_event, static_cast<std::uint16_t>(i), 0);
}

void rnic::next_turn() {
  // rotate() must not be given the end.
  if (ready_.size() > 1) ready_.rotate(ready_.begin() + 1);
}

void rnic::end_turn(QueuePair& qp) {
  if (config_.qp_rate.count() > 0 && qp.burst_bytes > 0) {
    const Picoseconds earned = serialisation_time(Bytes(qp.burst_bytes), config_.qp_rate);
    qp.allowed_at = std::max(qp.allowed_at, qp.burst_start) + earned;
  }
  qp.burst_bytes = 0;
}

int rnic::pick(Picoseconds now, Picoseconds& allowed) {
  allowed = never;
  for (std::size_t n = ready_.size(); n-- > 0;) {
    const std::uint16_t i = ready_.front();
    QueuePair& qp = *qps_[i];
    if (!qp.sender().can_send()) {  // what it had to send was acknowledged meanwhile
      end_turn(qp);
      qp.in_ready_ring = false;
      ready_.pop_front();
      continue;
    }
    if (qp.allowed_at <= now) return i;
    allowed = std::min(allowed, qp.allowed_at);
    next_turn();
  }
  return -1;
}

IdleCause rnic::idle_cause() const {
  const bool ready = std::any_of(ready_.begin(), ready_.end(),
                                 [this](std::uint16_t i) { return qps_[i]->sender().can_send(); });
  if (ready) return paused(config_.traffic_class) ? IdleCause::paused : IdleCause::shaper;
  if (!responses_.empty() && responses_.front().ready <= cursor_) return IdleCause::paused;
  return window_blocked_ > 0 ? IdleCause::window : IdleCause::no_work;
}

void rnic::transmit_before(Picoseconds end) {
  while (cursor_ < end) {
    const bool response_waits = !responses_.empty() && !paused(config_.ack_traffic_class);
    if (response_waits && responses_.front().ready <= cursor_) {
      send_response();
      continue;
    }
    Picoseconds allowed = never;
    const int qp = paused(config_.traffic_class) ? -1 : pick(cursor_, allowed);
    if (qp >= 0) {
      send_data(static_cast<std::size_t>(qp));
      continue;
    }
    Picoseconds until = std::min(end, allowed);
    if (response_waits) until = std::min(until, responses_.front().ready);
    counters_.idle[static_cast<std::size_t>(idle_cause())] += until - cursor_;
    cursor_ = until;
  }
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
  Packet& p = new_packet(*qps_[r.qp], Opcode::acknowledge, Bytes(0));
  // A NACK names the expected PSN, an ACK the one before it.
  p.psn = r.response.nack ? r.response.psn : r.response.psn - 1;
  p.msn = r.response.msn;
  p.syndrome = r.response.nack ? syndrome::nak_psn_sequence : syndrome::ack;
  p.frame = static_cast<std::uint16_t>(frame_bytes(Opcode::acknowledge, Bytes(0)).count());
  p.traffic_class = static_cast<std::uint8_t>(config_.ack_traffic_class);
  ++(r.response.nack ? counters_.nacks_sent : counters_.acks_sent);
  tx(0).send(p, cursor_, config_.tx_latency);
  cursor_ = tx(0).busy_until();
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
  p.frame = static_cast<std::uint16_t>(frame.count());
  const auto kind = static_cast<std::size_t>(t.kind);
  ++counters_.sent[kind];
  counters_.sent_frames[kind] += p.frame;

  const Bytes wire = p.wire_size();
  const Picoseconds start = cursor_;
  tx(0).send(p, start, config_.tx_latency);
  cursor_ = tx(0).busy_until();

  // Whose turn is next, and when this one may send again.
  if (qp.burst_bytes == 0) qp.burst_start = start;
  qp.burst_bytes += wire.count();
  const bool more = qp.sender().can_send();
  // A turn also ends with nothing left to send, and what it sent counts against the rate.
  const bool turn_over =
      !more || config_.shaping == Shaping::per_packet || qp.burst_bytes >= config_.quantum.count();
  if (turn_over) end_turn(qp);
  if (!more) {
    qp.in_ready_ring = false;
    ready_.pop_front();
  } else if (turn_over) {
    next_turn();
  }
  refresh(i);
}

Picoseconds rnic::next_time() const {
  Picoseconds t = events_.next_time();
  if (!responses_.empty() && !paused(config_.ack_traffic_class)) {
    t = std::min(t, std::max(cursor_, responses_.front().ready));
  }
  if (!paused(config_.traffic_class)) {
    for (const std::uint16_t i : ready_) {
      if (qps_[i]->sender().can_send()) t = std::min(t, std::max(cursor_, qps_[i]->allowed_at));
    }
  }
  return t;
}

std::vector<std::string> rnic::describe_queues() const {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < qps_.size(); ++i) {
    const QueuePair& qp = *qps_[i];
    const auto& s = qp.sender();
    if (s.unsent() == 0 && s.unacked() == 0) continue;
    lines.push_back(fmt::format(
        "{} queue pair {:#x}: {} messages outstanding, {} packets unsent, {} unacknowledged{}",
        name(), first_qpn + i, qp.outstanding(), s.unsent(), s.unacked(),
        paused(config_.traffic_class) ? ", paused" : ""));
  }
  if (!responses_.empty())
    lines.push_back(fmt::format("{}: {} responses waiting", name(), responses_.size()));
  return lines;
}

}  // namespace horae::rnic
