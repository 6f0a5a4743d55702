// DCQCN's notification point: CNPs for marked packets, and for NACKs if the reaction to them has
// the receiver send one.
#include "horae/policy/congestion/dcqcn.hpp"

namespace horae::policy {
namespace {

class DcqcnNotification final : public NotificationPoint {
 public:
  DcqcnNotification(Picoseconds interval, bool with_nack, bool paced)
      : interval_(interval), with_nack_(with_nack), paced_(paced) {}

  bool on_data(bool ce, Picoseconds now) override { return ce && now >= next_ && send(now); }
  bool on_nack_sent(Picoseconds now) override {
    return with_nack_ && (!paced_ || now >= next_) && send(now);
  }

 private:
  bool send(Picoseconds now) {
    next_ = now + interval_;
    return true;
  }

  Picoseconds interval_;
  Picoseconds next_{};
  bool with_nack_;
  bool paced_;
};

}  // namespace

std::unique_ptr<NotificationPoint> make_dcqcn_notification(const CongestionConfig& config) {
  // The interval is the same for every line rate.
  const auto parameters = dcqcn_parameters(config.parameters.of<DcqcnConfig>(), 100_Gbps);
  const NackReactionEntry& reaction = find_nack_reaction(config.nack_reaction);
  const NackCnp with_nack =
      reaction.cnp_with_nack == nullptr ? NackCnp::none : reaction.cnp_with_nack(config.parameters);
  return std::make_unique<DcqcnNotification>(parameters.cnp_interval, with_nack != NackCnp::none,
                                             with_nack == NackCnp::paced);
}

}  // namespace horae::policy
