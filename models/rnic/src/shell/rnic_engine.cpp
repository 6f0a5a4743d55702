// The NIC with a packet engine: what is sent and received takes time of its units beside the wire.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/core/quantity_text.hpp"
#include "horae/core/service.hpp"
#include "horae/core/verb.hpp"
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
  check_cache({config.engine->contexts, config.engine->ways}, "engine.contexts");
  if (config.engine->ahead > 0_B && config.port_count() > 1) {
    throw InputError(fmt::format(
        "engine.ahead of a NIC with {} ports: found {}; expected port_buffer, which says it there",
        config.port_count(), to_text(config.engine->ahead)));
  }
}

namespace {

Arrival arrival_of(const Packet& p, bool brings) {
  if (is_atomic(p.opcode)) return Arrival::atomic;
  // The result of an atomic takes what a packet of data does.
  if (!brings) return is_of_atomic(p.opcode) ? Arrival::data : Arrival::response;
  if (is_read_response(p.opcode)) return Arrival::read;
  const Opcode operation = operation_of(p.opcode);
  return operation < Opcode::write_first || has_immediate(operation) ? Arrival::message
                                                                     : Arrival::data;
}

}  // namespace

void rnic::receive_apart(Packet& p, Picoseconds now) {
  if (contents_ != nullptr) take_contents(p);
  const std::size_t i = qps_.index_of(p.dest_qp);
  if (!engine_ || p.opcode == Opcode::none || i >= qps_.size()) return receive_in_context(p, now);
  const bool brings = carries_data(p);
  if (brings && finds_no_room(p, now)) return drop_received(p, fabric::DropCause::buffer_full, now);
  const Arrival what = arrival_of(p, brings);
  const Picoseconds done = engine_->receive(i, what, now);
  if (nic_watcher_ != nullptr) [[unlikely]]
    notify_engine(i, what == Arrival::response ? EngineWork::ack_receive : EngineWork::receive, p);
  if (done == now) return receive_in_context(p, now);
  if (brings && host_.modelled()) hold(p, done, now, true);
  engine_->packet_waits();
  schedule(done, engine_event, 0, event_ordinal_++, reinterpret_cast<std::uintptr_t>(&p));
}

void rnic::notify_engine(std::size_t i, EngineWork work, const Packet& p) const {
  if (config_.engine)
    nic_watcher_->engine_worked(*this, i, work, p, engine_->began(), engine_->done());
}

void check_credits(const RnicConfig& config) {
  if (config.credit_delay && !config.vl_credits)
    throw InputError("credit_delay without vl_credits: found no credits; expected vl_credits");
  if (!config.vl_credits) return;
  if (config.frames != Frames::infiniband) {
    throw InputError(
        "vl_credits of a NIC without InfiniBand's frames; expected frames = \"infiniband\"");
  }
  if (config.port_count() > 1) {
    throw InputError(
        fmt::format("vl_credits of a NIC with {} ports; expected one", config.port_count()));
  }
  if (config.works_ahead())
    throw InputError(
        "vl_credits of a NIC whose engine works ahead; expected engine.ahead = \"0 B\"");
}

void rnic::begin_credits() {
  if (!config_.vl_credits) return;
  const fabric::tx_port* const back = peer_of(0);
  const Picoseconds there = tx(0).link().delay;
  credits_.emplace(*config_.vl_credits, there + (back == nullptr ? there : back->link().delay) +
                                            config_.credit_delay.value_or(0_ps));
}

template <class Send>
void rnic::send_with_credits(std::uint32_t traffic_class, Send send) {
  if (!credits_) return send();
  const Picoseconds begin = cursor_;
  const std::uint64_t before = wire_->counters().frame_bytes;
  send();
  const auto frame = static_cast<std::int64_t>(wire_->counters().frame_bytes - before);
  credits_->take(traffic_class, l1_bytes(Bytes(frame)), begin, cursor_);
}

Bytes rnic::wire_ahead(const QueuePair& qp) const {
  Opcode opcode = Opcode::write_only;
  Bytes payload = config_.mtu;
  if (!qp.sender().retransmission_due() && qp.posted(qp.next_new())) {
    const PacketPlace place = qp.place_ahead(qp.next_new());
    opcode = place.opcode;
    payload = Bytes(place.payload);
  }
  Bytes frame = frame_of_service(opcode, payload);
  if (tags_) [[unlikely]]
    frame += tag_bytes(opcode);
  // Feedback of congestion control is less than a block.
  if (listens_) frame += Bytes(LaneCredits::block);
  return l1_bytes(other_frame(config_.frames, payload, frame));
}

Gate rnic::response_gate() const {
  const Picoseconds unit = engine_->responds_from(responses_.front().qp);
  if (!credits_) return {unit, IdleCause::engine};
  // Every response is shorter than a block.
  const Picoseconds room = credits_->from(config_.ack_traffic_class, Bytes(LaneCredits::block));
  return room > unit ? Gate{room, IdleCause::credits} : Gate{unit, IdleCause::engine};
}

Gate rnic::engine_gate(std::size_t i, const QueuePair& qp) const {
  const Picoseconds unit = engine_->sends_from(i, begins_message(qp));
  if (!credits_) return {unit, IdleCause::engine};
  const Picoseconds room = credits_->from(qp.traffic_class, wire_ahead(qp));
  return room > unit ? Gate{room, IdleCause::credits} : Gate{unit, IdleCause::engine};
}

bool rnic::respond_by_engine() {
  if (response_gate().at > cursor_) return false;
  engine_->respond(responses_.front().qp, cursor_);
  send_with_credits(config_.ack_traffic_class, [this] { send_response(); });
  return true;
}

void rnic::wait_for_unit(Gate& next) const {
  const Gate begins = response_gate();
  if (begins.at < next.at) next = begins;
}

bool rnic::begins_message(const QueuePair& qp) const {
  // READs count at their requester.
  if (!engine_->has_ceiling() || qp.sender().retransmission_due() || qp.responder() != nullptr)
    return false;
  const Psn next = qp.next_new();
  return qp.posted(next) && qp.message_first(qp.place_ahead(next).message) == next;
}

bool rnic::engine_turns_away(std::size_t i, QueuePair& qp, Gate& busy) {
  const Gate gate = engine_gate(i, qp);
  if (gate.at <= cursor_) return false;
  if (gate.at < busy.at) busy = gate;
  turned_away_.emplace_back(&qp, qp.context_ready);
  qp.context_ready = gate.at;
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
      send_with_credits(qps_[i].traffic_class, [this, i] { send_data(i); });
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
    t = std::min(t, std::max({cursor_, responses_.next_ready(), response_gate().at}));
  }
  if (all_paused() || nacks_.stalls_port()) return t;
  scheduler_.for_each_sending(
      [&](const QueuePair& qp, std::size_t i) {
        t = std::min(t, std::max({cursor_, scheduler_.gate(i).at, engine_gate(i, qp).at}));
      },
      paused_);
  return t;
}

}  // namespace horae::rnic
