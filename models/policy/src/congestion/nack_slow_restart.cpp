#include "horae/policy/congestion/nack_reaction.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

// ConnectX counts "slow restarts" after losses (roce_slow_restart of the mlx5 driver) without a
// description; an independent study of the firmware found half the rate, at most once in 300 us,
// with the target set to it. That alpha and the stages start over is assumed from the name.
class SlowRestart final : public NackReaction {
 public:
  explicit SlowRestart(const NackCut& config)
      : gap_(config.min_gap),
        kept_(config.rate_kept),
        target_(config.target.value_or(NackTarget::reset)) {}

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

NackReactionEntry slow_restart_reaction() {
  return {.name = "slow_restart",
          .doc =
              "a NACK cuts the rate to a share, at most once per nack_min_gap; target and alpha "
              "start over",
          .make = [](const PolicyParameters& parameters) -> std::unique_ptr<NackReaction> {
            return std::make_unique<SlowRestart>(parameters.of<NackCut>());
          },
          .parameters = {keys_of<NackCut>()}};
}

}  // namespace horae::policy
