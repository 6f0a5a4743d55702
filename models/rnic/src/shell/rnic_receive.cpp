// The NIC's receive side: packets that arrive, data into memory.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {
namespace {

/// Apart, so that `process` saves no registers for it.
[[gnu::noinline]] void end_dropped(const fabric::device& nic, Packet& p, fabric::PacketPool& pool,
                                   fabric::observer* watcher, fabric::DropCause cause,
                                   Picoseconds now) {
  if (watcher != nullptr) watcher->dropped(nic, p, cause, now);
  pool.drop(p, cause);
}

/// Apart for the same reason.
[[gnu::noinline]] policy::ReceiveOutcome arrive(policy::SelectiveReceiver& receiver,
                                                const Packet& p) {
  return receiver.on_arrival({.psn = p.psn,
                              .ack_request = p.ack_request,
                              .ends_message = ends_message(p.opcode),
                              .marked = p.ecn == Ecn::ce,
                              .trimmed = p.trimmed});
}

}  // namespace

void rnic::receive(Packet& p, Picoseconds now) {
  if (p.dst != id_) [[unlikely]] {
    if (expects_strays_)
      return drop_received(
          p, p.corrupted ? fabric::DropCause::corrupted : fabric::DropCause::unknown_qp, now);
    throw ModelError(
        fmt::format("{}: a packet for node {} arrived at node {}", name(), p.dst, id_));
  }
  if (receives_apart_) [[unlikely]]
    return receive_apart(p, now);
  process(p, now);
}

void rnic::drop_received(Packet& p, fabric::DropCause cause, Picoseconds now) {
  end_dropped(*this, p, pool(), watcher(), cause, now);
}

void rnic::receive_in_context(Packet& p, Picoseconds now) {
  const std::size_t i = qps_.index_of(p.dest_qp);
  if (host_.contexts && p.opcode != Opcode::none && i < qps_.size()) {
    const bool data = carries_data(p);
    const Picoseconds ready = host_.contexts->receive(i, qps_[i], p.psn, data, now);
    if (ready >= now) {
      if (data && finds_no_room(p, now))
        return drop_received(p, fabric::DropCause::buffer_full, now);
      if (data && ready != never) hold(p, ready, now, true);
      host_.contexts->packet_waits();
      if (ready == never) [[unlikely]]
        return unanswered_.hold(i, p);
      schedule(ready, context_event, 0, event_ordinal_++, reinterpret_cast<std::uintptr_t>(&p));
      return;
    }
  }
  process(p, now);
}

void rnic::process(Packet& p, Picoseconds now) {
  // Its checksum (ICRC) is wrong.
  if (p.corrupted) [[unlikely]]
    return end_dropped(*this, p, pool(), watcher(), fabric::DropCause::corrupted, now);
  const std::size_t i = qps_.index_of(p.dest_qp);
  if (i >= qps_.size() && p.opcode != Opcode::none) [[unlikely]]
    return end_dropped(*this, p, pool(), watcher(), fabric::DropCause::unknown_qp, now);
  if (is_one_of(taken_at_once_, p.opcode)) [[likely]] {
    if (!receive_data(i, p, now))
      return end_dropped(*this, p, pool(), watcher(), fabric::DropCause::buffer_full, now);
  } else if (p.opcode == Opcode::acknowledge) {
    receive_ack(i, p, now);
  } else if (p.is_data()) {
    return receive_in_turn(i, p, now);
  } else if (p.opcode == Opcode::atomic_acknowledge) {
    receive_response(i, p, now);
  } else if (is_atomic(p.opcode)) {
    return receive_in_turn(i, p, now);
  } else if (p.opcode == Opcode::cnp) {
    ++counters_.cnps_received;
    if (qps_[i].reaction) qps_[i].reaction->on_cnp(now);
  } else if (p.opcode == Opcode::none) {
    receive_segment(p, now);
  } else if (p.opcode == Opcode::pull) {
    receive_pull(i, p, now);
  } else if (is_unreliable(p.opcode)) {
    return receive_in_turn(i, p, now);
  }
  pool().deliver(p);
}

void rnic::place_payload(std::size_t i, const Packet& p, Picoseconds now) {
  // InfiniBand's packets of one subnet have no GRH, and its room stays as it was.
  const bool grh = is_ud(p.opcode) && config_.frames != Frames::infiniband;
  const Bytes size = Bytes(p.payload) + (grh ? grh_bytes : 0_B);
  if (size == 0_B) return;
  const Picoseconds in_memory = host_.link->write(now, payload_address(i, p.psn), size);
  if (in_memory == never) [[unlikely]] {
    const RxBuffer::Queue queue = RxBuffer::queue_of(p.ingress_port, p.traffic_class);
    if (host_.rx_buffer.take(queue, Bytes(p.payload))) pause_peer(queue, now);
    return await_write(i, Bytes(p.payload));
  }
  qps_[i].written_until = std::max(qps_[i].written_until, in_memory);
  hold(p, in_memory, now);
}

void rnic::fetch_for_arrivals() const {
  const auto place = [this](std::size_t k, auto&& fetch) {
    const Packet* const p = left_at(0, k);
    if (p == nullptr) return;
    const std::size_t i = qps_.index_of(p->dest_qp);
    if (i < qps_.size()) fetch(i);
  };
  if (const Packet* const p = left_at(0, 3)) __builtin_prefetch(&p->dest_qp);
  place(2, [this](std::size_t i) { qps_.fetch_place(i); });
  place(1, [this](std::size_t i) { qps_[i].fetch_to_receive(); });
  place(0, [this](std::size_t i) { qps_[i].fetch_receiver(); });
}

bool rnic::receive_data(std::size_t i, const Packet& p, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (finds_no_room(p, now)) return false;
  policy::OrderedReceiver* const ordered = qp.ordered();
  policy::SelectiveReceiver* const selective = qp.selective_receiver();
  if (p.trimmed) [[unlikely]] {
    ++counters_.trimmed;
    // Without an answer to such packets it is as one that was lost: its checksum is wrong.
    if (selective == nullptr) return true;
  }
  allow_nack_again(qp, now);
  const policy::ReceiveOutcome out =
      ordered != nullptr ? ordered->on_packet(p.psn, Psn(p.msn), (p.bth_reserved & last_bit) != 0,
                                              p.ack_request, ends_message(p.opcode))
      : selective != nullptr ? arrive(*selective, p)
                             : qp.receiver().on_data(p.psn, p.ack_request, ends_message(p.opcode));
  const Picoseconds decided = ordered != nullptr ? engine_takes(ordered->answer(), now) : now;
  ++counters_.data_received;
  ++qp.progress().received;
  counters_.bitmap_words += out.ops.bitmap_words;
  bool apart = false;
  switch (out.placement) {
    case policy::Placement::deliver:
      counters_.delivered_bytes += p.payload;
      qp.progress().delivered_bytes += p.payload;
      apart = out.ahead > 0 && ordered != nullptr && hold_last(qp, p);
      if (host_.modelled() && ordered == nullptr) place_payload(i, p, now);
      break;
    case policy::Placement::duplicate:
      ++counters_.duplicates;
      break;
    case policy::Placement::discard:
      ++counters_.discarded;
      break;
  }
  if (grants_) [[unlikely]]
    take_announcement(i, p, p.trimmed && out.placement == policy::Placement::discard, now);
  if (ordered != nullptr && host_.modelled()) {
    place_at(decided, i, p, out, apart, now);
  } else {
    if (out.advanced > 0) {
      if (!qp.held_writes.empty()) release_held(qp, qp.receiver().expected_psn());
      if (qp.config().receive_packets != 0) in_memory(i, qp.received_whole(), decided);
    }
  }
  if (nic_watcher_ != nullptr) [[unlikely]]
    notify_placed(i, p, decided);
  if (out.ahead > 0) count_out_of_order(qp, out.ahead);
  if (out.response || qp.notification) answer(i, p, out.response, decided, now);
  return true;
}

void rnic::answer(std::size_t i, const Packet& p, const std::optional<policy::Response>& response,
                  Picoseconds decided, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (qp.notification && qp.notification->on_data(p.ecn == Ecn::ce, now))
    respond(i, p.ingress_port, true, {}, now);
  if (!response) return;
  if (response->nack) {
    const bool too_soon =
        qp.last_nack_sent >= 0_ps && now - qp.last_nack_sent < retransmit_.nack_interval();
    if (too_soon) {
      ++counters_.nacks_suppressed;
      qp.receiver().nack_suppressed();
      return;
    }
    qp.last_nack_sent = now;
    if (qp.notification && qp.notification->on_nack_sent(now))
      respond(i, p.ingress_port, true, {}, now);
    if (nic_watcher_ != nullptr) [[unlikely]]
      notify_nack(i, p, response->psn, now);
  }
  if (qp.responder() != nullptr && qp.responder()->holds(*response, p.ingress_port)) [[unlikely]]
    return;
  respond(i, p.ingress_port, false, *response, decided);
  if (echoes_) [[unlikely]]
    keep_echo(qp, p);
}

}  // namespace horae::rnic
