// How the NIC serves NACKs: the retransmit policies' decisions turned into time.
#include <fmt/format.h>

#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {
namespace {

using policy::Merge;
using policy::Scope;

constexpr Bytes context_read = 64_B;  // one cache line of context, WQE or translation

}  // namespace

bool rnic::guarded(const QueuePair& qp, Picoseconds now) const {
  return qp.hold_until && now - qp.hold_start < retransmit_.hold_guard();
}

bool rnic::known(const QueuePair& qp, Psn psn) const {
  return qp.sender().oldest_unacked() - psn < static_cast<std::int32_t>(config_.reliability.window);
}

void rnic::serve_nack(std::size_t i, Psn psn, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  if (retransmit_.gap_window() != 0 && qp.sender().accepts_nack(psn) &&
      !(qp.gap_until && psn.before(*qp.gap_until))) {
    qp.gap_until = psn + 1;
  }
  bool busy = false;
  if (retransmit_.server() == Scope::queue_pair) busy = qp.in_service > 0 || guarded(qp, now);
  if (retransmit_.server() == Scope::port) {
    busy = busy_services_ > 0 || now < rest_until_ || guarded(qp, now);
  }
  if (!busy) return begin_service(i, psn, now);
  if (nic_watcher_ != nullptr) {
    const bool kept = retransmit_.merge() == Merge::every ||
                      (retransmit_.merge() == Merge::one_pending && !qp.pending_nack);
    nic_watcher_->nack_put_off(*this, i, psn, kept ? "waits" : "merged", now);
  }
  switch (retransmit_.merge()) {
    case Merge::every:
      nack_queue_.push_back({static_cast<std::uint16_t>(i), psn});
      break;
    case Merge::one_pending:
      if (qp.pending_nack) {
        ++counters_.nacks_merged;
      } else if (retransmit_.server() == Scope::port) {
        nack_queue_.push_back({static_cast<std::uint16_t>(i), psn});
      }
      qp.pending_nack = psn;
      break;
    case Merge::ignore:
      ++counters_.nacks_merged;
      break;
  }
}

void rnic::begin_service(std::size_t i, Psn psn, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  const auto& sender = qp.sender();
  const bool asks = sender.accepts_nack(psn);
  ++(asks ? counters_.nacks_served : counters_.nacks_stale);
  bool resend = asks;
  if (!asks) {
    const bool all = retransmit_.server() != Scope::none && retransmit_.merge() == Merge::every;
    if (!all) {
      if (nic_watcher_ != nullptr) nic_watcher_->nack_put_off(*this, i, psn, "stale", now);
      return begin_next_service(i, now);
    }
    // Served blindly: what it names is sent again as long as its message is known.
    resend = sender.unacked() > 0 && psn.before(sender.oldest_unacked()) && known(qp, psn);
  }
  std::size_t slot = 0;
  while (slot < services_.size() && services_[slot].active) ++slot;
  if (slot == services_.size()) services_.emplace_back();
  const policy::RetransmitWork work = retransmit_.work();
  Service& s = services_[slot];
  s = {.qp = static_cast<std::uint16_t>(i),
       .psn = psn,
       .start = now,
       .reads_left = host_ ? work.serial_reads : 0,
       .payload_left = host_ && resend,
       .resend = resend,
       .pool_bytes = 0,
       .active = true,
       .recorded = false};
  ++qp.in_service;
  ++busy_services_;
  if (retransmit_.stall() == Scope::port) ++port_stalls_;
  if (retransmit_.stall() == Scope::queue_pair) qp.stalled = true;
  if (auto* t = recorder()) s.recorded = t->service_begins(now);
  if (fetcher_ && work.flush) fetcher_->flush(now);
  if (fetcher_ && work.from_pool) {
    s.pool_bytes = 2 * config_.mtu.count();
    fetcher_->allocate(Bytes(s.pool_bytes), now);
  }
  if (work.processor > 0_ps) {
    if (auto* t = recorder()) t->overlap("NACK service", "processor", now, now + work.processor);
    schedule(now + work.processor, service_event, static_cast<std::uint16_t>(slot),
             service_ordinal_++);
  } else {
    continue_service(slot, now);
  }
}

Picoseconds rnic::read_for_retransmission(std::size_t i, Bytes size, Picoseconds now) {
  ++counters_.retransmit_reads;
  counters_.retransmit_read_bytes += size.count();
  return host_->read(now, (std::uint64_t{1} << 60) + i * 4096, size);
}

void rnic::continue_service(std::size_t slot, Picoseconds now) {
  Service& s = services_[slot];
  Picoseconds done = now;
  const char* what = "payload read";
  if (s.reads_left > 0) {
    --s.reads_left;
    what = "context read";
    done = read_for_retransmission(s.qp, context_read, now);
  } else if (s.payload_left) {
    s.payload_left = false;
    const Psn last = qps_[s.qp]->next_new() - 1;
    done = read_for_retransmission(s.qp, config_.mtu, now);
    if (s.psn != last) done = std::max(done, read_for_retransmission(s.qp, config_.mtu, now));
  } else {
    return finish_service(slot, now);
  }
  if (auto* t = recorder()) t->overlap("NACK service", what, now, done);
  schedule(done, service_event, static_cast<std::uint16_t>(slot), service_ordinal_++);
}

void rnic::finish_service(std::size_t slot, Picoseconds now) {
  const Service s = services_[slot];
  services_[slot].active = false;
  QueuePair& qp = *qps_[s.qp];
  --qp.in_service;
  --busy_services_;
  ++counters_.services;
  counters_.service_time += now - s.start;
  if (auto* t = recorder()) {
    t->overlap("NACK service", fmt::format("NACK {}", s.psn.value()), s.start, now);
    if (s.recorded) t->service_ends(now);
  }
  if (retransmit_.stall() == Scope::port) --port_stalls_;
  if (qp.in_service == 0) qp.stalled = false;
  // ACKs went on while it was served: it may be long forgotten, and nothing may be left to wait
  // for.
  const bool resend = s.resend && known(qp, s.psn);
  const Psn last = qp.next_new() - 1;
  if (nic_watcher_ != nullptr) nic_watcher_->nack_served(*this, s.qp, s.psn, s.start, now, resend);
  if (resend) qp.sender().retransmit(s.psn, now);
  if (resend && retransmit_.hold_new_data() && !qp.hold_until && qp.sender().unacked() > 0) {
    qp.hold_until = qp.next_new();
    qp.hold_start = now;
    schedule(now + retransmit_.hold_guard(), guard_event, s.qp, service_ordinal_++);
  }
  if (fetcher_ && s.pool_bytes > 0) fetcher_->release(Bytes(s.pool_bytes), now);
  if (fetcher_ && retransmit_.work().flush) fetcher_->resume(now);
  refresh(s.qp);
  if (resend && retransmit_.stall() == Scope::port) {
    // What was fetched leaves before the next NACK is served.
    const Picoseconds slot_time = serialisation_time(
        l1_bytes(frame_bytes(Opcode::write_middle, config_.mtu)), tx(0).link().rate);
    rest_until_ = std::max(now, cursor_) + slot_time * (s.psn == last ? 1 : 2);
    schedule(rest_until_, rest_event, s.qp, service_ordinal_++);
    return;
  }
  begin_next_service(s.qp, now);
}

void rnic::begin_next_service(std::size_t i, Picoseconds now) {
  if (retransmit_.server() == Scope::queue_pair) {
    QueuePair& qp = *qps_[i];
    if (!qp.pending_nack || guarded(qp, now) || qp.in_service > 0) return;
    const Psn psn = *qp.pending_nack;
    qp.pending_nack.reset();
    return begin_service(i, psn, now);
  }
  if (busy_services_ > 0 || now < rest_until_) return;
  const auto first = std::find_if(nack_queue_.begin(), nack_queue_.end(),
                                  [&](const PendingNack& n) { return !guarded(*qps_[n.qp], now); });
  if (first == nack_queue_.end()) return;
  const PendingNack next = *first;
  nack_queue_.erase(first);
  auto& pending = qps_[next.qp]->pending_nack;
  const Psn psn = pending ? *pending : next.psn;
  pending.reset();
  begin_service(next.qp, psn, now);
}

void rnic::release_hold(std::size_t i, Picoseconds now) {
  if (auto* t = recorder()) {
    t->overlap("NACK service", "new data held", qps_[i]->hold_start, now);
  }
  qps_[i]->hold_until.reset();
  begin_next_service(i, now);
}

void rnic::guard_expired(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  // An older guard's event comes before the hold it is asked about is old enough.
  if (!qp.hold_until || now - qp.hold_start < retransmit_.hold_guard() || !qp.pending_nack) return;
  release_hold(i, now);
}

}  // namespace horae::rnic
