// The NIC's receive side: data into memory, acknowledgements to their queue pairs.
#include <fmt/format.h>

#include <algorithm>

#include "horae/core/error.hpp"
#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {
namespace {

/// Apart, so that `process` saves no registers for it.
[[gnu::noinline]] void end_buffer_full(const fabric::device& nic, Packet& p,
                                       fabric::PacketPool& pool, fabric::observer* watcher,
                                       Picoseconds now) {
  constexpr auto cause = fabric::DropCause::buffer_full;
  if (watcher != nullptr) watcher->dropped(nic, p, cause, now);
  pool.drop(p, cause);
}

}  // namespace

void rnic::receive(Packet& p, Picoseconds now) {
  if (p.dst != id_) {
    throw ModelError(
        fmt::format("{}: a packet for node {} arrived at node {}", name(), p.dst, id_));
  }
  if (cache_) {
    const Picoseconds ready = receive_ready(p, now);
    if (ready > now) {
      ++waiting_packets_;
      schedule(ready, context_event, 0, service_ordinal_++, reinterpret_cast<std::uintptr_t>(&p));
      return;
    }
  }
  process(p, now);
}

void rnic::process(Packet& p, Picoseconds now) {
  if (p.is_data()) {
    if (!receive_data(p, now)) return end_buffer_full(*this, p, context_.pool, watcher(), now);
  } else if (p.opcode == Opcode::acknowledge) {
    receive_ack(p, now);
  } else if (p.opcode == Opcode::cnp) {
    ++counters_.cnps_received;
    QueuePair& qp = *qps_[index_of(p.dest_qp)];
    if (qp.reaction) qp.reaction->on_cnp(now);
  }
  context_.pool.deliver(p);
}

bool rnic::rx_buffer_takes(const Packet& p, Picoseconds now) {
  while (!rx_in_flight_.empty() && rx_in_flight_.front().first <= now) {
    rx_used_ -= rx_in_flight_.front().second;
    rx_in_flight_.pop_front();
  }
  return rx_used_ + p.payload <= config_.sram.rx_buffer.count();
}

std::uint64_t rnic::payload_address(std::size_t i, Psn psn) {
  // Buffers of the queue pair, one slot of the largest MTU per PSN.
  constexpr std::uint64_t region = std::uint64_t{1} << 48, slot = 4096, slots = 1 << 16;
  return region + (i * slots + psn.value() % slots) * slot;
}

void rnic::place_payload(std::size_t i, const Packet& p, bool apart, Picoseconds now) {
  if (p.payload == 0) return;
  const std::uint64_t address = apart ? kept_apart(i) : payload_address(i, p.psn);
  const Picoseconds in_memory = host_->write(now, address, Bytes(p.payload));
  qps_[i]->written_until = std::max(qps_[i]->written_until, in_memory);
  rx_used_ += p.payload;
  rx_in_flight_.emplace_back(in_memory, p.payload);
}

bool rnic::receive_data(const Packet& p, Picoseconds now) {
  const std::size_t i = index_of(p.dest_qp);
  QueuePair& qp = *qps_[i];
  if (host_ && !rx_buffer_takes(p, now)) {
    ++counters_.rx_buffer_drops;
    return false;
  }
  policy::OrderedReceiver* const ordered = qp.ordered();
  const policy::ReceiveOutcome out =
      ordered != nullptr ? ordered->on_packet(p.psn, Psn(p.msn), (p.bth_reserved & last_bit) != 0,
                                              p.ack_request, ends_message(p.opcode))
                         : qp.receiver().on_data(p.psn, p.ack_request, ends_message(p.opcode));
  Picoseconds decided = now;
  if (ordered != nullptr) {
    watch_ordering(ordered->answer(), now);
    decided = engine_takes(ordered->answer().ops, now);
  }
  ++counters_.data_received;
  ++qp.progress().received;
  counters_.bitmap_words += out.ops.bitmap_words;
  switch (out.placement) {
    case policy::Placement::deliver:
      counters_.delivered_bytes += p.payload;
      qp.progress().delivered_bytes += p.payload;
      {
        const bool apart = out.ahead > 0 && ordered != nullptr && hold_last(qp, p);
        if (host_) place_payload(i, p, apart, decided);
      }
      break;
    case policy::Placement::duplicate:
      ++counters_.duplicates;
      break;
    case policy::Placement::discard:
      ++counters_.discarded;
      break;
  }
  if (out.advanced > 0 && !qp.held_writes.empty()) place_held(i, decided);
  if (out.advanced > 0 && qp.config().receive_packets != 0) count_received(i, decided);
  if (out.ahead > 0) {
    ++counters_.out_of_order;
    reorder_depth_.add(out.ahead);
    auto& progress = qp.progress();
    ++progress.out_of_order;
    progress.reorder_sum += static_cast<std::uint32_t>(out.ahead);
    progress.reorder_max = std::max(progress.reorder_max, static_cast<std::uint32_t>(out.ahead));
  }
  if (qp.notification && qp.notification->on_data(p.ecn == Ecn::ce, now)) respond(i, true, {}, now);
  if (!out.response) return true;
  if (out.response->nack) {
    const bool too_soon =
        qp.last_nack_sent >= 0_ps && now - qp.last_nack_sent < retransmit_.nack_interval();
    if (too_soon) {
      ++counters_.nacks_suppressed;
      qp.receiver().nack_suppressed();
      return true;
    }
    qp.last_nack_sent = now;
    if (qp.notification && qp.notification->on_nack_sent(now)) respond(i, true, {}, now);
    if (nic_watcher_ != nullptr) [[unlikely]]
      notify_nack(i, p, out.response->psn, now);
  }
  respond(i, false, *out.response, decided);
  return true;
}

void rnic::count_received(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  const std::uint32_t messages = qp.received_whole();
  if (messages == 0) return;
  const Picoseconds at = std::max(now, qp.written_until) + qp.config().notify_delay;
  if (at == now) return notify(qp.config().exchange, messages, now);
  schedule(at, notify_event, static_cast<std::uint16_t>(i), service_ordinal_++, messages);
}

void rnic::notify(int number, std::uint64_t messages, Picoseconds now) {
  Exchange& exchange = exchanges_[static_cast<std::size_t>(number)];
  exchange.received += messages;
  for (const std::uint16_t waiting : exchange.waits) post(waiting, now);
}

void rnic::respond(std::size_t i, bool cnp, const policy::Response& response, Picoseconds now) {
  // One response engine: what is decided later does not overtake.
  Picoseconds ready = now + (cnp ? 0_ps : response.nack ? config_.nack_delay : config_.ack_delay);
  if (!responses_.empty()) ready = std::max(ready, responses_.back().ready);
  responses_.push_back({ready, static_cast<std::uint16_t>(i), cnp, response});
}

void rnic::receive_ack(const Packet& p, Picoseconds now) {
  const std::size_t i = index_of(p.dest_qp);
  const bool nack = p.is_nack();
  const bool sack = syndrome::is_sack(p.syndrome);
  ++(nack ? counters_.nacks_received : sack ? counters_.sacks_received : counters_.acks_received);
  if (nack) ++qps_[i]->progress().nacks;
  if (auto* t = recorder()) {
    t->instant("received",
               fmt::format("{} {}",
                           nack   ? "NACK"
                           : sack ? "SACK"
                                  : "ACK",
                           p.psn.value()),
               now);
  }
  if (const Picoseconds lock = retransmit_.lock(nack); lock > 0_ps) {
    qps_[i]->locked_until = std::max(qps_[i]->locked_until, now) + lock;
    counters_.lock_time += lock;
  }
  // Responses are taken in their order: an ACK does not overtake a NACK that is being served.
  const Picoseconds due =
      std::max(now + (nack ? config_.nack_reaction : Picoseconds(0)), responses_due_);
  // On the wire an ACK names the last packet received, a NACK or SACK the one expected (IBTA vol.
  // 1, 9.7.5.1.3): all acknowledge everything before.
  const AckInfo ack{nack, nack || sack ? p.psn : p.psn + 1,
                    nack || sack ? p.bth_reserved : std::uint16_t{0}};
  if (!nack && responses_due_ < now) return take_response(i, ack, now);
  responses_due_ = due;
  schedule(due, response_event, static_cast<std::uint16_t>(i), response_ordinal_++, pack(ack));
}

std::uint64_t rnic::pack(const AckInfo& ack) {
  return static_cast<std::uint64_t>(ack.nack) << 48 |
         static_cast<std::uint64_t>(ack.received) << 32 | ack.psn.value();
}
rnic::AckInfo rnic::unpack(std::uint64_t payload) {
  return {payload >> 48 != 0, Psn(static_cast<std::uint32_t>(payload)),
          static_cast<std::uint16_t>(payload >> 32)};
}

void rnic::take_response(std::size_t i, const AckInfo& ack, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  // What arrived out of order is known before anything is sent again.
  if (ack.received != 0) qp.sender().on_received(ack.psn + ack.received);
  progressed(i, qp.sender().on_ack(ack.psn, now), now);
  if (!ack.nack) return;
  if (qp.reaction) qp.reaction->on_nack(now);
  serve_nack(i, ack.psn, now);
}

void rnic::progressed(std::size_t i, const policy::AckOutcome& outcome, Picoseconds now) {
  if (outcome.newly_acked > 0) {
    QueuePair& qp = *qps_[i];
    const std::uint64_t bytes_before = qp.progress().completed_bytes;
    const std::uint32_t completed = qp.acknowledged(outcome.newly_acked, now);
    counters_.messages_completed += completed;
    counters_.bytes_completed += qp.progress().completed_bytes - bytes_before;
    if (cache_ && completed > 0) use_completion_queue(i, now);
    // A completion queue entry each.
    for (std::uint32_t n = 0; host_ && n < completed; ++n) {
      host_->write(now, (std::uint64_t{1} << 56) + i * 64, 64_B);
    }
    if (qp.gap_until && !qp.sender().oldest_unacked().before(*qp.gap_until)) qp.gap_until.reset();
    if (qp.hold_until && !qp.sender().oldest_unacked().before(*qp.hold_until)) release_hold(i, now);
    if (completed > 0) {
      if (nic_watcher_ != nullptr) [[unlikely]]
        notify_completed(i, completed, now);
      post(i, now);
      if (qp.work_counted && qp.finished()) {
        qp.work_counted = false;
        --unfinished_;
      }
      if (qp.config().completes >= 0) notify(qp.config().completes, completed, now);
      return;
    }
  }
  refresh(i);
}

void rnic::post(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  const std::uint64_t posted_before = qp.progress().posted_messages;
  const int exchange = qp.config().exchange;
  const std::uint64_t received =
      exchange < 0 ? 0 : exchanges_[static_cast<std::size_t>(exchange)].received;
  const Picoseconds due = qp.post_due(now, received);
  if (nic_watcher_ != nullptr) [[unlikely]]
    notify_posted(i, posted_before, now);
  if (fetcher_ && qp.progress().posted_messages > posted_before) {
    schedule(host_->doorbell(now), doorbell_event, static_cast<std::uint16_t>(i),
             service_ordinal_++, qp.progress().posted_messages);
  }
  if (due != never && !qp.post_scheduled) {
    qp.post_scheduled = true;
    schedule(due, post_event, static_cast<std::uint16_t>(i), 0);
  }
  refresh(i);
}

void rnic::expire(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  if (qp.timer_at <= now) qp.timer_at = never;
  if (qp.sender().next_deadline() <= now) {
    ++counters_.timeouts;
    ++qp.progress().timeouts;
    if (nic_watcher_ != nullptr)
      nic_watcher_->timed_out(*this, i, qp.sender().oldest_unacked(), now);
    qp.sender().on_timeout(now);
    if (qp.hold_until) release_hold(i, now);
  }
  refresh(i);
}

}  // namespace horae::rnic
