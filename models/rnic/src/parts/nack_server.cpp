#include "horae/rnic/parts/nack_server.hpp"

#include <algorithm>

namespace horae::rnic {

using policy::Merge;
using policy::Scope;

bool NackServer::busy(const QueuePair& qp, Picoseconds now) const {
  switch (rules_.server()) {
    case Scope::queue_pair:
      return serves(qp) || guarded(qp, now);
    case Scope::port:
      return busy_services_ > 0 || now < rest_until_ || guarded(qp, now);
    case Scope::none:
      break;
  }
  return false;
}

NackServer::Fate NackServer::take(std::size_t i, Psn psn, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  if (rules_.gap_window() != 0 && qp.sender().accepts_nack(psn) &&
      !(qp.gap_until && psn.before(*qp.gap_until))) {
    qp.gap_until = psn + 1;
  }
  if (!busy(qp, now)) return Fate::served;
  const Nack nack{static_cast<std::uint16_t>(i), psn};
  switch (rules_.merge()) {
    case Merge::every:
      queue_.push_back(nack);
      return Fate::waits;
    case Merge::one_pending: {
      const bool first = !qp.pending_nack;
      if (first && rules_.server() == Scope::port) queue_.push_back(nack);
      qp.pending_nack = psn;
      return first ? Fate::waits : Fate::merged;
    }
    case Merge::ignore:
      break;
  }
  return Fate::merged;
}

NackServer::Start NackServer::begin(std::size_t i, Psn psn, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  const auto& sender = qp.sender();
  const bool asks = sender.accepts_nack(psn);
  bool resend = asks;
  if (!asks) {
    const bool all = rules_.server() != Scope::none && rules_.merge() == Merge::every;
    if (!all) return {};
    // Served blindly: what it names is sent again as long as its message is known.
    resend = sender.unacked() > 0 && psn.before(sender.oldest_unacked()) && known(qp, psn);
  }
  std::size_t slot = 0;
  while (slot < services_.size() && services_[slot].active) ++slot;
  if (slot == services_.size()) services_.emplace_back();
  services_[slot] = {.qp = static_cast<std::uint16_t>(i),
                     .psn = psn,
                     .start = now,
                     .reads_left = host_ ? rules_.work().serial_reads : 0,
                     .payload_left = host_ && resend,
                     .resend = resend,
                     .active = true,
                     .recorded = false};
  ++qp.in_service;
  ++busy_services_;
  if (rules_.stall() == Scope::port) ++port_stalls_;
  if (rules_.stall() == Scope::queue_pair) qp.stalled = true;
  return {.asks = asks, .slot = static_cast<std::uint16_t>(slot)};
}

NackServer::Step NackServer::step(std::size_t slot) {
  NackService& s = services_[slot];
  if (s.reads_left > 0) {
    --s.reads_left;
    return Step::context_read;
  }
  if (!s.payload_left) return Step::done;
  s.payload_left = false;
  const Psn last = qps_[s.qp]->next_new() - 1;
  const bool one = s.psn == last || qps_[s.qp]->selective_sender() != nullptr;
  return one ? Step::payload_read : Step::two_payloads;
}

NackServer::End NackServer::end(std::size_t slot) {
  const NackService s = services_[slot];
  services_[slot].active = false;
  QueuePair& qp = *qps_[s.qp];
  --qp.in_service;
  --busy_services_;
  if (rules_.stall() == Scope::port) --port_stalls_;
  if (qp.in_service == 0) qp.stalled = false;
  // ACKs went on while it was served: it may be long forgotten, and nothing may be left to wait
  // for.
  const bool resend = s.resend && known(qp, s.psn);
  const Psn last = qp.next_new() - 1;
  return {.service = s,
          .resend = resend,
          .rests = resend && rules_.stall() == Scope::port,
          .packets = s.psn == last || qp.selective_sender() != nullptr ? 1u : 2u};
}

bool NackServer::hold(std::size_t i, Picoseconds now) {
  QueuePair& qp = *qps_[i];
  if (!rules_.hold_new_data() || qp.hold_until || qp.sender().unacked() == 0) return false;
  qp.hold_until = qp.next_new();
  qp.hold_start = now;
  return true;
}

std::optional<NackServer::Nack> NackServer::next(std::size_t i, Picoseconds now) {
  if (rules_.server() == Scope::queue_pair) {
    QueuePair& qp = *qps_[i];
    if (!qp.pending_nack || guarded(qp, now) || qp.in_service > 0) return std::nullopt;
    const Psn psn = *qp.pending_nack;
    qp.pending_nack.reset();
    return Nack{static_cast<std::uint16_t>(i), psn};
  }
  if (busy_services_ > 0 || now < rest_until_) return std::nullopt;
  const auto first = std::find_if(queue_.begin(), queue_.end(),
                                  [&](const Nack& n) { return !guarded(*qps_[n.qp], now); });
  if (first == queue_.end()) return std::nullopt;
  Nack nack = *first;
  queue_.erase(first);
  // With one pending per queue pair, the latest is served in the place of the first.
  auto& pending = qps_[nack.qp]->pending_nack;
  if (pending) nack.psn = *pending;
  pending.reset();
  return nack;
}

bool NackServer::guard_expired(std::size_t i, Picoseconds now) const {
  // An older guard's event comes before the hold it is asked about is old enough.
  const QueuePair& qp = *qps_[i];
  return qp.hold_until && now - qp.hold_start >= rules_.hold_guard() && qp.pending_nack;
}

}  // namespace horae::rnic
