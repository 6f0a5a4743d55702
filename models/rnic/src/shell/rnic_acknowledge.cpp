// Acknowledgements that arrive: to their queue pairs, in their order. Timeouts, where none arrives.
#include <fmt/format.h>

#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {

void rnic::receive_ack(std::size_t i, const Packet& p, Picoseconds now) {
  if (syndrome::is_rnr(p.syndrome)) [[unlikely]]
    return receive_rnr_nak(i, p, now);
  QueuePair& qp = qps_[i];
  const bool nack = p.is_nack();
  const bool sack = syndrome::is_sack(p.syndrome);
  ++(nack ? counters_.nacks_received : sack ? counters_.sacks_received : counters_.acks_received);
  if (nack) ++qp.progress().nacks;
  if (auto* t = recorder()) {
    const char* const what = nack ? "NACK" : sack ? "SACK" : "ACK";
    t->instant("received", fmt::format("{} {}", what, p.psn.value()), now);
  }
  if (const Picoseconds lock = retransmit_.lock(nack); lock > 0_ps) {
    qp.locked_until = std::max(qp.locked_until, now) + lock;
    counters_.lock_time += lock;
  }
  // On the wire an ACK names the last packet received, a NACK or SACK the one expected (IBTA vol.
  // 1, 9.7.5.1.3): all acknowledge everything before.
  const AckInfo ack{nack, nack || sack ? p.psn : p.psn + 1,
                    nack || sack ? p.bth_reserved : std::uint16_t{0}};
  const auto due = acks_.arrives(nack, now);
  if (listens_) [[unlikely]] {
    const Feedback& f = feedback_of(p);
    if (!due) return apply_ack(i, ack, {i, f, now - f.sent}, now);
    heard_.push_back({i, f, now - f.sent});
  }
  if (qp.requests_reads() && qp.written_until > std::max(now, due.value_or(now))) [[unlikely]] {
    // It tells of READs before it, too, whose data is on its way to memory.
    return take_when_written(i, ack, due.value_or(now));
  }
  if (!due) return take_response(i, ack, now);
  schedule(*due, response_event, static_cast<std::uint16_t>(i), acks_.next_ordinal(), ack.packed());
}

void rnic::take_when_written(std::size_t i, const AckInfo& ack, Picoseconds due) {
  const auto take = [this, i, ack, due](Picoseconds, Picoseconds written) {
    schedule(std::max(due, written), response_event, static_cast<std::uint16_t>(i),
             acks_.next_ordinal(), ack.packed());
  };
  if (qps_[i].written_until != never) return take(due, qps_[i].written_until);
  wait_for_writes(i, take);
}

void rnic::take_response(std::size_t i, const AckInfo& ack, Picoseconds now) {
  // An unreliable queue pair hears of nothing but what left.
  if (listens_ && qps_[i].unreliable() == nullptr) [[unlikely]] {
    const auto first =
        std::find_if(heard_.begin(), heard_.end(), [i](const Heard& h) { return h.qp == i; });
    const Heard heard = *first;
    heard_.erase(first);
    return apply_ack(i, ack, heard, now);
  }
  QueuePair& qp = qps_[i];
  // Packets that arrived out of order are known before anything is sent again.
  if (ack.received != 0) qp.sender().on_received(ack.psn + ack.received);
  const policy::AckOutcome outcome = qp.sender().on_ack(ack.psn, now);
  progressed(i, outcome, now);
  if (outcome.missing) [[unlikely]]
    request_again(i, *outcome.missing, now);
  if (!ack.nack) return;
  if (ack.rnr > 0) return put_off(i, ack, now);
  if (qp.reaction) qp.reaction->on_nack(now);
  serve_nack(i, ack.psn, now);
}

void rnic::progressed(std::size_t i, const policy::AckOutcome& outcome, Picoseconds now) {
  if (outcome.newly_acked > 0) {
    QueuePair& qp = qps_[i];
    if (config_.cq) [[unlikely]] {
      await_cqe(i, qp.acknowledge(outcome.newly_acked), now);
      if (NackServer::acknowledged(qp)) release_hold(i, now);
      return refresh(i);
    }
    const std::uint64_t bytes_before = qp.progress().completed_bytes;
    const std::uint32_t completed = qp.acknowledged(outcome.newly_acked, now);
    counters_.messages_completed += completed;
    counters_.bytes_completed += qp.progress().completed_bytes - bytes_before;
    if (completed > 0) use_completion_queue(i, completed, now);
    if (NackServer::acknowledged(qp)) release_hold(i, now);
    if (completed > 0) return complete(i, completed, now);
  }
  refresh(i);
}

void rnic::on_timer(std::size_t i, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (qp.timer_at <= now) qp.timer_at = never;
  if (qp.starves_at <= now) [[unlikely]]
    qp.credited->on_starved();
  if (qp.sender().next_deadline() <= now) {
    ++counters_.timeouts;
    ++qp.progress().timeouts;
    qp.timeouts.add(context_.repetition, now, shortest_timeout_);
    if (nic_watcher_ != nullptr)
      nic_watcher_->timed_out(*this, i, qp.sender().oldest_unacked(), now);
    qp.sender().on_timeout(now);
    if (qp.sender().exhausted()) [[unlikely]]
      return fail(i, now);
    if (listens_) miss(qp, now);
    if (qp.hold_until) release_hold(i, now);
  }
  if (qp.credited != nullptr) [[unlikely]]
    settle_credit(i, false, now);
  refresh(i);
}

void rnic::fail(std::size_t i, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (qp.hold_until) release_hold(i, now);
  const std::uint32_t failed = qp.fail(now);
  // The CQE of the error also tells of those before it.
  if (config_.cq) write_cqes(i, qp.without_cqe, now);
  counters_.messages_failed += failed;
  ++counters_.errors;
  if (host_.fetcher) host_.fetcher->forget(i, now);
  if (nic_watcher_ != nullptr)
    nic_watcher_->failed(*this, i, qp.progress().completed_messages + qp.outstanding(), failed,
                         now);
  watch_window(qp);
  qps_.completed(qp);
  refresh(i);
  if (initiators_) end_turn(i, now);
  // Others whose turn is behind its own do not wait for what will never be completed.
  if (qp.config().visit != 0) notify(qp.config().completes, failed, now);
}

}  // namespace horae::rnic
