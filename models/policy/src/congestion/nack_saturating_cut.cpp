#include "horae/policy/congestion/nack_reaction.hpp"

namespace horae::policy {
namespace {

// However many NACKs come, no more cuts than one a gap, and recovery leads back to the old target:
// an assumption about commodity NICs, whose rate under steady NACKs stays far above the least one
// (half the line rate in section 2.3 of "Enabling Packet Spraying over Commodity RNICs").
class SaturatingCut final : public NackReaction {
 public:
  explicit SaturatingCut(const CongestionConfig& config)
      : gap_(config.nack_min_gap),
        kept_(config.nack_rate_kept),
        target_(config.nack_target.value_or(NackTarget::keep)) {}

  void on_nack(RateLimiter& limiter, Picoseconds now) override {
    if (gap_.take(now)) limiter.cut(kept_, target_, now);
  }

 private:
  MinGap gap_;
  std::uint32_t kept_;
  NackTarget target_;
};

}  // namespace

std::unique_ptr<NackReaction> make_nack_saturating_cut(const CongestionConfig& config) {
  return std::make_unique<SaturatingCut>(config);
}

}  // namespace horae::policy
