#include "horae/rnic/parts/tx_scheduler.hpp"

namespace horae::rnic {

TxScheduler::TxScheduler(const RnicConfig& config, const policy::RetransmitUnit& rules)
    : qp_rate_(config.qp_rate),
      shaping_(config.shaping),
      quantum_(config.quantum),
      rules_(rules),
      gated_(config.host == HostModel::pcie || rules.stall() == policy::Scope::queue_pair ||
             rules.hold_new_data() || rules.gap_window() != 0 || rules.lock(true) > 0_ps ||
             rules.lock(false) > 0_ps),
      class_configs_(config.classes.value_or(std::vector<ClassConfig>{})) {}

void TxScheduler::begin() {
  waits_.resize(qps_.size());
  std::array<std::size_t, ClassArbiter::classes> queue_pairs{};
  for (const QueuePair* qp : qps_) {
    if (qp->sends_data()) ++queue_pairs.at(qp->traffic_class);
  }
  for (unsigned rest = classes_; rest != 0; rest &= rest - 1) {
    const auto c = static_cast<unsigned>(std::countr_zero(rest));
    place_.at(c) = static_cast<std::uint8_t>(rings_.size());
    rings_.emplace_back(queue_pairs.at(c));
  }
  if (rings_.empty()) rings_.resize(1);
  if (rings_.size() > 1) arbiter_.emplace(class_configs_);
}

Gate TxScheduler::other_gates(std::size_t i, Gate g) const {
  const QueuePair& qp = *qps_[i];
  const auto later = [&g](Picoseconds t, IdleCause cause) {
    if (t > g.at) g = {t, cause};
  };
  if (qp.locked_until > g.at)
    g = {qp.locked_until, qp.locked_until == qp.rnr_until ? IdleCause::receiver : IdleCause::lock};
  later(qp.context_ready, IdleCause::context);
  if (qp.stalled) later(never, IdleCause::retransmit);
  const bool payload_waits = fetcher_ != nullptr && fetcher_->ready(i) > g.at;
  if (!payload_waits && !qp.hold_until && !qp.gap_until) return g;
  // Only new data waits for those: what is sent again was read while its NACK was served.
  if (qp.sender().retransmission_due()) return g;
  if (qp.hold_until) later(never, IdleCause::recovery);
  if (qp.gap_until && qp.sender().oldest_unacked().before(*qp.gap_until) &&
      qp.sender().unacked() >= rules_.gap_window()) {
    later(never, IdleCause::gap_window);
  }
  if (fetcher_ != nullptr) {
    if (const Picoseconds ready = fetcher_->ready(i); ready > g.at) {
      later(ready, fetcher_->cause(i));
    }
  }
  return g;
}

std::size_t TxScheduler::skip_waiting(Ring& ring, std::size_t n, Picoseconds now,
                                      Picoseconds next) {
  std::size_t k = 0;
  const Picoseconds past = std::max(now + 1_ps, next);
  const auto in = [&](auto array) {
    for (std::size_t j = 0; j < array.second && k < n; ++j, ++k) {
      if (waits_.until(array.first[j]) < past) return false;
    }
    return true;
  };
  if (in(ring.array_one())) in(ring.array_two());
  // Never the whole ring: rotate() must not be given the end, and whoever set `next` is not among
  // the first `n`.
  if (k > 0) ring.rotate(ring.begin() + static_cast<std::ptrdiff_t>(k));
  return n - k;
}

void TxScheduler::keep_order(Ring& ring, std::uint16_t first) {
  const std::uint16_t picked = ring.front();
  if (picked == first) return;
  ring.pop_front();
  for (bool done = false; !done;) {
    const std::uint16_t passed = ring.back();
    done = passed == first;
    ring.pop_back();
    ring.push_front(passed);
  }
  ring.push_front(picked);
}

void TxScheduler::remember_wait(std::size_t i, Picoseconds now) {
  // Retransmissions do not wait for the payload of new packets.
  const Picoseconds until = fetcher_->ready(i);
  if (until > now && !qps_[i]->sender().retransmission_due()) waits_.remember(i, until);
}

}  // namespace horae::rnic
