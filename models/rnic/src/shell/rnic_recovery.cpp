// How the NIC serves NACKs: the NACK server's decisions turned into time.
#include <fmt/format.h>

#include <algorithm>

#include "horae/rnic/rnic.hpp"
#include "rnic_events.hpp"

namespace horae::rnic {
namespace {

constexpr Bytes context_read = 64_B;  // one cache line of context, WQE or translation

}  // namespace

void rnic::serve_nack(std::size_t i, Psn psn, Picoseconds now) {
  const NackServer::Fate fate = nacks_.take(i, psn, now);
  if (fate == NackServer::Fate::served) return begin_service(i, psn, now);
  const bool waits = fate == NackServer::Fate::waits;
  if (!waits) ++counters_.nacks_merged;
  if (nic_watcher_ != nullptr) {
    nic_watcher_->nack_put_off(*this, i, psn, waits ? "waits" : "merged", now);
  }
}

void rnic::begin_service(std::size_t i, Psn psn, Picoseconds now) {
  const NackServer::Start start = nacks_.begin(i, psn, now);
  ++(start.asks ? counters_.nacks_served : counters_.nacks_stale);
  if (!start.slot) {
    if (nic_watcher_ != nullptr) nic_watcher_->nack_put_off(*this, i, psn, "stale", now);
    return begin_next_service(i, now);
  }
  if (auto* t = recorder()) nacks_.service(*start.slot).recorded = t->service_begins(now);
  const policy::RetransmitWork work = retransmit_.work();
  if (host_.fetcher && work.flush) host_.fetcher->flush(now);
  if (host_.fetcher && work.from_pool) host_.fetcher->allocate(2 * config_.mtu, now);
  if (work.processor == 0_ps) return continue_service(*start.slot, now);
  if (auto* t = recorder()) t->overlap("NACK service", "processor", now, now + work.processor);
  schedule(now + work.processor, service_event, *start.slot, event_ordinal_++);
}

Picoseconds rnic::read_for_retransmission(std::uint64_t address, Bytes size, Picoseconds now) {
  ++counters_.retransmit_reads;
  counters_.retransmit_read_bytes += size.count();
  return host_.link->read(now, address, size);
}

void rnic::continue_service(std::size_t slot, Picoseconds now) {
  const NackServer::Step step = nacks_.step(slot);
  if (step == NackServer::Step::done) return finish_service(slot, now);
  const std::size_t i = nacks_.service(slot).qp;
  const bool context = step == NackServer::Step::context_read;
  const std::uint64_t address = host_address::retransmission(i, context);
  const Bytes size = context ? context_read : config_.mtu;
  Picoseconds done{};
  for (int reads = step == NackServer::Step::two_payloads ? 2 : 1; reads > 0; --reads) {
    done = std::max(done, read_for_retransmission(address, size, now));
    if (done == never) [[unlikely]]
      await_service_read(slot);
  }
  if (done == never) [[unlikely]]
    return;
  if (auto* t = recorder()) {
    t->overlap("NACK service", context ? "context read" : "payload read", now, done);
  }
  schedule(done, service_event, static_cast<std::uint16_t>(slot), event_ordinal_++);
}

void rnic::finish_service(std::size_t slot, Picoseconds now) {
  const NackServer::End end = nacks_.end(slot);
  const NackService& s = end.service;
  ++counters_.services;
  counters_.service_time += now - s.start;
  if (auto* t = recorder()) {
    t->overlap("NACK service", fmt::format("NACK {}", s.psn.value()), s.start, now);
    if (s.recorded) t->service_ends(now);
  }
  if (nic_watcher_ != nullptr) {
    nic_watcher_->nack_served(*this, s.qp, s.psn, s.start, now, end.resend);
  }
  if (end.resend && !qps_[s.qp].in_error()) {
    qps_[s.qp].sender().retransmit(s.psn, now);
    if (qps_[s.qp].credited != nullptr) settle_credit(s.qp, false, now);
    if (nacks_.hold(s.qp, now)) {
      schedule(now + retransmit_.hold_guard(), guard_event, s.qp, event_ordinal_++);
    }
  }
  if (host_.fetcher && retransmit_.work().from_pool) host_.fetcher->release(2 * config_.mtu, now);
  if (host_.fetcher && retransmit_.work().flush) host_.fetcher->resume(now);
  refresh(s.qp);
  if (!end.rests) return begin_next_service(s.qp, now);
  // Fetched packets leave before the next NACK is served.
  const Picoseconds slot_time =
      serialisation_time(l1_bytes(frame_bytes(Opcode::write_middle, config_.mtu)), line_rate_);
  const Picoseconds left = std::max({now, cursor_, pipe_free_}) + slot_time * end.packets;
  nacks_.rest(left);
  schedule(left, rest_event, s.qp, event_ordinal_++);
}

void rnic::begin_next_service(std::size_t i, Picoseconds now) {
  if (const auto next = nacks_.next(i, now)) begin_service(next->qp, next->psn, now);
}

void rnic::release_hold(std::size_t i, Picoseconds now) {
  QueuePair& qp = qps_[i];
  if (auto* t = recorder()) t->overlap("NACK service", "new data held", qp.hold_start, now);
  NackServer::release(qp);
  begin_next_service(i, now);
}

}  // namespace horae::rnic
