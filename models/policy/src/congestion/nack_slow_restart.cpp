#include "horae/policy/congestion/nack_reaction.hpp"

namespace horae::policy {
namespace {

// ConnectX counts "slow restarts" after losses (roce_slow_restart of the mlx5 driver) without a
// description; an independent study of the firmware found half the rate, at most once in 300 us,
// with the target set to it. That alpha and the stages start over is assumed from the name.
class SlowRestart final : public NackReaction {
 public:
  explicit SlowRestart(const CongestionConfig& config)
      : gap_(config.nack_min_gap),
        kept_(config.nack_rate_kept),
        target_(config.nack_target.value_or(NackTarget::reset)) {}

  void on_nack(RateLimiter& limiter, Picoseconds now) override {
    if (!gap_.take(now)) return;
    limiter.cut(kept_, target_, now);
    limiter.restart(now);
  }

 private:
  MinGap gap_;
  std::uint32_t kept_;
  NackTarget target_;
};

}  // namespace

std::unique_ptr<NackReaction> make_nack_slow_restart(const CongestionConfig& config) {
  return std::make_unique<SlowRestart>(config);
}

}  // namespace horae::policy
