#include "horae/policy/congestion/nack_reaction.hpp"
#include "horae/policy/own_parameters.hpp"

namespace horae::policy {
namespace {

// However many NACKs come, no more cuts than one a gap, and recovery leads back to the old target:
// an assumption about commodity NICs, whose rate under steady NACKs stays far above the least one
// (half the line rate in section 2.3 of "Enabling Packet Spraying over Commodity RNICs").
class SaturatingCut final : public NackReaction {
 public:
  explicit SaturatingCut(const NackCut& config)
      : gap_(config.min_gap),
        kept_(config.rate_kept),
        target_(config.target.value_or(NackTarget::keep)) {}

  void on_nack(RateLimiter& limiter, Picoseconds now) override {
    if (gap_.take(now)) limiter.cut(kept_, target_, now);
  }

 private:
  MinGap gap_;
  std::uint32_t kept_;
  NackTarget target_;
};

}  // namespace

const Schema<NackCut>& NackCut::schema() {
  static const Schema<NackCut> s =
      Schema<NackCut>("nack_cut", "Cuts of the rate by NACKs.")
          .field(
              "nack_rate_kept", &NackCut::rate_kept,
              {.doc =
                   "saturating_cut, slow_restart: percentage of the rate that remains after a cut",
               .min = 1,
               .max = 100,
               .source = "half: an independent study of ConnectX slow restart; no vendor's value",
               .verified = false})
          .field("nack_min_gap", &NackCut::min_gap,
                 {.doc = "saturating_cut, slow_restart: least time between cuts by NACKs",
                  .max = 1000_ms,
                  .source = "300 us: an independent study of ConnectX slow restart; 60 to 390 us "
                            "would fit half the line rate",
                  .verified = false})
          .choice("nack_target", &NackCut::target,
                  {{"keep", NackTarget::keep},
                   {"previous", NackTarget::previous},
                   {"reset", NackTarget::reset}},
                  {.doc = "saturating_cut, slow_restart: target rate after a cut: unchanged "
                          "(keep), the rate before the cut, or the rate after it (saturating_cut: "
                          "keep; slow_restart: reset)",
                   .source = "reset: an independent study of ConnectX slow restart",
                   .verified = false});
  return s;
}

NackReactionEntry saturating_cut_reaction() {
  return {
      .name = "saturating_cut",
      .doc =
          "a NACK cuts the rate to a share, at most once per nack_min_gap; the target rate stays",
      .make = [](const PolicyParameters& parameters) -> std::unique_ptr<NackReaction> {
        return std::make_unique<SaturatingCut>(parameters.of<NackCut>());
      },
      .parameters = {keys_of<NackCut>()}};
}

}  // namespace horae::policy
