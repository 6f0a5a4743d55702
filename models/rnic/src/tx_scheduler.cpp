#include "horae/rnic/tx_scheduler.hpp"

namespace horae::rnic {

TxScheduler::TxScheduler(const RnicConfig& config, const policy::RetransmitUnit& rules)
    : qp_rate_(config.qp_rate),
      shaping_(config.shaping),
      quantum_(config.quantum),
      rules_(rules),
      gated_(config.host == HostModel::pcie || rules.stall() == policy::Scope::queue_pair ||
             rules.hold_new_data() || rules.gap_window() != 0 || rules.lock(true) > 0_ps ||
             rules.lock(false) > 0_ps) {}

Gate TxScheduler::other_gates(std::size_t i, Gate g) const {
  const QueuePair& qp = *qps_[i];
  const auto later = [&g](Picoseconds t, IdleCause cause) {
    if (t > g.at) g = {t, cause};
  };
  later(qp.locked_until, IdleCause::lock);
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

}  // namespace horae::rnic
